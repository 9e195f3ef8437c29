/* SPDX-License-Identifier: MIT
 *
 * Detachable tasks: which event belongs to which, so that a task whose body is over stays
 * known until its event is fulfilled.
 */
#ifndef OMPD_HOOKS_DETACH_H
#define OMPD_HOOKS_DETACH_H

#include "state/events.h"

#pragma GCC visibility push(hidden)

/* The runtime has given the task `id` its event. Called as soon as somebody may see it,
 * by whoever sees it first; the task may be over by then. */
void detach_event(struct rec_task *task, uint64_t id, uint64_t event);

/* The body of a detachable task is over: SCHEDULE_COMPLETE if so is the task. If not, it
 * is open until the thread has left it. */
enum schedule detach_leaving(struct rec_task *task);

/* The thread has left the body of the task: true if the task is over by now. */
bool detach_body_over(struct thread *t, struct rec_task *task, enum schedule status);

/* The task will never run. */
void detach_discard(const struct rec_task *task);

#pragma GCC visibility pop

#endif
