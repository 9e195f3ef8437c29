/* SPDX-License-Identifier: MIT
 *
 * The state functions: what wrappers call to say what happens. They update the records
 * and then raise the event (events.h).
 *
 * Records may be read by a debugger between any two instructions. So a record is filled
 * before its id is stored, the id is cleared before anything else changes, and what must
 * be seen together changes between changing_begin() and changing_end().
 */
#ifndef OMPD_HOOKS_STATE_H
#define OMPD_HOOKS_STATE_H

#include "core/hooks.h"
#include "records/records.h"
#include "state/threads.h"

#pragma GCC visibility push(hidden)

/* Report 2.000, section 15.9. */
enum thread_state {
    STATE_WORK_SERIAL = 0x00,
    STATE_WORK_PARALLEL = 0x01,
    STATE_IDLE = 0x10,
    STATE_OVERHEAD = 0x20,
    STATE_WAIT_BARRIER = 0x40, /* explicit, or at the end of a worksharing construct */
    STATE_WAIT_BARRIER_IMPLICIT = 0x41,
    STATE_WAIT_TASKWAIT = 0x50,
    STATE_WAIT_TASKGROUP = 0x51,
    STATE_WAIT_LOCK = 0x60,
    STATE_WAIT_NEST_LOCK = 0x61,
    STATE_WAIT_CRITICAL = 0x62,
    STATE_WAIT_ATOMIC = 0x63,
    STATE_WAIT_ORDERED = 0x64,
};

#define STATUS(region_id, state) ((uint64_t)(region_id) << 8 | (uint64_t)(state))
#define STATUS_REGION(status) ((status) >> 8)

/* Where user code called the runtime. HERE is for the body of a wrapper only. */
struct place {
    uintptr_t codeptr;
    uintptr_t frame;
};
#define HERE                                                                             \
    ((struct place){(uintptr_t)__builtin_return_address(0),                              \
                    (uintptr_t)__builtin_dwarf_cfa()})

/* What a thread's record said before; kept on the stack of the call that changed it. */
struct outer_state {
    uint64_t status;
    uint64_t wait_id;
    struct place place;
};

static inline void set_status(struct rec_thread *rec, uint64_t status)
{
    __atomic_store_n(&rec->status, status, __ATOMIC_RELAXED);
}

static inline void changing_begin(struct thread *t)
{
    t->rec->seq = ++t->seq;
    publish_order();
}

static inline void changing_end(struct thread *t)
{
    publish_order();
    t->rec->seq = ++t->seq;
}

static inline struct rec_task *current_task(const struct thread *t)
{
    return (struct rec_task *)t->rec->task;
}

/* Wait ids. Barriers and ordered sections are named by the region, 0 outside. */
static inline uint64_t region_wait_id(const struct thread *t)
{
    return STATUS_REGION(t->rec->status);
}

static inline uint64_t task_wait_id(const struct thread *t)
{
    return t->rec->task_id;
}

/* A construct in which the thread may wait. */
struct wait {
    struct outer_state outer;
    uintptr_t enter_frame;
};

static inline void outer_save(struct outer_state *outer, const struct rec_thread *rec)
{
    outer->status = rec->status;
    outer->wait_id = rec->wait_id;
    outer->place.codeptr = rec->codeptr;
    outer->place.frame = rec->frame;
}

/* The end of a wait: the state goes before what explains it. */
static inline void outer_restore(const struct outer_state *outer, struct rec_thread *rec)
{
    set_status(rec, outer->status);
    publish_order();
    rec->wait_id = outer->wait_id;
    rec->codeptr = outer->place.codeptr;
    rec->frame = outer->place.frame;
}

/* The end of work that was done in the middle of an outer wait: the state comes last. */
static inline void outer_resume(const struct outer_state *outer, struct rec_thread *rec)
{
    rec->wait_id = outer->wait_id;
    rec->codeptr = outer->place.codeptr;
    rec->frame = outer->place.frame;
    publish_order();
    set_status(rec, outer->status);
}

