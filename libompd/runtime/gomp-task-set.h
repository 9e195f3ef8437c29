/* SPDX-License-Identifier: MIT
 *
 * A set of tasks by address, in the order in which they were added.
 */
#ifndef LIBOMPD_GOMP_TASK_SET_H
#define LIBOMPD_GOMP_TASK_SET_H

#include "libompd/runtime/gomp.h"

struct gomp_set_task {
    taddr address;
    uint32_t team;   /* index in the walk's teams */
    uint32_t number; /* of the runner in the team */
    taddr runner; /* struct gomp_thread of a thread that has begun it, 0: none is known */
    bool is_current; /* it is that thread's current task */
    bool is_shared;  /* several threads have it as ancestor */
};

struct gomp_task_set {
    struct instance *instance;
    struct gomp_set_task *task;
    uint32_t count, room;
    uint32_t *slot; /* hash table of indices + 1, 0: free; twice as large as room */
};

/* Finds a task, or adds it as {address, team}. RC_NOMEM; RC_NONSENSE: more than
 * GOMP_TASKS_MAX; RC_INCOMPLETE: the query has taken all its steps. */
enum rc gomp_set_add(struct gomp_task_set *set, taddr task, uint32_t team,
                     struct gomp_set_task **out);
void gomp_set_free(struct gomp_task_set *set);

#endif
