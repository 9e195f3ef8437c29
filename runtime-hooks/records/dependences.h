/* SPDX-License-Identifier: MIT
 *
 * What the depend clauses of a task name.
 */
#ifndef OMPD_HOOKS_DEPENDENCES_H
#define OMPD_HOOKS_DEPENDENCES_H

#include "records/records.h"

#pragma GCC visibility push(hidden)

#define DEPENDENCES_NEAR 4  /* these stand beside the task record */
#define DEPENDENCES_MOST 64 /* of more, only the number is recorded */

/* Records what the program handed to the runtime. `near` has room for DEPENDENCES_NEAR.
 */
void dependences_record(struct rec_task *task, void *const *depend,
                        struct rec_dependence *near);

/* The task's record is being given up: so is an array that stands elsewhere. */
void dependences_release(struct rec_task *task);

#pragma GCC visibility pop

#endif
