/* SPDX-License-Identifier: MIT
 *
 * Depend clauses of a task.
 */
#ifndef OMPD_HOOKS_DEPENDENCES_H
#define OMPD_HOOKS_DEPENDENCES_H

#include "records/records.h"

#pragma GCC visibility push(hidden)

#define DEPENDENCES_NEAR 4  /* stored beside the task record */
#define DEPENDENCES_MOST 64 /* of more, only the number is recorded */

/* Decodes the argument of the real call. `near` has room for DEPENDENCES_NEAR. */
void dependences_record(struct rec_task *task, void *const *depend, struct rec_dependence *near);

/* Room for the items, of which so many are held; NULL: none are. */
struct rec_dependence *dependences_room(struct rec_task *task, uint32_t count,
                                        struct rec_dependence *near, uint32_t *held);

/* `array` is filled in. */
static inline void dependences_publish(struct rec_task *task, const struct rec_dependence *array,
                                       uint32_t held)
{
    task->dependences = (uintptr_t)array;
    task->dependences_held = held;
}

/* Releases an array that is not `near`, with the task's record. */
void dependences_release(struct rec_task *task);

#pragma GCC visibility pop

#endif
