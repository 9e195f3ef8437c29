/* SPDX-License-Identifier: MIT
 *
 * The taskloop construct: one call creates many tasks from one block.
 *
 * Without a copy function of the user's, no code of the hooks runs when a task is
 * created; passing one would make an undeferred taskloop allocate the blocks of all tasks
 * on the stack at once. So the records of such tasks are created when these begin. Before that a
 * reader knows them by the runtime's memory, which has their blocks.
 */
#include "wrappers/task-block.h"
#include "state/waits.h"
#include "state/work.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/* What the runtime reads and writes in the block; the user's block begins with the
 * same. */
struct loop_head {
    long start, end;
    uintptr_t *reductions;
};

struct loop_head_ull {
    ull start, end;
    uintptr_t *reductions;
};

struct loop_header {
    union {
        struct loop_head loop;
        struct loop_head_ull loop_ull;
    } runtime;
    copy_fn copy;
    void *source;             /* the user's block at the construct, for `copy` */
    struct loop_header *home; /* the original block, used for undeferred tasks */
    struct thread *creator;
    uintptr_t creator_frame;
    uint32_t offset;
    uint32_t bounds_size;
    struct rec_origin origin;
};

static body_fn body_of(const struct loop_header *h)
{
    return (body_fn)(uintptr_t)h->origin.function;
}

static struct rec_task *create_task(struct thread *t, const struct loop_header *h)
{
    return task_create(t, body_of(h), 0, 0, &h->origin);
}

/* Undeferred tasks with a copy function run on blocks in the stack of the creating call.
 */
static bool runs_in_construct(const struct loop_header *h, const struct thread *t)
{
    uintptr_t block = (uintptr_t)h;
    return h->home == h || (h->creator == t && block > (uintptr_t)__builtin_frame_address(0) &&
                            block < h->creator_frame);
}

static void NOINLINE ompd_hooks_loop_task(void *block)
{
    struct loop_header *h = block;
    void *user = (char *)block + h->offset;
    struct thread *t = hooks_self;
    memcpy(user, &h->runtime, h->bounds_size);

    struct rec_task *task = (struct rec_task *)(uintptr_t)h->origin.task, *late = NULL;
    if (!task && t && !t->untracked)
        late = task = create_task(t, h);
    if (unlikely(!task || !t))
        return body_of(h)(user);
    if (runs_in_construct(h, t))
        task->flags |= TASK_FLAG_UNDEFERRED;
    if (late)
        task_created(t, task, false);
    task_begin(t, task, (uintptr_t)__builtin_dwarf_cfa());
    body_of(h)(user);
    task_end(t, task);
}

/* Called by the encountering thread, for each task. */
static void ompd_hooks_copy_loop_task(void *to, void *from)
{
    const struct loop_header *source = from;
    struct loop_header *h = to;
    memcpy(h, source, sizeof(*h));
    h->home = NULL;
    struct rec_task *task = create_task(source->creator, source);
    h->origin.task = (uintptr_t)task;
    if (task)
        task_created(source->creator, task, false);
    source->copy((char *)to + source->offset, source->source);
}

static void fill_header(struct loop_header *h, struct thread *t, body_fn fn, void *data,
                        copy_fn cpyfn, unsigned flags, struct place here)
{
    h->copy = cpyfn;
    h->source = data;
    h->home = h;
    h->creator = t;
    h->creator_frame = here.frame;
    task_origin_here(&h->origin, t, here.codeptr);
    h->origin.flags |= task_flags(flags) | TASK_FLAG_TASKLOOP;
    h->origin.function = (uintptr_t)fn;
    if (unlikely(!ompd_hooks_root.loop_task)) {
        ompd_hooks_root.loop_origin = offsetof(struct loop_header, origin);
        publish_order();
        ompd_hooks_root.loop_task = (uintptr_t)ompd_hooks_loop_task;
    }
}

/* The wait at the end of the taskgroup has no event: it is in the call that creates the
 * tasks. */
