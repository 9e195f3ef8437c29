/* SPDX-License-Identifier: MIT
 *
 * The threads that the hooks know: each has a record for readers and a private part.
 */
#ifndef OMPD_HOOKS_THREADS_H
#define OMPD_HOOKS_THREADS_H

#include "hooks.h"
#include "records.h"

/* A range of ids that this thread may give out; see ids_take() in state.h. */
struct ids {
    uint64_t next, end;
};

/* An implicit task whose end is still to be told: a copy, because its record may be another
 * one's by then. */
struct late_end {
    bool pending;
    uint32_t kind; /* of the region: REGION_* */
    uint32_t thread_num;
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
    struct rec_task *creating; /* task whose GOMP_task call this thread is inside of */
    struct rec_task *initial;  /* its initial task, NULL in a worker */
    bool untracked;            /* as THREAD_UNTRACKED */
    bool introduced;           /* tools have heard of it */
    bool telling;              /* it is inside of a tool */

    /* What it has at hand without taking the lock. */
    struct ids task_ids, region_ids;
    union task *free_tasks;
    unsigned free_task_count;
    struct region *free_regions[REGION_CLASSES];

    /* Its second stack, see scratch.h. */
    struct scratch_chunk *scratch;
    char *scratch_start, *scratch_next, *scratch_end;

    /* What only tools need. */
    struct late_end late;
    struct open_work open_work;
    uint64_t cancelled_task; /* id of a task that has met its own cancellation */
    struct frame_words frames[FRAME_LEVELS];
    struct target_words target;

    struct thread *next_free; /* while no thread has this slot */
} __attribute__((aligned(128)));

#pragma GCC visibility push(hidden)

extern __thread struct thread *hooks_self __attribute__((tls_model("initial-exec")));

/* Registers the calling thread, or looks whether an untracked one can be tracked by now.
 * NULL when there is no memory. */
struct thread *thread_self_slow(void);

/* The calling thread, met in a call from user code; NULL when there is no memory. */
static inline struct thread *thread_self(void)
{
    struct thread *t = hooks_self;
    return likely(t && !t->untracked) ? t : thread_self_slow();
}

/* The calling thread, which the runtime has just given an implicit task of a team. */
struct thread *thread_worker(void);

/* Tells tools that the calling thread ends. */
void thread_farewell(struct thread *t);

/* The process ends: lets the calling thread's idle workers end, if it is outside of all
 * regions, and tells tools that it ends itself. */
void threads_dismiss(void);

static inline struct thread *tracked_thread(void)
{
    return hooks_on() ? thread_self() : NULL;
}

/* How every wrapper begins. The first test stands alone so that it is all that happens
 * when the hooks are off: a load, a branch and a jump, with no frame of ours. */
#define FORWARD_IF_OFF(real_call)                                                        \
    if (likely(hooks_off()))                                                             \
    return real_call

/* Declares `t`, the calling thread, or leaves with nothing but the real call. */
#define TRACKED_OR_FORWARD(t, real_call)                                                 \
    struct thread *t = tracked_thread();                                                 \
    if (unlikely(!t))                                                                    \
    return real_call

#define FORWARD_UNLESS_TRACKED(t, real_call)                                             \
    FORWARD_IF_OFF(real_call);                                                           \
    TRACKED_OR_FORWARD(t, real_call)

/* The second half of a wrapper with many arguments, which the compiler would otherwise
 * put on the stack before the first test. It has the parameters of the wrapper, which
 * ends by calling it; so it is jumped to, and HERE is what it is in the wrapper. Without
 * optimisation there are no such jumps; then it is part of the wrapper. */
#ifdef __OPTIMIZE__
#define SECOND_HALF static __attribute__((noipa))
#else
#define SECOND_HALF static inline __attribute__((always_inline))
#endif

#pragma GCC visibility pop

#endif
