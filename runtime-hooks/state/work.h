/* SPDX-License-Identifier: MIT
 *
 * Worksharing constructs: events only, they have no records.
 *
 * Some end without a call. These stay open in the thread until the next call of the same
 * implicit task that must follow the end: a barrier, a worksharing construct or the end
 * of the region.
 */
#ifndef OMPD_HOOKS_WORK_H
#define OMPD_HOOKS_WORK_H

#include "state/events.h"

#pragma GCC visibility push(hidden)

/* The begin of a construct; the second for one that ends without a call. */
void work_begin(struct thread *t, enum work_kind kind, uint64_t count, uintptr_t codeptr);
void work_begin_open(struct thread *t, enum work_kind kind, uint64_t count, uintptr_t codeptr);

/* For a combined construct: the body of the region is that of a worksharing construct. */
static inline void region_works(struct region *r, enum work_kind kind, uint64_t count)
{
    r->work = (int)kind;
    r->work_count = count;
}

/* The iteration count of a loop. */
static inline uint64_t loop_iterations(long start, long end, long incr)
{
    if (!incr || (incr > 0 ? end <= start : end >= start))
        return 0;
    uint64_t distance =
        incr > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
    uint64_t step = incr > 0 ? (uint64_t)incr : -(uint64_t)incr;
    return distance / step + (distance % step != 0);
}

static inline uint64_t loop_iterations_ull(bool up, unsigned long long start,
                                           unsigned long long end, unsigned long long incr)
{
    if (!incr || (up ? end <= start : end >= start))
        return 0;
    uint64_t distance = up ? end - start : start - end;
    uint64_t step = up ? incr : -incr;
    return distance / step + (distance % step != 0);
}

/* The end of the innermost construct; work_close() ends one that is open. */
void work_end(struct thread *t, enum work_kind kind, uintptr_t codeptr);
void work_close(struct thread *t);

#pragma GCC visibility pop

#endif