static NOINLINE void notify_loop_begin(struct thread *t, bool group, uint64_t count,
                                       uintptr_t codeptr)
{
    if (group)
        event_sync_region(t, SYNC_TASKGROUP, EVENT_BEGIN, codeptr);
    event_work(t, WORK_TASKLOOP, EVENT_BEGIN, count, codeptr);
}

static NOINLINE void notify_loop_end(struct thread *t, bool group, uintptr_t codeptr)
{
    event_work(t, WORK_TASKLOOP, EVENT_END, 0, codeptr);
    if (group)
        event_sync_region(t, SYNC_TASKGROUP, EVENT_END, codeptr);
}

#define ITERATIONS_long loop_iterations(start, end, step)
#define ITERATIONS_ull loop_iterations_ull((flags & GOMP_UP) != 0, start, end, step)

/* The two forms differ in the type of the bounds, which is also that of the first two
 * words of the block. */
#define TASKLOOP(name, type, head, head_type)                                                      \
    WRAPPER_OF_BODY(                                                                               \
        void, name,                                                                                \
        (body_fn fn, void *data, copy_fn cpyfn, long arg_size, long arg_align, unsigned flags,     \
         unsigned long num_tasks, int priority, type start, type end, type step),                  \
        (fn, data, cpyfn, arg_size, arg_align, flags, num_tasks, priority, start, end, step))      \
    {                                                                                              \
        ROUTE_BODY(fn);                                                                            \
        TRACKED_OR_FORWARD(t, real->name(fn, data, cpyfn, arg_size, arg_align, flags, num_tasks,   \
                                         priority, start, end, step));                             \
        size_t align = block_align(arg_align);                                                     \
        size_t offset = block_offset(sizeof(struct loop_header), arg_align);                       \
        size_t size = offset + (size_t)arg_size;                                                   \
        size_t room = block_room(cpyfn ? sizeof(struct loop_header) : size, align);                \
        void *memory = NULL, *heap = NULL;                                                         \
        if (!t->untracked && block_fits(arg_size, arg_align) &&                                    \
            arg_size >= 2 * (long)sizeof(type))                                                    \
            memory = room <= BLOCK_ON_STACK ? __builtin_alloca(room) : (heap = malloc(room));      \
        if (unlikely(!memory))                                                                     \
            return real->name(fn, data, cpyfn, arg_size, arg_align, flags, num_tasks, priority,    \
                              start, end, step);                                                   \
                                                                                                   \
        struct place here = HERE;                                                                  \
        struct loop_header *h = block_place(memory, align);                                        \
        fill_header(h, t, fn, data, cpyfn, flags, here);                                           \
        h->offset = (uint32_t)offset;                                                              \
        h->bounds_size = 2 * sizeof(type);                                                         \
        if (flags & GOMP_REDUCTION)                                                                \
            h->runtime.head.reductions = ((struct head_type *)data)->reductions;                   \
        if (!cpyfn)                                                                                \
            memcpy((char *)h + offset, data, (size_t)arg_size);                                    \
                                                                                                   \
        struct wait w;                                                                             \
        bool group = !(flags & GOMP_NOGROUP);                                                      \
        schedule_begin(&w, t, group ? STATE_WAIT_TASKGROUP : STATE_OVERHEAD,                       \
                       group ? task_wait_id(t) : 0, here);                                         \
        if (event_wanted(SYNC_EVENTS))                                                             \
            notify_loop_begin(t, group, ITERATIONS_##type, here.codeptr);                          \
        real->name(ompd_hooks_loop_task, h, cpyfn ? ompd_hooks_copy_loop_task : NULL, (long)size,  \
                   (long)align, flags, num_tasks, priority, start, end, step);                     \
        if (event_wanted(SYNC_EVENTS))                                                             \
            notify_loop_end(t, group, here.codeptr);                                               \
        schedule_end(&w, t);                                                                       \
        if (unlikely(heap))                                                                        \
            block_free(heap);                                                                      \
    }

TASKLOOP(GOMP_taskloop, long, loop, loop_head)
TASKLOOP(GOMP_taskloop_ull, ull, loop_ull, loop_head_ull)