static inline void wait_begin(struct wait *w, struct thread *t, enum thread_state state,
                              uint64_t wait_id, struct place place)
{
    struct rec_thread *rec = t->rec;
    outer_save(&w->outer, rec);
    rec->codeptr = place.codeptr;
    rec->frame = place.frame;
    rec->wait_id = wait_id;
    publish_order();
    set_status(rec, STATUS(STATUS_REGION(w->outer.status), state));
}

static inline void wait_end(const struct wait *w, struct thread *t)
{
    outer_restore(&w->outer, t->rec);
}

/* Around the barriers of a team; see records.def. */
static inline void barrier_enter(struct rec_thread *rec, uint32_t where)
{
    rec->barrier = ((rec->barrier >> BARRIER_SHIFT) + 1) << BARRIER_SHIFT | BARRIER_INSIDE |
                   where;
}

static inline void barrier_leave(struct rec_thread *rec)
{
    rec->barrier &= ~(uint32_t)BARRIER_INSIDE;
}

/* The same where the thread may run other tasks meanwhile: the stack below then belongs
 * to them, and the current task's frame says where it left user code. */
static inline void schedule_begin(struct wait *w, struct thread *t,
                                  enum thread_state state, uint64_t wait_id,
                                  struct place place)
{
    struct rec_task *task = current_task(t); /* none in an untracked thread */
    w->enter_frame = 0;
    if (likely(task)) {
        w->enter_frame = task->enter_frame;
        task->enter_frame = place.frame;
    }
    wait_begin(w, t, state, wait_id, place);
}

static inline void schedule_end(const struct wait *w, struct thread *t)
{
    wait_end(w, t);
    struct rec_task *task = current_task(t);
    if (likely(task))
        task->enter_frame = w->enter_frame;
}

/* Regions (regions.c). */

struct region;

/* What the master hands to the runtime in the place of the user's argument. Apart from
 * the first word and the place of the construct it hardly changes, so a team that runs
 * the same construct again finds it in its caches. */
struct region_arg {
    uintptr_t first_word; /* GOMP_parallel_reductions reads it; else 0 */
    struct region *region;
    uintptr_t codeptr;
    struct rec_member *members;
    struct rec_task *tasks;
    uintptr_t icvs; /* of the implicit tasks, but for their place partitions */
    const struct runtime *real;
    uint32_t capacity;
};
_Static_assert(sizeof(struct region_arg) <= 64, "more than a cache line");

/* What else a worker needs to begin: one cache line, and it waits on that very line. */
struct region_start {
    uint32_t announced;
    uint32_t actual, level, active_level;
    uint64_t id;
    uint64_t first_task_id; /* of the implicit tasks, which are numbered on from it */
    body_fn fn;
    void *data;
    uintptr_t encountering_task;
    uint64_t encountering_task_id;
};
_Static_assert(sizeof(struct region_start) <= 64, "more than a cache line");

struct region {
    struct region_arg arg __attribute__((aligned(64)));
    struct region_start start __attribute__((aligned(64)));
    struct {
        struct outer_state state;
        struct region *region;
        const struct runtime *real;
        uint32_t thread_num, team_size, level, barrier;
        uintptr_t enter_frame;            /* of the encountering task */
    } outer __attribute__((aligned(64))); /* what held for the master before */
    struct late_end outer_late;           /* likewise; only with tools */
    struct region *next_free;
    uint32_t size_class;
    uint32_t cancelled; /* some task may never run */
    bool old_style;     /* opened by GOMP_parallel_start or its like */
    enum {
        REGION_UNSEEN, /* by tools: none wanted anything at its begin */
        REGION_HUSHED, /* begun by a tool */
        REGION_TOLD,
    } telling;
    int work;           /* worksharing construct that the body is inside of, for tools */
    uint64_t work_count;
    struct thread *owner; /* the master, where tools are to find it */
    struct rec_region rec __attribute__((aligned(64)));
};

/* Added to the kind: the program itself calls the master's part of the body. */
#define REGION_OLD_STYLE 0x100u

/* The master meets a construct. NULL when there is no memory or the thread is untracked:
 * then the construct is forwarded as it is. */
struct region *region_begin(struct thread *t, const struct runtime *real, uint32_t kind,
                            body_fn fn, void *data, unsigned requested, unsigned capacity,
                            struct place place);

