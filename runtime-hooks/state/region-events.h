/* SPDX-License-Identifier: MIT
 *
 * Events of regions and implicit tasks for consumers.
 */
#ifndef OMPD_HOOKS_REGION_EVENTS_H
#define OMPD_HOOKS_REGION_EVENTS_H

#include "state/events.h"

#pragma GCC visibility push(hidden)

/* Called by the functions of the same name without `notify_`, if any event is wanted. */
void notify_region_begin(struct thread *t, struct region *r);
void notify_region_end(struct thread *t, struct region *r);
void notify_implicit_begin(struct thread *t, struct region *r, struct rec_task *task);
void notify_implicit_end(struct thread *t, const struct region *r, uintptr_t codeptr);

void notify_awake(struct thread *t);

#pragma GCC visibility pop

#endif
