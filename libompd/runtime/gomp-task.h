/* SPDX-License-Identifier: MIT
 *
 * Tasks of a stock libgomp.
 */
#ifndef LIBOMPD_GOMP_TASK_H
#define LIBOMPD_GOMP_TASK_H

#include "libompd/runtime/gomp.h"

struct gomp_task {
    taddr address;
    taddr parent, taskgroup, taskwait, dependers;
    taddr fn, fn_data;
    uint64_t depend_count, num_dependees;
    uint32_t kind;
    bool final;
    struct gomp_bytes bytes;
};
/* gomp-read.c. RC_NONSENSE: no task is there. */
enum rc gomp_read_task(const struct instance *instance, taddr address, struct gomp_task *out);

/* Programs get no addresses beyond these unless they ask for them. */
/* gomp-team.c: the upper part of an id; see gomp.h. */
enum rc gomp_team_bits(const struct instance *instance, const struct gomp_team *team,
                       uint64_t *out);

/* gomp-task-ref.c: marks in the address of a reference, in low bits. */
enum { REF_SERIAL = 1, REF_RUNNING = 2, REF_MARKS = 3 };

/* The address of its struct gomp_task, 0: it has none. */
taddr gomp_task_struct(const struct instance *instance, struct ref ref);

/* The number of a team's implicit task. False: the task is none of the team's. */
bool gomp_implicit_index(const struct instance *instance, const struct gomp_team *team, taddr task,
                         uint32_t *out);

/* The bits in the id of an explicit task. */
uint64_t gomp_explicit_bits(uint64_t team_bits, const struct gomp_task *task);

/* The reference to a task of a thread outside regions. */
struct ref gomp_serial_ref(const struct instance *instance, const struct gomp_thread *thread,
                           taddr task);

/* The reference to a task of a team, found by the team. */
enum rc gomp_team_task_ref(const struct instance *instance, const struct gomp_team *team,
                           taddr task, struct ref *out);

/* The reference to a thread's current task. RC_UNAVAILABLE: it has none. */
enum rc gomp_current_task_ref(const struct instance *instance, const struct gomp_thread *thread,
                              enum gomp_thread_kind kind, const struct gomp_team *team,
                              struct ref *out);

/* The one reference by which answers name a task of a team, or one that a thread has begun
 * (RC_STALE_HANDLE: it has not). RC_UNAVAILABLE: the task is being linked or
 * unlinked. */
enum rc gomp_task_ref(struct instance *instance, const struct gomp_team *team, taddr task,
                      struct ref *out);
enum rc gomp_begun_task_ref(struct instance *instance, const struct gomp_thread *thread, taddr task,
                            struct ref *out);

/* gomp-ancestors.c */
struct gomp_ancestors gomp_ancestors_of(const struct gomp_thread *thread);
/* Reads the task and moves to its parent. RC_STALE_HANDLE: that is another thread's, or
 * its team is being made. */
enum rc gomp_next_ancestor(const struct instance *instance, struct gomp_ancestors *at,
                           struct gomp_task *out);

/* The team in which a thread has begun a task, and its number there; team->address is 0
 * outside regions. RC_STALE_HANDLE: it has not begun the task. */
enum rc gomp_find_ancestor(const struct instance *instance, const struct gomp_thread *thread,
                           taddr task, struct gomp_team *team, uint32_t *number);

/* The innermost of the tasks that a thread has begun outside regions. 0: an initial task
 * without a struct. RC_STALE_HANDLE: the thread leads no outermost team. */
enum rc gomp_find_serial_task(const struct instance *instance, const struct gomp_thread *thread,
                              taddr *out);

/* All of them, the initial task last. */
enum rc gomp_walk_serial_tasks(const struct instance *instance, const struct gomp_thread *thread,
                               ref_visitor *visit, void *arg);

/* gomp-task-locate.c: a task that a reference names. */
struct gomp_located {
    struct gomp_task task; /* zeros for an initial task without a struct */
    struct gomp_team team;
    struct gomp_thread thread;
    bool in_region;
    bool is_implicit;
    bool has_thread;
    bool is_certain; /* of an explicit task's thread */
    uint32_t number; /* of the thread, or of an implicit task, in the team */
};
/* RC_STALE_HANDLE: the task has ended. The thread is filled in where that is known from
 * the reference alone. */
enum rc gomp_locate_task(struct instance *instance, struct ref ref, struct gomp_located *out);

/* Fills in the thread that has begun the task, if there is one. */
enum rc gomp_locate_thread(struct instance *instance, struct gomp_located *task);

/* gomp-runner.c: the member of task->team that has begun the explicit task. Others that
 * run children of the task have it as ancestor, too: certain is the one whose current task
 * it is, or the only one. */
enum rc gomp_find_runner(struct instance *instance, struct gomp_located *task);

/* gomp-task.c */
enum rc gomp_encountering_ref(struct instance *instance, const struct gomp_team *team,
                              struct ref_fact *out);
enum rc gomp_task(struct instance *instance, struct ref ref, struct task_facts *out);

/* gomp-wait.c: is a task asleep in a taskwait or at the end of a taskgroup? */
enum rc gomp_task_state(const struct instance *instance, taddr task, enum state otherwise,
                        struct fact *out);

/* gomp-depend.c */
enum rc gomp_walk_dependers(struct instance *instance, struct ref task, depender_visitor *visit,
                            void *arg);
/* The tasks of a gomp_dependers_vec, by address. */
typedef bool gomp_depender_visitor(void *arg, taddr task);
enum rc gomp_each_depender(const struct instance *instance, taddr at, gomp_depender_visitor *visit,
                           void *arg);

/* gomp-task-walk.c: initial tasks, and explicit tasks that have not completed. */
enum rc gomp_each_task(struct instance *instance, task_visitor *visit, void *arg);

#endif
