/* SPDX-License-Identifier: MIT
 *
 * The task construct.
 *
 * A task with a copy function is executed even if its region is cancelled, and the
 * runtime decides when it calls that function. So ours replaces one of the user's, and is
 * not passed otherwise: then the block is copied as a whole.
 */
#include "state/detach.h"
#include "wrappers/task-block.h"

#include <stdlib.h>
#include <string.h>

struct task_header {
    void *event; /* written by the runtime if the task is detachable */
    struct rec_task *task;
};

/* The argument of ompd_hooks_copy_task(), which copies the head only. */
struct copied_task {
    struct task_header head;
    copy_fn copy;
    void *source;
};

/* task_own.placing: the offset of the user's block, and whether the event must be copied
 * to it. */
#define COPY_EVENT ((uint64_t)1 << 63)
#define OFFSET(placing) ((size_t)((placing) & ~COPY_EVENT))

static void NOINLINE ompd_hooks_task(void *block)
{
    struct task_header *h = block;
    struct rec_task *task = h->task;
    uint64_t placing = task_own(task)->placing;
    void *user = (char *)block + OFFSET(placing);
    if (placing & COPY_EVENT)
        memcpy(user, &h->event, sizeof(h->event));
    if (unlikely(task->flags & TASK_FLAG_DETACH))
        detach_event(task, task->id, (uintptr_t)h->event);

    body_fn fn = (body_fn)task->function;
    struct thread *t = hooks_self;
    if (unlikely(!t))
        return fn(user);
    task_begin(t, task, (uintptr_t)__builtin_dwarf_cfa());
    fn(user);
    task_end(t, task);
}

static void ompd_hooks_copy_task(void *to, void *from)
{
    const struct copied_task *source = from;
    struct rec_task *task = source->head.task;
    memcpy(to, &source->head, sizeof(source->head));
    if (task->flags & TASK_FLAG_DETACH) {
        memcpy(source->source, &source->head.event, sizeof(void *));
        detach_event(task, task->id, (uintptr_t)source->head.event);
    }
    source->copy((char *)to + OFFSET(task_own(task)->placing), source->source);
}

/* The wrapper's variables during the real call: few, as undeferred tasks nest on the
 * program's stack. */
struct creation {
    struct task_header *block; /* the argument of the real call */
    void *heap;                /* the memory of the block, if it is not on the stack */
    uint64_t task_id;
    struct rec_task *outer_creating;
    struct wait wait;
};

/* Creates the block of a new task in `memory`. False without a record. */
static NOINLINE bool creation_begin(struct creation *c, struct thread *t, void *memory, body_fn fn,
                                    const void *data, copy_fn copy, size_t size, size_t offset,
                                    size_t align, unsigned flags, bool undeferred, void **depend,
                                    struct place place)
{
    struct rec_task *task = task_create(t, fn, task_flags(flags), place.codeptr, NULL);
    if (unlikely(!task))
        return false;
    if (copy) {
        struct copied_task *source = memory;
        source->copy = copy;
        source->source = (void *)(uintptr_t)data;
        c->block = &source->head;
    } else {
        c->block = block_place(memory, align);
        memcpy((char *)c->block + offset, data, size);
    }
    c->block->task = task;
    c->block->event = NULL;
    bool bring = !copy && flags & GOMP_DETACH && size >= sizeof(void *);
    task_own(task)->placing = offset | (bring ? COPY_EVENT : 0);
    c->task_id = task->id;
    if (flags & GOMP_DEPEND)
        task_depends(task, depend);

    c->outer_creating = t->creating;
    t->creating = task;
    schedule_begin(&c->wait, t, STATE_OVERHEAD, 0, place);
    task_created(t, task,
                 undeferred || !task->region ||
                     ((struct rec_task *)task->parent)->flags & TASK_FLAG_FINAL);
    return true;
}

static NOINLINE void creation_end(struct creation *c, struct thread *t, unsigned flags)
{
    schedule_end(&c->wait, t);
    if (unlikely(flags & GOMP_DETACH))
        detach_event(t->creating, c->task_id, (uintptr_t)c->block->event);
    t->creating = c->outer_creating;
    if (unlikely(c->heap))
        block_free(c->heap);
}

WRAPPER_OF_BODY(void, GOMP_task,
                (body_fn fn, void *data, copy_fn cpyfn, long arg_size, long arg_align,
                 bool if_clause, unsigned flags, void **depend, int priority, void *detach),
                (fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend, priority, detach))
{
    ROUTE_BODY(fn);
    TRACKED_OR_FORWARD(t, real->GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags,
                                          depend, priority, detach));
    struct creation c = {.heap = NULL};
    void *memory = NULL;
    size_t offset = block_offset(sizeof(struct task_header), arg_align);
    size_t align = block_align(arg_align);
    size_t size = offset + (size_t)arg_size;
    if (likely(!t->untracked && block_fits(arg_size, arg_align))) {
        size_t room = cpyfn ? sizeof(struct copied_task) : block_room(size, align);
        memory = room <= BLOCK_ON_STACK ? __builtin_alloca(room) : (c.heap = malloc(room));
    }
    if (unlikely(!memory || !creation_begin(&c, t, memory, fn, data, cpyfn, (size_t)arg_size,
                                            offset, align, flags, !if_clause, depend, HERE))) {
        block_free(c.heap);
        real->GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend, priority,
                        detach);
        return;
    }
    real->GOMP_task(ompd_hooks_task, c.block, cpyfn ? ompd_hooks_copy_task : NULL, (long)size,
                    (long)align, if_clause, flags, depend, priority, detach);
    creation_end(&c, t, flags);
}