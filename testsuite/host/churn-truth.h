/* SPDX-License-Identifier: MIT
 *
 * The table that host-churn-target keeps of its own threads and test-churn reads from
 * outside, under the name churn_truths.
 *
 * An entry is the word of its own thread, written with plain stores: the reader has stopped
 * the writer, so it sees them in program order. It counts only while `stable` is not 0.
 */
#ifndef HOST_CHURN_TRUTH_H
#define HOST_CHURN_TRUTH_H

#include <stdint.h>

enum { CHURN_TRUTHS = 256 };

/* What the thread is about, in `stable`. */
enum {
    CHURN_UNKNOWN = 0,
    CHURN_WORKS = 1,         /* in user code */
    CHURN_AT_CRITICAL = 2,   /* works, or waits for the critical construct in `wait` */
    CHURN_AT_LOCK = 3,       /* works, or waits for the lock in `wait` */
    CHURN_AT_NEST_LOCK = 4,  /* likewise */
    CHURN_AT_BARRIER = 5,    /* works, or waits at a barrier of this region, or is about to
                                run a task that a thread beyond the barrier created */
};

struct churn_truth {
    volatile uint32_t lwp; /* 0: entry not used */
    volatile uint32_t stable;
    volatile uint32_t num, team, level, active_level;
    volatile uint32_t explicit_task; /* the current task is an explicit one */
    volatile uint32_t reserved;
    volatile uint64_t wait;
};

#endif
