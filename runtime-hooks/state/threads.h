/* SPDX-License-Identifier: MIT
 *
 * Registered threads: each has a record for readers and a private part.
 */
#ifndef OMPD_HOOKS_THREADS_H
#define OMPD_HOOKS_THREADS_H

#include "core/hooks.h"
#include "records/records.h"

/* A range of ids reserved for a thread; see ids_take() in state.h. */
struct ids {
    uint64_t next, end;
};

/* The threads that the runtime keeps for the outermost teams of a thread. A target region
 * has a pool of its own, which ends with it. */
struct pool {
    uint32_t id;   /* 0 outside of target regions */
    uint32_t size; /* of the last team with workers; the runtime ends threads beyond that */
};

/* An implicit task whose end has not been reported: a copy, as its record may be
 * reused. */
struct late_end {
    bool pending;
    uint32_t kind; /* of the region: REGION_* */
    uint32_t level;
    uint32_t thread_num;
    uint32_t pool_id; /* of the primary thread, `owner` */
    struct thread *owner;
    uint64_t owner_id;
    struct rec_task *task;
    uint64_t task_id, region_id;
    uint64_t tool_data;
    uintptr_t codeptr;
};

/* A worksharing construct that ends without a call (work.h); kind 0: none. */
struct open_work {
    int kind;
    uint64_t task_id;
    uint64_t count;
    uintptr_t codeptr;
};

/* The frames of the thread's tasks for tools, the current one first; laid out as
 * ompt_frame_t. Tasks beyond the last share it. */
#define FRAME_LEVELS 16
struct frame_words {
    uint64_t exit, enter;
    int exit_flags, enter_flags;
};

/* The target constructs in which the thread is. */
#define TARGET_LEVELS 4
struct target_level {
    uint64_t id, data;
    int device;
};
struct target_words {
    unsigned depth;
    struct target_level level[TARGET_LEVELS];
};

/* What the record of the thread has of the target construct that it is in. */
struct target_state {
    uint32_t target, device;
    uintptr_t codeptr;
    uint64_t since;
};

/* Ids of the mappings that a construct has made: from, and the next one. */
struct mapping_ids {
    uint64_t first, end;
};

/* The devices of the target data constructs in which the thread is: as tools have each, and as
 * thread.target_device. */
struct target_data {
    unsigned depth;
    struct target_device {
        int number;
        uint32_t recorded;
    } device[TARGET_LEVELS];
    struct mapping_ids made[TARGET_LEVELS];
};

#define REGION_CLASSES 21 /* teams of up to 2^20 threads */

/* The private part. 128-byte aligned: adjacent-line prefetch would cause false
 * sharing. */
struct thread {
    struct rec_thread *rec;
    uint64_t id;                /* copy: other threads write the record's cache line */
    uint32_t seq;               /* likewise */
    struct region *region;      /* innermost, NULL outside; stale while the thread is idle */
    const struct runtime *real; /* that of the region, outside of the first call */
    struct rec_task *creating;  /* the task of an unfinished GOMP_task call */
    struct rec_task *initial;   /* its initial task, NULL in a worker */
    bool untracked;             /* as THREAD_UNTRACKED */
    uint32_t unrecorded;        /* regions reported by OMPT that it is in and that have no record */
    uint64_t tracked_status;    /* of the record, before the outermost of these */
    bool expects_initial;       /* OMPT has reported the thread and not yet its initial task */
    bool reported;              /* thread_begin has been raised */
    bool in_callback;           /* of a consumer */
    enum {
        MUTEX_UNWATCHED, /* mutex_wait is not wanted */
        MUTEX_FREE,
        MUTEX_HELD,
    } contention; /* of the mutex that is being acquired */

    /* Pools that need no lock. */
    struct ids task_ids, region_ids;
    union task *free_tasks;
    unsigned free_task_count;
    struct region *free_regions[REGION_CLASSES];

    /* For consumers. */
    struct late_end late;
    struct open_work open_work;
    uint64_t cancelled_task; /* id of a task that has been cancelled */
    uint64_t ordered_region; /* in which it was last in an ordered construct, or awaited one */
    struct frame_words frames[FRAME_LEVELS];
    struct target_words target;
    struct target_data target_data;
    unsigned reported_targets;           /* by OMPT, in which it is */
    struct target_state outside_targets; /* before the outermost of these */
    struct pool pool;
    uint32_t last_pool;
    body_fn target_body;  /* of the target region that is executed on the host, or NULL */
    uint64_t target_task; /* id of the task that encountered its construct, else 0 */

