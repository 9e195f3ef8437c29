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

/* gomp-task-ref.c, whose head says what they mean: marks in the address of a reference.
 */
enum { VIA_SERIAL = 1, VIA_RUNNING = 2, VIA_MASK = 3 };

/* What the id of a reference says. */
taddr gomp_task_address(struct ref ref);

/* The address of a task's struct gomp_task, 0: it has none. */
taddr gomp_task_struct(struct ref ref);

/* The number of a team's implicit task. False: the task is none of the team. */
bool gomp_implicit_index(const struct space *space, const struct gomp_team *team,
                         taddr task, uint32_t *out);

/* The bits in the id of an explicit task. */
uint64_t gomp_explicit_bits(uint64_t team_bits, const struct gomp_task *task);

/* The reference to a task of a thread outside regions. */
struct ref gomp_serial_ref(const struct gomp_thread *thread, taddr task);

/* As gomp_team_task_ref(); with the thread that has begun an explicit task it need not be
 * searched. */
enum rc gomp_found_task_ref(const struct space *space, const struct gomp_team *team,
                            taddr task, taddr runner, struct ref *out);

/* The reference to a task that a thread has begun. RC_STALE_HANDLE: it has not. */
enum rc gomp_begun_task_ref(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct ref *out);

/* gomp-task-begun.c: the team in which a thread has begun a task and not ended it, and
 * the thread's number there; team->address is 0 outside regions. RC_STALE_HANDLE: it has
 * not. */
enum rc gomp_find_on_thread(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct gomp_team *team, uint32_t *number);

/* The task that a thread had begun when it left for its outermost region, or runs. 0:
 * there is no struct gomp_task for it. */
enum rc gomp_serial_task(const struct space *space, const struct gomp_thread *thread,
                         taddr *out);

/* What a thread had begun outside regions, its initial task last. */
enum rc gomp_walk_serial_tasks(const struct space *space,
                               const struct gomp_thread *thread, ref_visitor *visit,
                               void *arg);

/* gomp-task-stand.c: a task and where it stands. */
struct gomp_task_stand {
    struct gomp_task task;
    struct gomp_team team;
    struct gomp_thread thread;
    bool in_region;
    bool has_thread;
    uint32_t number; /* of the thread in the team */
};
enum rc gomp_stand_task(struct space *space, struct ref ref, struct gomp_task_stand *out);

/* The member of the team that has begun the task, if there is one: fills in the thread.
 */
enum rc gomp_find_runner(struct space *space, struct gomp_task_stand *stand);

/* Is the member that a begun explicit task was found on the one that has begun it? Others
 * that run children of the task have it above them, too: it is the one that runs it now,
 * or else the only one. Fills in the thread where that is another. */
enum rc gomp_settle_runner(struct space *space, struct gomp_task_stand *stand,
                           bool *certain);

/* A task of a region, implicit or explicit, with its team. RC_UNAVAILABLE: it is of
 * none. */
enum rc gomp_read_task_in_region(struct space *space, struct ref ref,
                                 struct gomp_task *task, struct gomp_team *team);

/* The reference to a task that was come across. RC_UNAVAILABLE: it is just being put
 * somewhere or taken away. */
enum rc gomp_living_task_ref(struct space *space, const struct gomp_team *team,
                             taddr task, taddr runner, struct ref *out);

/* gomp-queue.c: the words of a gomp_dependers_vec. */
enum rc gomp_each_depender(const struct space *space, taddr at, element_visitor *visit,
                           void *arg);

#endif
