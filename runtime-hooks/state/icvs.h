/* SPDX-License-Identifier: MIT
 *
 * ICVs with data environment scope. The runtime is queried where they may change: at an
 * initial task, in a region, and after a routine that sets one. Otherwise a task inherits
 * the set of its generating task.
 */
#ifndef OMPD_HOOKS_ICVS_H
#define OMPD_HOOKS_ICVS_H

#include "state/state.h"

#pragma GCC visibility push(hidden)

/* When recording starts, before any of the others. */
void icvs_start(const struct runtime *real);

/* The address of the set of an initial task, on the thread that executes it. Like the
 * others it returns 0 if there is no room for another set. */
uintptr_t icvs_of_initial_task(const struct runtime *real);

/* The set of the implicit tasks of a region; called by its primary thread in the
 * region. */
uintptr_t icvs_of_region(const struct region *r);

/* `icvs` with the place partition of the calling thread. */
uintptr_t icvs_in_partition(const struct runtime *real, uintptr_t icvs);

/* Place partitions may differ between threads. */
extern bool icvs_have_places;

/* After a routine that may have set an ICV of the current task. */
void icvs_changed(struct thread *t, const struct runtime *real);

/* The program has set the default device. Before, omp_get_default_device() is not called,
 * as it may initialize the devices. */
extern bool icvs_device_set;

#pragma GCC visibility pop

#endif