    struct history *history; /* its flight recorder, kept for the next thread in this place */
    struct sums *sums;       /* likewise */

    struct held_locks *held_locks; /* of OMP_OMPD=orders; likewise */

    void *crash_stack; /* for handlers of crash.c; likewise */

    struct thread *next_free; /* in the list of free slots */
} __attribute__((aligned(128)));

#pragma GCC visibility push(hidden)

extern __thread struct thread *hooks_self __attribute__((tls_model("initial-exec")));

/* Registers the calling thread, or starts to track it if its region has ended. NULL
 * without memory. */
struct thread *thread_self_slow(const struct runtime *real);

/* The calling thread, in a call of this runtime; NULL without memory. */
static inline struct thread *thread_self(const struct runtime *real)
{
    struct thread *t = hooks_self;
    return likely(t && !t->untracked) ? t : thread_self_slow(real);
}

/* The calling thread, or NULL if it is not tracked. */
static inline struct thread *thread_known(void)
{
    struct thread *t = hooks_self;
    return likely(t && !t->untracked) ? t : NULL;
}

/* The calling thread, a new member of a team. */
struct thread *thread_worker(const struct runtime *real);

/* Registers the calling thread, which is outside of all regions, without a call of the
 * runtime: that is being initialized. */
struct thread *thread_initial(const struct runtime *real);

/* When recording starts. */
void threads_start(void);

/* The runtime is in use, so a debugger knows its library: from here on it is notified of threads that
 * begin, and now of the calling one, if that has been registered before. */
void threads_announce(void);

/* In the child of a fork, under the hooks lock: only the calling thread exists there, with a new
 * kernel id. */
void threads_forked(void);

/* Raises the last events of the calling thread. */
void thread_report_end(struct thread *t);

/* Before the tool is finalized. Outside of regions and callbacks, raises the last events
 * of the calling thread; waits with a timeout for threads that are ending. If the process
 * ends, its idle workers are ended first; otherwise they keep their threadprivate
 * variables. */
void threads_finalize(bool process_ends);

static inline struct thread *tracked_thread(const struct runtime *real)
{
    return hooks_on(real) ? thread_self(real) : NULL;
}

/* Declares `real`, the caller's runtime; only forwards if the mode is off. */
#define FORWARD_IF_OFF(real_call)                                                                  \
    ROUTE_CALL;                                                                                    \
    if (unlikely(hooks_off()))                                                                     \
    return real_call

/* Declares `t`, the calling thread; only forwards if it is not tracked. */
#define TRACKED_OR_FORWARD(t, real_call)                                                           \
    struct thread *t = tracked_thread(real);                                                       \
    if (unlikely(!t))                                                                              \
    return real_call

#define FORWARD_UNLESS_TRACKED(t, real_call)                                                       \
    ROUTE_CALL;                                                                                    \
    TRACKED_OR_FORWARD(t, real_call)

/* An exported wrapper; the body in braces follows. With the hooks off it is two tests and
 * a tail call of the real function, else a tail call of the body, whose return address
 * and frame are thus the caller's (HERE). Without optimization there are no tail calls,
 * and the body is inlined.
 *
 * What has a frame between the program's and the runtime's is called ompd_hooks_*: in a
 * stack that nobody filters it is seen whose it is. There is one such frame for each call
 * of the runtime, and for each call of the program by the runtime. */
#define WRAPPER(type, name, parameters, arguments)                                                 \
    WRAPPER_ROUTED_BY(__builtin_return_address(0), type, name, parameters, arguments)

/* The same for a construct with an outlined function `fn` (ROUTE_BODY). */
#define WRAPPER_OF_BODY(type, name, parameters, arguments)                                         \
    WRAPPER_ROUTED_BY(fn, type, name, parameters, arguments)

#define WRAPPER_ROUTED_BY(address, type, name, parameters, arguments)                              \
    SECOND_HALF type ompd_hooks_##name parameters;                                                 \
    type name parameters                                                                           \
    {                                                                                              \
        if (likely(hooks_off()) && hooks_routed((uintptr_t)(address)))                             \
            return hooks_route.real->name arguments;                                               \
        return ompd_hooks_##name arguments;                                                        \
    }                                                                                              \
    SECOND_HALF type ompd_hooks_##name parameters

#ifdef __OPTIMIZE__
#define SECOND_HALF static __attribute__((noipa))
#else
#define SECOND_HALF static inline __attribute__((always_inline))
#endif

#pragma GCC visibility pop

#endif
