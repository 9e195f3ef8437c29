/* SPDX-License-Identifier: MIT
 *
 * The task construct.
 *
 * Whether the user gave a copy function decides what we may do: with one, a task runs
 * even when its region is cancelled, and the runtime calls it at a time of its choosing.
 * So ours stands in only for the user's, and a block without one is copied as a whole.
 */
#include "detach.h"
#include "task-block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct task_header {
    void *event; /* written by the runtime if the task is detachable */
    struct rec_task *task;
};

/* With a copy function the runtime gets this as source, and only the head is copied. */
struct copied_task {
    struct task_header head;
    copy_fn copy;
    void *source;
};

/* Kept with the record: where the user's part stands in the block, and whether the event
 * has still to be brought there. */
#define EVENT_TO_BRING ((uint64_t)1 << 63)
#define OFFSET(private) ((size_t)((private) & ~EVENT_TO_BRING))

static void NOINLINE run_task(void *block)
{
    struct task_header *h = block;
    struct rec_task *task = h->task;
    uint64_t private = *task_private(task);
    void *user = (char *)block + OFFSET(private);
    if (private & EVENT_TO_BRING)
        memcpy(user, &h->event, sizeof(h->event));
    if (unlikely(task->flags & TASK_FLAG_DETACH))
        detach_event(task, task->id, (uintptr_t)h->event);

    body_fn fn = (body_fn)task->function;
    struct thread *t = hooks_self;
    if (unlikely(!t))
        return fn(user);
    struct task_run *run = scratch_push(t, sizeof(*run));
    if (unlikely(!run))
        return fn(user);
    task_begin(run, t, task, (uintptr_t)__builtin_dwarf_cfa());
    fn(user);
    task_end(run, t, task);
    scratch_pop(t, run);
}

static void copy_task(void *to, void *from)
{
    const struct copied_task *source = from;
    struct rec_task *task = source->head.task;
    memcpy(to, &source->head, sizeof(source->head));
    if (task->flags & TASK_FLAG_DETACH) {
        memcpy(source->source, &source->head.event, sizeof(void *));
        detach_event(task, task->id, (uintptr_t)source->head.event);
    }
    source->copy((char *)to + OFFSET(*task_private(task)), source->source);
}

/* What the wrapper keeps while it is inside the real function: not on the program's
 * stack, where undeferred tasks nest (scratch.h). */
struct creation {
    struct {
        body_fn fn;
        void *data;
        copy_fn copy;
        long size, align;
        unsigned flags;
        bool if_clause;
        void **depend;
    } user, ours; /* as the user said it, and as we hand it on where that differs */
    struct wait wait;
    struct rec_task *outer_creating;
    uint64_t task_id;
    void *heap;
    struct copied_task copied; /* the block, with a copy function */
};

/* Makes the block that the runtime gets; NULL when there is no memory. */
static struct task_header *make_block(struct thread *t, struct creation *c, size_t offset)
{
    if (c->user.copy) {
        c->copied.copy = c->user.copy;
        c->copied.source = c->user.data;
        return &c->copied.head;
    }
    size_t room = block_room((size_t)c->ours.size, (size_t)c->ours.align);
    void *memory = scratch_push(t, room);
    if (unlikely(!memory))
        memory = c->heap = malloc(room);
    if (!memory)
        return NULL;
    struct task_header *block = block_place(memory, (size_t)c->ours.align);
    if (c->user.size)
        memcpy((char *)block + offset, c->user.data, (size_t)c->user.size);
    return block;
}

/* False when there is no memory or nothing to be made of the arguments. */
static NOINLINE bool creation_begin(struct thread *t, struct creation *c,
                                    struct place place)
{
    if (t->untracked || !block_fits(c->user.size, c->user.align))
        return false;
    struct rec_task *task =
        task_create(t, c->user.fn, task_flags(c->user.flags), place.codeptr, NULL);
    if (unlikely(!task))
        return false;

    size_t offset = block_offset(sizeof(struct task_header), c->user.align);
    c->heap = NULL;
    c->ours.size = (long)offset + c->user.size;
    c->ours.align = (long)block_align(c->user.align);
    c->ours.copy = c->user.copy ? copy_task : NULL;
    struct task_header *block = make_block(t, c, offset);
    if (unlikely(!block)) {
        task_release(t, task);
        return false;
    }
    c->ours.data = block;
    block->task = task;
    block->event = NULL;
    c->task_id = task->id;
    if (c->user.flags & GOMP_DEPEND)
        task_depends(task, c->user.depend);
    bool bring = !c->user.copy && c->user.flags & GOMP_DETACH &&
                 c->user.size >= (long)sizeof(void *);
    *task_private(task) = offset | (bring ? EVENT_TO_BRING : 0);

    c->outer_creating = t->creating;
    t->creating = task;
    schedule_begin(&c->wait, t, STATE_OVERHEAD, 0, place);
    task_created(t, task,
                 !c->user.if_clause || !task->region ||
                     ((struct rec_task *)task->parent)->flags & TASK_FLAG_FINAL);
    return true;
}

static NOINLINE void creation_end(struct thread *t, struct creation *c)
{
    schedule_end(&c->wait, t);
    if (unlikely(c->user.flags & GOMP_DETACH)) {
        const struct task_header *block = c->ours.data;
        detach_event(t->creating, c->task_id, (uintptr_t)block->event);
    }
    t->creating = c->outer_creating;
    if (unlikely(c->heap)) {
        int saved_errno = errno;
        free(c->heap);
        errno = saved_errno;
    }
    scratch_pop(t, c);
}

SECOND_HALF void track_task(body_fn fn, void *data, copy_fn cpyfn, long arg_size,
                            long arg_align, bool if_clause, unsigned flags, void **depend,
                            int priority, void *detach)
{
    TRACKED_OR_FORWARD(t, real.GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause,
                                         flags, depend, priority, detach));
    struct creation *c = scratch_push(t, sizeof(*c));
    if (unlikely(!c))
        return real.GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags,
                              depend, priority, detach);
    c->user.fn = fn;
    c->user.data = data;
    c->user.copy = cpyfn;
    c->user.size = arg_size;
    c->user.align = arg_align;
    c->user.flags = flags;
    c->user.if_clause = if_clause;
    c->user.depend = depend;
    if (likely(creation_begin(t, c, HERE))) {
        real.GOMP_task(run_task, c->ours.data, c->ours.copy, c->ours.size, c->ours.align,
                       c->user.if_clause, flags, depend, priority, detach);
        creation_end(t, c);
    } else {
        scratch_pop(t, c); /* nothing is pushed before the arguments are read */
        real.GOMP_task(c->user.fn, c->user.data, c->user.copy, c->user.size,
                       c->user.align, c->user.if_clause, flags, depend, priority, detach);
    }
}

void GOMP_task(body_fn fn, void *data, copy_fn cpyfn, long arg_size, long arg_align,
               bool if_clause, unsigned flags, void **depend, int priority, void *detach)
{
    FORWARD_IF_OFF(real.GOMP_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags,
                                  depend, priority, detach));
    track_task(fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend, priority,
               detach);
}
