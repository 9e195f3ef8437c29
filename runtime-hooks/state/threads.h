/* SPDX-License-Identifier: MIT
 *
 * The threads that the hooks know: each has a record for readers and a private part.
 */
#ifndef OMPD_HOOKS_THREADS_H
#define OMPD_HOOKS_THREADS_H

#include "core/hooks.h"
#include "records/records.h"

/* A range of ids that this thread may give out; see ids_take() in state.h. */
struct ids {
    uint64_t next, end;
};

/* The threads that the runtime keeps for the outermost teams of a thread. In a target region
 * it keeps others, and ends them with the region. */
struct pool {
    uint32_t id;   /* 0 outside of target regions */
    uint32_t size; /* of the last team that had workers: the runtime ends those beyond */
};

/* An implicit task whose end is still to be told: a copy, because its record may be another
 * one's by then. */
struct late_end {
    bool pending;
    uint32_t kind; /* of the region: REGION_* */
    uint32_t level;
    uint32_t thread_num;
    uint32_t pool_id; /* of the master, which is `owner` */
    struct thread *owner;
    uint64_t owner_id;
    struct rec_task *task;
    uint64_t task_id, region_id;
    uint64_t tool_data;
    uintptr_t codeptr;
};

/* A worksharing construct whose end is no call (work.h); kind 0: none. */
struct open_work {
    int kind;
    uint64_t task_id;
    uint64_t count;
    uintptr_t codeptr;
};

/* Where a tool finds the frames of the thread's tasks, the current one first; laid out as
 * ompt_frame_t. Tasks beyond the last share it. */
#define FRAME_LEVELS 16
struct frame_words {
    uint64_t exit, enter;
    int exit_flags, enter_flags;
};

/* The target constructs that the thread is inside of. */
#define TARGET_LEVELS 4
struct target_level {
    uint64_t id, data;
    int device;
};
struct target_words {
    unsigned depth;
    struct target_level level[TARGET_LEVELS];
};

#define REGION_CLASSES 21 /* teams of up to 2^20 threads */

/* The private part. Two cache lines are fetched together, so nobody shares a pair. */
struct thread {
    struct rec_thread *rec;
    uint64_t id;           /* as in the record, whose line the master of a team writes */
    uint32_t seq;          /* likewise */
    struct region *region; /* innermost, NULL outside; stale while the thread is idle */
    const struct runtime *real; /* that of the region, outside of the first call */
    struct rec_task *creating;  /* task whose GOMP_task call this thread is inside of */
    struct rec_task *initial;   /* its initial task, NULL in a worker */
    bool untracked;             /* as THREAD_UNTRACKED */
    bool introduced;            /* tools have heard of it */
    bool telling;               /* it is inside of a tool */
    enum {
        MUTEX_UNWATCHED, /* nobody wants to know */
        MUTEX_FREE,
        MUTEX_HELD, /* it has to wait */
    } asked;        /* the mutex that it asks for */

    /* What it has at hand without taking the lock. */
    struct ids task_ids, region_ids;
    union task *free_tasks;
    unsigned free_task_count;
    struct region *free_regions[REGION_CLASSES];

    /* What only tools need. */
    struct late_end late;
    struct open_work open_work;
    uint64_t cancelled_task; /* id of a task that has met its own cancellation */
    struct frame_words frames[FRAME_LEVELS];
    struct target_words target;
    struct pool pool;
    uint32_t last_pool;
    body_fn
        target_body; /* of the target region whose host version it runs, NULL outside */

    struct thread *next_free; /* while no thread has this slot */
} __attribute__((aligned(128)));

#pragma GCC visibility push(hidden)

extern __thread struct thread *hooks_self __attribute__((tls_model("initial-exec")));

/* Registers the calling thread, or looks whether an untracked one can be tracked by now.
 * NULL when there is no memory. */
struct thread *thread_self_slow(const struct runtime *real);

/* The calling thread, met in a call from user code to this runtime; NULL when there is no
 * memory. */
static inline struct thread *thread_self(const struct runtime *real)
{
    struct thread *t = hooks_self;
    return likely(t && !t->untracked) ? t : thread_self_slow(real);
}

/* The calling thread, if it is tracked already. */
static inline struct thread *thread_known(void)
{
    struct thread *t = hooks_self;
    return likely(t && !t->untracked) ? t : NULL;
}

/* The calling thread, to which the runtime has just given an implicit task of a team. */
struct thread *thread_worker(const struct runtime *real);

/* Begins to register threads. */
void threads_start(const struct runtime *real);

/* Tells tools that the calling thread ends. */
void thread_farewell(struct thread *t);

/* The tool's work ends: outside of all regions and of callbacks, dispatches the end of the
 * calling thread, and waits, but not for ever, for threads that are ending. With the process its
 * idle workers are ended first; before, they live on with their threadprivate variables. */
void threads_finalize(bool process_ends);

static inline struct thread *tracked_thread(const struct runtime *real)
{
    return hooks_on(real) ? thread_self(real) : NULL;
}

/* Declares `real`, the caller's runtime, or leaves with nothing but the real call when the
 * hooks are off. */
#define FORWARD_IF_OFF(real_call)                                                        \
    ROUTE_CALL;                                                                          \
    if (unlikely(hooks_off()))                                                           \
    return real_call

/* Declares `t`, the calling thread, or leaves with nothing but the real call. */
#define TRACKED_OR_FORWARD(t, real_call)                                                 \
    struct thread *t = tracked_thread(real);                                             \
    if (unlikely(!t))                                                                    \
    return real_call

#define FORWARD_UNLESS_TRACKED(t, real_call)                                             \
    ROUTE_CALL;                                                                          \
    TRACKED_OR_FORWARD(t, real_call)

/* An exported wrapper; the body in braces follows. With the hooks off it is two tests and a
 * jump to the real function, without a stack frame; else it jumps to the body, which thus
 * finds the caller's return address and frame as its own (HERE). Without optimisation there
 * are no such jumps, and the body is part of the wrapper. */
#define WRAPPER(type, name, parameters, arguments)                                       \
    WRAPPER_ROUTED_BY(__builtin_return_address(0), type, name, parameters, arguments)

/* The same for a construct that hands on an outlined function `fn` (ROUTE_BODY). */
#define WRAPPER_OF_BODY(type, name, parameters, arguments)                               \
    WRAPPER_ROUTED_BY(fn, type, name, parameters, arguments)

#define WRAPPER_ROUTED_BY(address, type, name, parameters, arguments)                    \
    SECOND_HALF type track_##name parameters;                                            \
    type name parameters                                                                 \
    {                                                                                    \
        if (likely(hooks_off()) && hooks_routed((uintptr_t)(address)))                   \
            return hooks_route.real->name arguments;                                     \
        return track_##name arguments;                                                   \
    }                                                                                    \
    SECOND_HALF type track_##name parameters

#ifdef __OPTIMIZE__
#define SECOND_HALF static __attribute__((noipa))
#else
#define SECOND_HALF static inline __attribute__((always_inline))
#endif

#pragma GCC visibility pop

#endif
