/* SPDX-License-Identifier: MIT
 *
 * The table that gomp-truth-target keeps of its own threads and test-gomp-truth reads
 * from outside, under the name gomp_truths. As churn-truth.h says: it counts while
 * `stable` is not 0.
 */
#ifndef HOST_GOMP_TRUTH_H
#define HOST_GOMP_TRUTH_H

#include <stdint.h>

enum { GOMP_TRUTHS = 256, GOMP_TRUTH_LEVELS = 4 };

enum {
    TRUTH_UNKNOWN = 0,
    TRUTH_WORKS = 1,
    TRUTH_FOREIGN = 2,      /* has never met OpenMP */
    TRUTH_AT_TASKWAIT = 3,  /* about to enter one, or in it and running no other task */
    TRUTH_AT_TASKGROUP = 4, /* likewise the end of one */
    TRUTH_AT_BARRIER = 5,
};

struct gomp_truth {
    volatile uint32_t lwp;
    volatile uint32_t stable;
    volatile uint32_t num, team, level, active_level;
    volatile uint32_t explicit_task;
    volatile uint32_t final;
    volatile uint32_t ancestor[GOMP_TRUTH_LEVELS], size[GOMP_TRUTH_LEVELS];
    volatile uint32_t max_threads, dynamic;
    volatile uint32_t in_target; /* a target region on the host, which starts anew */
    volatile uint32_t reserved;
};

#endif