/* How many threads the runtime may give to a region at most. */
static inline unsigned team_limit(const struct runtime *real, unsigned num_threads)
{
    return num_threads ? num_threads : (unsigned)real->omp_get_max_threads();
}

/* The master is inside the team: its size is known; lets the workers go. */
void region_announce(struct thread *t, struct region *r);

/* The real runtime has ended the region. */
void region_end(struct thread *t, struct region *r);

/* The region whose team the calling thread, which the runtime has just made, is joining. */
extern __thread const struct region *region_entering
    __attribute__((tls_model("initial-exec")));

/* Calls the user's body for one thread of the team; what the runtime gets as function. */
void region_trampoline(void *arg);
void teams_trampoline(void *arg);

/* Beginning and end of the body in thread `num` of the team. */
void implicit_begin(struct thread *t, struct region *r, unsigned num,
                    uintptr_t exit_frame);
void implicit_end(struct thread *t, struct region *r, struct place place);

/* Tells tools that the thread's last implicit task is over, which it did not know. */
void implicit_end_late(struct thread *t);

/* The thread that was `num` of the team ends. A worker of a nested team does so while its
 * master may still be on the way out of the region. */
void region_leave(struct region *r, unsigned num, uint64_t thread_id);

/* After fork: no thread but `thread_id` is in the team any more. */
void region_forget_others(struct region *r, uint64_t thread_id);

/* Explicit tasks and the records of all but implicit ones (tasks.c). */

/* Where a task was made, for records that are made later than their task. */
struct task_origin {
    uintptr_t codeptr;
    uintptr_t parent, region;
    uint64_t parent_id, region_id;
    uint32_t level, active_level;
    uint32_t serial;
    uintptr_t icvs;
    uint32_t inherited_flags;
};

/* What stands beside the record of a task and is not for readers: where a wrapper has put
 * the user's block, and what the thread that runs the task did before. */
struct task_own {
    uint64_t placing;
    struct outer_state outer;
    uintptr_t outer_task;
    uint64_t outer_task_id;
};
struct task_own *task_own(struct rec_task *task);

/* A record that is not yet published, or NULL. */
struct rec_task *task_new(struct thread *t);
void task_publish(struct thread *t, struct rec_task *task);
void task_release(struct thread *t, struct rec_task *task);

/* Counts as one child of the current task, however many tasks are made of it. */
void task_origin_here(struct task_origin *origin, const struct thread *t,
                      uintptr_t codeptr);

/* The record of a task that this thread's current task has made, or that was made at
 * `origin` if that is not NULL. NULL when there is no memory. */
struct rec_task *task_create(struct thread *t, body_fn fn, uint32_t flags,
                             uintptr_t codeptr, const struct task_origin *origin);

/* The task is ready to be handed to the runtime and its creator is inside of it.
 * `undeferred` if the creator runs it at once. */
void task_created(struct thread *t, struct rec_task *task, bool undeferred);

/* What the depend clauses of a task say that the calling thread has made. */
void task_depends(struct rec_task *task, void *const *depend);

/* Around the body of an explicit task, on the thread that runs it. */
void task_begin(struct thread *t, struct rec_task *task, uintptr_t exit_frame);
void task_end(struct thread *t, struct rec_task *task);

/* After fork: what other threads than `thread_id` ran is gone. */
void tasks_forget_others(uint64_t thread_id);

/* Gives up the tasks of a region that were created but discarded by a cancellation. */
void tasks_reclaim(struct thread *t, uint64_t region_id);

/* `count` ids in a row, never given out before and never 0. */
static inline uint64_t ids_take(struct ids *mine, uint64_t *global, uint64_t count)
{
    if (unlikely(mine->end - mine->next < count)) {
        uint64_t span = count > 64 ? count : 64;
        mine->next = __atomic_fetch_add(global, span, __ATOMIC_RELAXED) + 1;
        mine->end = mine->next + span;
    }
    uint64_t id = mine->next;
    mine->next += count;
    return id;
}
extern uint64_t last_task_id, last_region_id;

#pragma GCC visibility pop

#endif
