/* SPDX-License-Identifier: MIT
 *
 * Worksharing constructs for tools; see work.h.
 */
#include "state/work.h"

void work_close(struct thread *t)
{
    struct open_work *open = &t->open_work;
    if (!open->kind || open->task_id != t->rec->task_id)
        return;
    enum work_kind kind = (enum work_kind)open->kind;
    open->kind = 0;
    event_work(t, kind, EVENT_END, open->count, open->codeptr);
}

void work_begin(struct thread *t, enum work_kind kind, uint64_t count, uintptr_t codeptr)
{
    work_close(t);
    event_work(t, kind, EVENT_BEGIN, count, codeptr);
}

void work_begin_open(struct thread *t, enum work_kind kind, uint64_t count, uintptr_t codeptr)
{
    work_begin(t, kind, count, codeptr);
    t->open_work = (struct open_work){
        .kind = kind, .task_id = t->rec->task_id, .count = count, .codeptr = codeptr};
}

void work_end(struct thread *t, enum work_kind kind, uintptr_t codeptr)
{
    bool was_open = t->open_work.kind == (int)kind;
    work_close(t);
    if (was_open && !t->open_work.kind)
        return;
    bool is_loop = kind == WORK_LOOP || kind == WORK_SECTIONS || kind == WORK_TASKLOOP;
    event_work(t, kind, EVENT_END, is_loop ? 0 : 1, codeptr);
}
