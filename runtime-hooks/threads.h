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

#define REGION_CLASSES 21 /* teams of up to 2^20 threads */

struct thread {
    struct rec_thread *rec;
    struct region *region;     /* innermost, NULL outside; stale while the thread is idle */
    struct rec_task *creating; /* task whose GOMP_task call this thread is inside of */
    struct rec_task *initial;  /* its initial task, NULL in a worker */
    bool untracked;            /* as THREAD_UNTRACKED */

    /* What it has at hand without taking the lock. */
    struct ids task_ids, region_ids;
    union task *free_tasks;
    unsigned free_task_count;
    struct region *free_regions[REGION_CLASSES];

    struct thread *next_free; /* while no thread has this slot */
};

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

/* What every wrapper asks first: NULL to forward and do nothing else. */
static inline struct thread *tracked_thread(void)
{
    return hooks_on() ? thread_self() : NULL;
}

#endif
