/* SPDX-License-Identifier: MIT
 *
 * The ICVs that belong to a data environment. Where they change - at an initial task, in
 * a region, after a call that sets one - the runtime is asked; everywhere else a task has
 * the set of the task that made it.
 */
#ifndef OMPD_HOOKS_ICVS_H
#define OMPD_HOOKS_ICVS_H

#include "state/state.h"

#pragma GCC visibility push(hidden)

/* Before any of the others, when tracking begins. */
void icvs_start(const struct runtime *real);

/* The set that the runtime has for an initial task, which the calling thread runs. Like
 * the others it answers 0 when there is no room for another set. */
uintptr_t icvs_of_initial_task(const struct runtime *real);

/* That of the implicit tasks of a region, asked for by its master inside of it. */
uintptr_t icvs_of_region(const struct region *r);

/* The same with the place partition of the calling thread, for which `icvs` holds. */
uintptr_t icvs_in_partition(const struct runtime *real, uintptr_t icvs);

/* True when partitions may differ from thread to thread. */
extern bool icvs_have_places;

/* A call has set some ICV of the calling thread's current task. */
void icvs_changed(struct thread *t, const struct runtime *real);

/* The program has set its default device: only then may the runtime be asked for it. */
extern bool icvs_device_set;

#pragma GCC visibility pop

#endif
