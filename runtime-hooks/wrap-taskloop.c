/* SPDX-License-Identifier: MIT
 *
 * The taskloop construct: one call makes many tasks out of one block.
 *
 * Without a copy function of the user's, nothing of ours runs when a task is made, and to
 * pass one would let an undeferred taskloop take stack for all its tasks at once. Records
 * of such tasks therefore begin when they run.
 */
#include "task-block.h"

#include <stdlib.h>
#include <string.h>

struct loop_header {
    struct task_header task;
    struct task_origin origin;
    const void *home;       /* the block handed to the runtime: it runs undeferred tasks on it */
    struct thread *creator;
    uintptr_t creator_frame;
    bool is_ull;
};

/* Undeferred tasks with a copy function run on blocks in the stack of the creating call. */
static bool runs_in_construct(const struct loop_header *h, const struct thread *t)
{
    uintptr_t block = (uintptr_t)h;
    return h->home == h || (h->creator == t && block > (uintptr_t)__builtin_frame_address(0) &&
                            block < h->creator_frame);
}

static void NOINLINE run_loop_task(void *block)
{
    struct loop_header *h = block;
    void *user = (char *)block + h->task.offset;
    struct thread *t = hooks_self;
    if (h->is_ull)
        memcpy(user, &h->task.runtime, 2 * sizeof(ull));
    else
        memcpy(user, &h->task.runtime, 2 * sizeof(long));

    struct rec_task *task = h->task.task;
    if (!task && t)
        task = task_create(t, &h->origin);
    if (unlikely(!task || !t)) {
        h->task.fn(user);
        return;
    }
    if (runs_in_construct(h, t))
        task->flags |= TASK_FLAG_UNDEFERRED;
    struct task_run run;
    task_begin(&run, t, task, (uintptr_t)__builtin_dwarf_cfa());
    h->task.fn(user);
    task_end(&run, t, task);
}

/* Called on the thread that met the construct, for each task. */
static void copy_loop_task(void *to, void *from)
{
    const struct loop_header *source = from;
    struct loop_header *h = to;
    memcpy(h, source, sizeof(*h));
    h->home = NULL;
    h->task.task = task_create(source->creator, &source->origin);
    source->task.copy((char *)to + source->task.offset, source->task.source);
}

static void fill_header(struct loop_header *h, struct thread *t, body_fn fn, void *data,
                        copy_fn cpyfn, const struct block_shape *shape, unsigned flags,
                        struct place here)
{
    memset(h, 0, sizeof(*h));
    h->task.fn = fn;
    h->task.copy = cpyfn;
    h->task.source = data;
    h->task.offset = shape->offset;
    task_origin_here(&h->origin, t, fn, task_flags(flags) | TASK_FLAG_TASKLOOP, here.codeptr);
    h->home = h;
    h->creator = t;
    h->creator_frame = here.frame;
}

/* The two forms differ in the type of the bounds, which is also that of the first two
 * words of the block. */
#define TASKLOOP(name, type, head, head_type, ull_form)                                  \
    void name(body_fn fn, void *data, copy_fn cpyfn, long arg_size, long arg_align,      \
              unsigned flags, unsigned long num_tasks, int priority, type start,         \
              type end, type step)                                                       \
    {                                                                                    \
        struct thread *t = tracked_thread();                                             \
        struct block_shape shape;                                                        \
        void *memory = NULL;                                                             \
        struct place here = HERE;                                                        \
        if (t && !t->untracked &&                                                        \
            block_shape(&shape, sizeof(struct loop_header), arg_size, arg_align))        \
            memory = BLOCK_MEMORY(shape);                                                \
        if (!memory) {                                                                   \
            real.name(fn, data, cpyfn, arg_size, arg_align, flags, num_tasks, priority,  \
                      start, end, step);                                                 \
            return;                                                                      \
        }                                                                                \
        struct loop_header *h = block_align(&shape, memory);                             \
        fill_header(h, t, fn, data, cpyfn, &shape, flags, here);                         \
        h->is_ull = ull_form;                                                            \
        if (flags & GOMP_REDUCTION)                                                      \
            h->task.runtime.head.reductions = ((struct head_type *)data)->reductions;    \
        if (!cpyfn && arg_size)                                                          \
            memcpy((char *)h + shape.offset, data, (size_t)arg_size);                    \
                                                                                         \
        struct wait w;                                                                   \
        bool group = !(flags & GOMP_NOGROUP);                                            \
        schedule_begin(&w, t, group ? STATE_WAIT_TASKGROUP : STATE_OVERHEAD,             \
                       group ? task_wait_id(t) : 0, here);                               \
        real.name(run_loop_task, h, cpyfn ? copy_loop_task : NULL, (long)shape.size,     \
                  (long)shape.align, flags, num_tasks, priority, start, end, step);      \
        schedule_end(&w, t);                                                             \
        BLOCK_FREE(shape, memory);                                                       \
    }

TASKLOOP(GOMP_taskloop, long, loop, loop_head, false)
TASKLOOP(GOMP_taskloop_ull, ull, loop_ull, loop_head_ull, true)
