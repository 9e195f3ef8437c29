/* SPDX-License-Identifier: MIT
 *
 * What must hold of a snapshot taken at any instruction of churn-target.
 */
#ifndef HOST_CHURN_CHECK_H
#define HOST_CHURN_CHECK_H

#include "snapshot.h"
#include "truth.h"

/* Addresses in the target that waits may name. */
struct churn_words {
    uint64_t truths, lock, nest_lock, critical;
};
bool churn_words_of(struct target *target, struct churn_words *words);

struct churn_tally {
    unsigned long faults;
    unsigned long threads; /* OpenMP threads looked at */
    unsigned long settled; /* of those, held against their own word */
    unsigned long waiting; /* of those, in a wait state */
    unsigned long idle;
    unsigned long nested;      /* in a region that has a parent */
    unsigned long in_explicit; /* in an explicit task */
    unsigned long opening;     /* masters between a region's opening and its body, or after */
};

/* Prints each fault as a TAP comment that begins with `where`. */
void churn_check(const struct snapshot *snapshot, const struct churn_words *words,
                 const char *where, struct churn_tally *tally);

#endif
