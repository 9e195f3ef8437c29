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

/* The argument of an undeferred task that the runtime does not copy. */
struct undeferred_task {
    struct task_header head;
    void *user;
};

/* task_own.placing: the offset of the user's block, 0 in an undeferred_task, and whether the event
 * must be copied to it. */
#define COPY_EVENT ((uint64_t)1 << 63)
#define OFFSET(placing) ((size_t)((placing) & ~COPY_EVENT))

static void NOINLINE ompd_hooks_task(void *block)
{
    struct task_header *h = block;
    struct rec_task *task = h->task;
    uint64_t placing = task_own(task)->placing;
    void *user =
        placing ? (char *)block + OFFSET(placing) : ((struct undeferred_task *)block)->user;
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

/* What the thread did before: few variables, as undeferred tasks nest on the program's stack. */
struct creation {
    struct rec_task *outer_creating;
    struct wait wait;
};

static inline void creation_begin(struct creation *c, struct thread *t, struct rec_task *task,
                                  bool undeferred, struct place place)
{
    c->outer_creating = t->creating;
    t->creating = task;
    schedule_begin(&c->wait, t, STATE_OVERHEAD, 0, place);
    task_created(t, task,
                 undeferred || !task->region ||
                     ((struct rec_task *)task->parent)->flags & TASK_FLAG_FINAL);
}

static inline void creation_end(struct creation *c, struct thread *t)
{
    schedule_end(&c->wait, t);
    t->creating = c->outer_creating;
}

/* Puts the block of a new task into `memory`; NULL without a record. */
static NOINLINE struct task_header *block_new(struct thread *t, void *memory, body_fn fn,
                                              const void *data, copy_fn copy, size_t size,
                                              size_t offset, size_t align, unsigned flags,
                                              void **depend, uintptr_t codeptr)
{
    struct task_header *block;
    struct rec_task *task =
        task_create(t, fn, unlikely(flags) ? task_flags(flags) : 0, codeptr, NULL);
    if (unlikely(!task))
        return NULL;
    if (copy) {
        struct copied_task *source = memory;
        source->copy = copy;
        source->source = (void *)(uintptr_t)data;
        block = &source->head;
    } else {
        block = block_place(memory, align);
        memcpy((char *)block + offset, data, size);
    }
    block->task = task;
    block->event = NULL;
    bool bring = !copy && flags & GOMP_DETACH && size >= sizeof(void *);
    task_own(task)->placing = offset | (bring ? COPY_EVENT : 0);
    if (unlikely(flags & GOMP_DEPEND))
        task_depends(task, depend);
    return block;
}

/* An undeferred task without other clauses: nothing of the user's is copied. */
SECOND_HALF void ompd_hooks_undeferred_task(body_fn fn, void *data, copy_fn cpyfn, long arg_size,
                                            long arg_align)
{
    ROUTE_BODY(fn);
    struct thread *t = tracked_thread(real);
    struct undeferred_task block = {.user = data};
    if (likely(t && !t->untracked))
        block.head.task = task_create(t, fn, 0, HERE.codeptr, NULL);
    if (unlikely(!block.head.task)) {
        real->GOMP_task(fn, data, cpyfn, arg_size, arg_align, false, 0, NULL, 0, NULL);
        return;
    }
    struct creation c;
    task_own(block.head.task)->placing = 0;
    creation_begin(&c, t, block.head.task, true, HERE);
    real->GOMP_task(ompd_hooks_task, &block, NULL, sizeof(block), BLOCK_ALIGN, false, 0, NULL, 0,
                    NULL);
    creation_end(&c, t);
}

#define TASK_PARAMETERS                                                                            \
    (body_fn fn, void *data, copy_fn cpyfn, long arg_size, long arg_align, bool if_clause,         \
     unsigned flags, void **depend, int priority, void *detach)
#define TASK_ARGUMENTS                                                                             \
    (fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend, priority, detach)

SECOND_HALF void ompd_hooks_any_task TASK_PARAMETERS
{
    ROUTE_BODY(fn);
    TRACKED_OR_FORWARD(t, real->GOMP_task TASK_ARGUMENTS);
    void *memory = NULL, *heap = NULL;
    struct task_header *block = NULL;
    size_t offset = block_offset(sizeof(struct task_header), arg_align);
    size_t align = block_align(arg_align);
    size_t size = offset + (size_t)arg_size;
    if (likely(!t->untracked && block_fits(arg_size, arg_align))) {
        size_t room = cpyfn ? sizeof(struct copied_task) : block_room(size, align);
        memory = room <= BLOCK_ON_STACK ? __builtin_alloca(room) : (heap = malloc(room));
    }
    if (likely(memory))
        block = block_new(t, memory, fn, data, cpyfn, (size_t)arg_size, offset, align, flags,
                          depend, HERE.codeptr);
    if (unlikely(!block)) {
        block_free(heap);
        real->GOMP_task TASK_ARGUMENTS;
        return;
    }
    struct creation c;
    uint64_t task_id = block->task->id;
    creation_begin(&c, t, block->task, !if_clause, HERE);
    real->GOMP_task(ompd_hooks_task, block, cpyfn ? ompd_hooks_copy_task : NULL, (long)size,
                    (long)align, if_clause, flags, depend, priority, detach);
    if (unlikely(flags & GOMP_DETACH))
        detach_event(t->creating, task_id, (uintptr_t)block->event);
    creation_end(&c, t);
    if (unlikely(heap))
        block_free(heap);
}

/* Two tail calls, as HERE is the program's in both. */
WRAPPER_OF_BODY(void, GOMP_task, TASK_PARAMETERS, TASK_ARGUMENTS)
{
    if (!if_clause && !cpyfn && !flags)
        ompd_hooks_undeferred_task(fn, data, cpyfn, arg_size, arg_align);
    else
        ompd_hooks_any_task TASK_ARGUMENTS;
}
