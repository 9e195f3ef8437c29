/* SPDX-License-Identifier: MIT
 *
 * The table that a program keeps of its own threads (truth-entry.h) and a test reads from
 * outside: churn_truths of churn-target, gomp_truths of gomp-truth-target, one of each
 * runtimes-module.
 *
 * An entry is the word of its own thread, written with plain stores: the reader has stopped
 * the writer, so it sees them in program order. It counts only while `stable` is not 0.
 */
#ifndef HOST_TRUTH_H
#define HOST_TRUTH_H

#include <stdint.h>

enum { TRUTHS = 256, TRUTH_LEVELS = 4 };

/* What the thread is about, in `stable`. */
enum {
    TRUTH_UNKNOWN = 0,
    TRUTH_WORKS = 1,        /* in user code */
    TRUTH_FOREIGN = 2,      /* has never met OpenMP */
    TRUTH_AT_TASKWAIT = 3,  /* about to enter one, or in it and running no other task */
    TRUTH_AT_TASKGROUP = 4, /* likewise the end of one */
    TRUTH_AT_BARRIER = 5,   /* works, or waits at a barrier of this region, or is about to
                               run a task that a thread beyond the barrier created */
    TRUTH_AT_CRITICAL = 6,  /* works, or waits for the critical construct in `wait` */
    TRUTH_AT_LOCK = 7,      /* works, or waits for the lock in `wait` */
    TRUTH_AT_NEST_LOCK = 8, /* likewise */
};

struct truth {
    volatile uint32_t lwp; /* 0: entry not used */
    volatile uint32_t stable;
    volatile uint32_t num, team, level, active_level;
    volatile uint32_t explicit_task; /* the current task is an explicit one */
    volatile uint32_t final;
    volatile uint32_t ancestor[TRUTH_LEVELS], size[TRUTH_LEVELS];
    volatile uint32_t max_threads, dynamic;
    volatile uint32_t in_target; /* or about to be: a target region on the host; 1 + the number that
                                    it has in the team which it keeps its place in */
    volatile uint32_t reserved;
    volatile uint64_t wait; /* of churn-target */
};

#endif
