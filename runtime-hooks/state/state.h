/* SPDX-License-Identifier: MIT
 *
 * The state functions, which the wrappers call: they update the records and then raise
 * the event (events.h).
 *
 * A debugger may read records between any two instructions. So a record is filled before
 * its id is stored, the id is cleared before anything else changes, and fields that must
 * be consistent change between changing_begin() and changing_end().
 */
#ifndef OMPD_HOOKS_STATE_H
#define OMPD_HOOKS_STATE_H

#include "core/clock.h"
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

/* A call of the runtime from user code. HERE is for the body of a wrapper only. */
struct place {
    uintptr_t codeptr;
    uintptr_t frame;
};
#ifdef __arm__ /* bit 0 is the caller's instruction set */
#define RETURN_ADDRESS ((uintptr_t)__builtin_return_address(0) & ~(uintptr_t)1)
#else
#define RETURN_ADDRESS ((uintptr_t)__builtin_return_address(0))
#endif
#define HERE ((struct place){RETURN_ADDRESS, (uintptr_t)__builtin_dwarf_cfa()})

/* Fields of a thread's record, saved by the call that changes them. */
struct outer_state {
    uint64_t status;
    uint64_t wait_id;
    struct place place;
};

static inline bool is_wait(uint64_t status)
{
    return (status & 0xff) >= STATE_WAIT_BARRIER;
}

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

/* The wait id of barriers and ordered regions; 0 outside of regions. */
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

/* At the end of a wait: the state first, as the other fields describe it. */
static inline void outer_restore(const struct outer_state *outer, struct rec_thread *rec)
{
    set_status(rec, outer->status);
    publish_order();
    rec->wait_id = outer->wait_id;
    rec->codeptr = outer->place.codeptr;
    rec->frame = outer->place.frame;
}

/* Back to a wait, which begins anew, after other work: the state last. */
static inline void outer_resume(const struct outer_state *outer, struct rec_thread *rec)
{
    if (is_wait(outer->status))
        rec->wait_since = clock_now();
    rec->wait_id = outer->wait_id;
    rec->codeptr = outer->place.codeptr;
    rec->frame = outer->place.frame;
    publish_order();
    set_status(rec, outer->status);
}

/* `since` is the time, or 0: it may not have to wait. */
static inline void wait_begin(struct wait *w, struct thread *t, enum thread_state state,
                              uint64_t wait_id, uint64_t since, struct place place)
{
    struct rec_thread *rec = t->rec;
    outer_save(&w->outer, rec);
    rec->codeptr = place.codeptr;
    rec->frame = place.frame;
    rec->wait_id = wait_id;
    rec->wait_since = since;
    if (is_wait(state))
        rec->tested = 0;
    publish_order();
    set_status(rec, STATUS(STATUS_REGION(w->outer.status), state));
}

/* It does have to. */
static inline void wait_contended(struct thread *t)
{
    t->rec->wait_since = clock_now();
}

static inline void wait_end(const struct wait *w, struct thread *t)
{
    outer_restore(&w->outer, t->rec);
}

/* A lock has been tested in vain, or with `failed` 0 is tested by a runtime that does not report
 * failures: its next test tells of this one. The clock is read once for tests in a row. */
static inline void lock_tested(const struct thread *t, uintptr_t lock, unsigned failed)
{
    struct rec_thread *rec = t->rec;
    if (likely(rec->tested == lock)) {
        rec->tests++;
        return;
    }
    rec->tested = 0;
    publish_order();
    rec->tests = failed;
    rec->tested_since = clock_now();
    publish_order();
    rec->tested = lock;
}

/* Around the barriers of a team; see records.def. */
static inline void barrier_enter(struct rec_thread *rec, uint32_t where)
{
    rec->barrier = ((rec->barrier >> BARRIER_SHIFT) + 1) << BARRIER_SHIFT | BARRIER_INSIDE | where;
}

static inline void barrier_leave(struct rec_thread *rec)
{
    rec->barrier &= ~(uint32_t)BARRIER_INSIDE;
}

/* It was none: the thread goes on, and enters it later. */
static inline void barrier_withdraw(struct rec_thread *rec)
{
    rec->barrier = ((rec->barrier >> BARRIER_SHIFT) - 1) << BARRIER_SHIFT;
}

/* A wait in which the thread may execute other tasks, on the same stack: the current task
 * gets an enter frame. */
static inline void schedule_begin(struct wait *w, struct thread *t, enum thread_state state,
                                  uint64_t wait_id, struct place place)
{
    struct rec_task *task = current_task(t); /* none in an untracked thread */
    w->enter_frame = 0;
    if (likely(task)) {
        w->enter_frame = task->enter_frame;
        task->enter_frame = place.frame;
    }
    wait_begin(w, t, state, wait_id, is_wait(state) ? clock_now() : 0, place);
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

/* Replaces the user's argument of the outlined function. A block hardly changes between
 * regions, so that a team which executes the same construct again has it in its
 * caches. */
struct region_arg {
    uintptr_t first_word; /* GOMP_parallel_reductions reads it; else 0 */
    struct region *region;
    uintptr_t codeptr;
    struct rec_member *members;
    struct rec_task *tasks;
    uintptr_t icvs; /* of the implicit tasks, without place partitions */
    const struct runtime *real;
    uint32_t capacity;
};
_Static_assert(sizeof(struct region_arg) <= 64, "more than a cache line");

/* All else that a worker needs to begin, in the cache line on which it waits. */
struct region_start {
    uint32_t announced;
    uint32_t actual, level, active_level;
    uint64_t id;
    uint64_t first_task_id; /* of the implicit task of thread 0; others follow */
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
        uintptr_t task;
        uint64_t task_id;
        uintptr_t enter_frame;            /* of that task */
    } outer __attribute__((aligned(64))); /* the primary thread's state before the region */
    struct late_end outer_late;           /* likewise; for consumers */
    struct region *next_free;
    uint32_t size_class;
    uint32_t cancelled; /* some task may never run */
    bool old_style;     /* opened by GOMP_parallel_start or its like */
    enum {
        REGION_UNREPORTED, /* no event was wanted at its begin */
        REGION_SUPPRESSED, /* opened in a callback */
        REGION_REPORTED,
    } report;
    int work; /* of a combined construct: WORK_*; for consumers */
    uint64_t work_count;
    struct thread *owner;     /* the primary thread; for consumers */
    uint64_t begun;           /* ticks, or 0; for consumers */
    uint64_t word;            /* what the runtime that reports has in its data word of it */
    struct rec_task *initial; /* that of a target region, which encountered it, or NULL */
    struct rec_region rec __attribute__((aligned(64)));
};

