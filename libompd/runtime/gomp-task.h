/* SPDX-License-Identifier: MIT
 *
 * What the files about regions, tasks and queues of libgomp share.
 */
#ifndef LIBOMPD_GOMP_TASK_H
#define LIBOMPD_GOMP_TASK_H

#include "libompd/runtime/gomp.h"

/* Programs get no addresses beyond these unless they ask for them. */
enum { GOMP_ADDRESS_BITS = 48 };
#define GOMP_ADDRESS_MASK ((UINT64_C(1) << GOMP_ADDRESS_BITS) - 1)

/* gomp-team.c: the two parts of an id; see gomp.h. */
uint64_t gomp_make_id(taddr address, uint64_t bits);
enum rc gomp_team_bits(const struct space *space, const struct gomp_team *team,
                       uint64_t *out);

/* gomp-task.c: the address of a task's struct gomp_task, 0: it has none. */
taddr gomp_task_struct(struct ref ref);

/* gomp-task.c: the team in which a thread has begun a task and not ended it, and the
 * thread's number there; team->address is 0 outside regions. RC_STALE_HANDLE: it has
 * not. */
enum rc gomp_find_on_thread(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct gomp_team *team, uint32_t *number);

/* gomp-task.c: a task of a region, implicit or explicit, with its team. RC_UNAVAILABLE:
 * it is of none. */
enum rc gomp_read_task_in_region(struct space *space, struct ref ref,
                                 struct gomp_task *task, struct gomp_team *team);

/* gomp-queue.c: the words of a gomp_dependers_vec. */
enum rc gomp_each_depender(const struct space *space, taddr at, element_visitor *visit,
                           void *arg);

/* gomp-task.c: the reference to such a task. RC_STALE_HANDLE: the thread has not begun
 * it. */
enum rc gomp_begun_task_ref(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct ref *out);

/* gomp-task.c: the reference to a task that was come across. RC_UNAVAILABLE: it is just
 * being put somewhere or taken away. */
enum rc gomp_living_task_ref(struct space *space, const struct gomp_team *team,
                             taddr task, taddr runner, struct ref *out);

/* gomp-task.c: as gomp_team_task_ref(); with the thread that has begun an explicit task
 * it need not be searched. */
enum rc gomp_found_task_ref(const struct space *space, const struct gomp_team *team,
                            taddr task, taddr runner, struct ref *out);

#endif
