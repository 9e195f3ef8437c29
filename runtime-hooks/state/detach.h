/* SPDX-License-Identifier: MIT
 *
 * Detachable tasks: maps events to tasks, so that the record of a task outlives its body
 * until the event is fulfilled.
 */
#ifndef OMPD_HOOKS_DETACH_H
#define OMPD_HOOKS_DETACH_H

#include "state/events.h"

#pragma GCC visibility push(hidden)

/* The runtime has created the event of task `id`. Called by the generating or the
 * executing thread, whichever is first; the task may be completed by then. */
void detach_event(struct rec_task *task, uint64_t id, uint64_t event);

/* At the end of the body: SCHEDULE_COMPLETE if the event is fulfilled, else
 * SCHEDULE_DETACH. */
enum schedule detach_leaving(struct rec_task *task);

/* After the switch to the next task: true if the event is fulfilled by now. */
bool detach_body_over(struct thread *t, struct rec_task *task, enum schedule status);

/* The task is cancelled and will never run. */
void detach_discard(const struct rec_task *task);

#pragma GCC visibility pop

#endif