/* Added to the kind: the program itself calls the body on the primary thread. */
#define REGION_OLD_STYLE 0x100u

/* On the encountering thread. NULL without memory or if the thread is untracked: then the
 * construct is only forwarded. */
struct region *region_begin(struct thread *t, const struct runtime *real, uint32_t kind, body_fn fn,
                            void *data, unsigned requested, unsigned capacity, struct place place);

/* The largest team that the runtime may create. */
static inline unsigned team_limit(const struct runtime *real, unsigned num_threads)
{
    return num_threads ? num_threads : (unsigned)real->omp_get_max_threads();
}

/* On the primary thread in the region, where the team size is known: publishes that, enters the
 * region, stops for a debugger that wants it to, and releases the workers that wait for that. */
void region_announce(struct thread *t, struct region *r);
void region_announce_team(struct thread *t, struct region *r, uint32_t actual, uint32_t level,
                          uint32_t active_level);

/* On a worker: true when the region has been announced; false if that need not be awaited. Then
 * the worker publishes the size of the team. */
bool region_await(struct region *r);
void region_describe_team(struct region *r, uint32_t actual, uint32_t level, uint32_t active_level);

/* On the primary thread, after the real function. */
void region_end(struct thread *t, struct region *r);

/* In a new thread, the region whose team it is joining. */
extern __thread const struct region *region_entering __attribute__((tls_model("initial-exec")));

/* Replaces the outlined function: executes it for one thread of the team. */
void ompd_hooks_region(void *arg);
void ompd_hooks_teams(void *arg);

/* Around the outlined function on thread `num` of the team. */
void implicit_begin(struct thread *t, struct region *r, unsigned num, uintptr_t exit_frame);
void implicit_end(struct thread *t, struct region *r, struct place place);

/* Raises the delayed end of the thread's last implicit task. */
void implicit_end_late(struct thread *t);

/* Thread `num` of the team ends. A worker of a nested team may end while its primary
 * thread is still leaving the region. */
void region_leave(struct region *r, unsigned num, uint64_t thread_id);

/* In the child of a fork: of the team and of the encountering thread only `thread_id`
 * exists. */
void region_keep_only(struct region *r, uint64_t thread_id);

/* Explicit tasks, and the pool of all task records but implicit ones (tasks.c). */

/* The private part of a task record, which follows it: for the wrapper that created the task, and
 * what its thread did before. */
struct task_own {
    uint64_t placing;
    struct outer_state outer;
};
static inline struct task_own *task_own(struct rec_task *task)
{
    return (struct task_own *)(task + 1);
}

/* A record that is not yet published, or NULL. */
struct rec_task *task_new(struct thread *t);
struct rec_task *task_new_initial(struct thread *t, uint64_t thread_id, const struct runtime *real);
void task_publish(struct thread *t, struct rec_task *task);
void task_release(struct thread *t, struct rec_task *task);

/* For records that are created later than their task. Counts as one child of the current task,
 * however many tasks are created from it. */
void task_origin_here(struct rec_origin *origin, const struct thread *t, uintptr_t codeptr);

/* The record of a task that is generated by the current task, or at `origin` unless that
 * is NULL. NULL without memory. */
struct rec_task *task_create(struct thread *t, body_fn fn, uint32_t flags, uintptr_t codeptr,
                             const struct rec_origin *origin);

/* Room for the depend clauses of a new task, for `*held` of the items; NULL: for none. The
 * caller publishes what it has filled in. */
struct rec_dependence *task_dependences(struct rec_task *task, uint32_t count, uint32_t *held);

/* Records the depend clauses of a new task. */
void task_depends(struct rec_task *task, void *const *depend);

/* Around the body of an explicit task. */
void task_begin(struct thread *t, struct rec_task *task, uintptr_t exit_frame);
void task_end(struct thread *t, struct rec_task *task);

/* Before its end: an untied task leaves the thread, until task_begin() on any; the body is
 * over, but not the event fulfilled, after which the caller releases the record. */
void task_suspend(struct thread *t, struct rec_task *task);
void task_detach(struct thread *t, struct rec_task *task);

/* In the child of a fork: only the tasks of `thread_id`, and those not begun, exist. */
void tasks_keep_only(uint64_t thread_id);

/* Releases the tasks of a region that a cancellation has discarded. */
void tasks_reclaim(struct thread *t, uint64_t region_id);

/* The first of `count` consecutive ids; ids are never reused and never 0. */
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
