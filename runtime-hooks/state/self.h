/* SPDX-License-Identifier: MIT
 *
 * What the calling thread may read of its own records, in signal handlers as well. A
 * handler may have come between any two stores of its thread, and another thread may give
 * up a record that this one's refers to: whatever is followed here is checked by its id.
 */
#ifndef OMPD_HOOKS_SELF_H
#define OMPD_HOOKS_SELF_H

#include "state/globals.h"
#include "state/state.h"

/* The calling thread; NULL while nothing is recorded, and for a thread that has not met a
 * construct or is being registered. */
static inline struct thread *self_known(void)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON ? hooks_self
                                                                           : NULL;
}

/* The runtime that the calling thread is in a region of, or any. */
static inline const struct runtime *self_runtime(void)
{
    const struct thread *t = hooks_self;
    return t ? t->real : globals_runtime;
}

/* It is inside a region of which nothing is known: tracking began, or begins, meanwhile.
 */
static inline bool self_unknown_region(const struct thread *t)
{
    if (t)
        return t->untracked;
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON &&
           globals_runtime->omp_get_level() > 0;
}

/* One load for both: the region's id (0 outside) and, below it, the state. */
static inline uint64_t self_status(const struct thread *t)
{
    return __atomic_load_n(&t->rec->status, __ATOMIC_RELAXED);
}

/* The wait id that goes with a state loaded just before. */
static inline uint64_t self_wait_id(const struct thread *t, uint64_t status)
{
    publish_order();
    return (status & 0xff) >= STATE_WAIT_BARRIER ? t->rec->wait_id : 0;
}

/* The enclosing region at this distance: 0 is the thread's own. NULL beyond the
 * outermost. */
const struct rec_region *self_region(const struct thread *t, unsigned ancestor);

/* The current task at 0, then for each the task below it: what its thread did before, or
 * for a worker's implicit task what met the construct. NULL beyond the initial task, and
 * where a task is no more. */
struct rec_task *self_task(const struct thread *t, unsigned ancestor);
struct rec_task *self_task_below(const struct rec_task *task);

#endif
