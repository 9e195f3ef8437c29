/* SPDX-License-Identifier: MIT
 *
 * The task construct.
 *
 * Whether the user gave a copy function decides what we may do: with one, a task runs
 * even when its region is cancelled, and the runtime calls it at a time of its choosing.
 * So ours stands in only for the user's, and a block without one is copied as a whole.
 */
#include "task-block.h"

#include <stdlib.h>
#include <string.h>

static void NOINLINE run_task(void *block)
{
    struct task_header *h = block;
    void *user = (char *)block + h->offset;
    struct rec_task *task = h->task;
    struct thread *t = hooks_self;
    if (!h->copy && task->flags & TASK_FLAG_DETACH)
        memcpy(user, &h->runtime.event, sizeof(h->runtime.event));
    if (unlikely(!t)) {
        h->fn(user);
        return;
    }
    struct task_run run;
    task_begin(&run, t, task, (uintptr_t)__builtin_dwarf_cfa());
    h->fn(user);
    task_end(&run, t, task);
}

static void copy_task(void *to, void *from)
{
    const struct task_header *h = from;
    memcpy(to, from, sizeof(*h));
    if (h->task->flags & TASK_FLAG_DETACH)
        memcpy(h->source, &h->runtime.event, sizeof(h->runtime.event));
    h->copy((char *)to + h->offset, h->source);
}

void GOMP_task(body_fn fn, void *data, copy_fn cpyfn, long arg_size, long arg_align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    struct thread *t = tracked_thread();
    struct block_shape shape, source;
    void *memory = NULL;
    struct rec_task *task = NULL;
    struct place here = HERE;

    if (t && !t->untracked &&
        block_shape(&shape, sizeof(struct task_header), arg_size, arg_align)) {
        source = shape;
        if (cpyfn)
            source.size = shape.offset;
        memory = BLOCK_MEMORY(source);
        struct task_origin origin;
        task_origin_here(&origin, t, fn, task_flags(flags), here.codeptr);
        if (memory)
            task = task_create(t, &origin);
        if (!task)
            BLOCK_FREE(source, memory);
    }
    if (!task) {
        real.GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend,
                       priority, detach);
        return;
    }

    struct task_header *h = block_align(&source, memory);
    h->fn = fn;
    h->copy = cpyfn;
    h->source = data;
    h->offset = shape.offset;
    h->task = task;
    if (!cpyfn && arg_size)
        memcpy((char *)h + shape.offset, data, (size_t)arg_size);

    struct wait w;
    struct rec_task *outer_creating = t->creating;
    t->creating = task;
    schedule_begin(&w, t, STATE_OVERHEAD, 0, here);
    real.GOMP_task(run_task, h, cpyfn ? copy_task : NULL, (long)shape.size,
                   (long)shape.align, if_clause, flags, depend, priority, detach);
    schedule_end(&w, t);
    t->creating = outer_creating;
    BLOCK_FREE(source, memory);
}
