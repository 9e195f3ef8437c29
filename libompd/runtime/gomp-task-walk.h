/* SPDX-License-Identifier: MIT
 *
 * What the two files share that find all tasks.
 */
#ifndef LIBOMPD_GOMP_TASK_WALK_H
#define LIBOMPD_GOMP_TASK_WALK_H

#include "libompd/runtime/address-set.h"
#include "libompd/runtime/gomp-task.h"

/* What a set of tasks by address keeps of each. */
struct gomp_set_task {
    taddr address;
    uint32_t team;   /* index in the walk's teams */
    uint32_t number; /* of the runner in the team */
    taddr runner;    /* struct gomp_thread of a thread that has begun it, 0: none is known */
    bool is_current; /* it is that thread's current task */
    bool is_shared;  /* several threads have it as ancestor */
};

struct gomp_walk {
    struct instance *instance;
    task_visitor *visit;
    void *arg;
    struct array teams;       /* of struct gomp_team */
    struct address_set tasks; /* explicit ones */
    struct address_set groups;
    bool part; /* tasks may be missing */
    bool done; /* the visitor has had enough */
    enum rc rc;
};

static inline const struct gomp_team *team_of(const struct gomp_walk *walk, uint32_t index)
{
    return (const struct gomp_team *)walk->teams.elements + index;
}

/* gomp-task-queue.c */
struct address_set gomp_set_of(struct instance *instance);

/* Finds a task, or adds it as {address, team}. */
enum rc gomp_set_add(struct address_set *set, taddr task, uint32_t team,
                     struct gomp_set_task **out);

/* Adds the tasks of a queue, and those that a task leads to. */
enum rc gomp_walk_queue(struct gomp_walk *walk, const unsigned char *queue, unsigned pnode,
                        uint32_t team);
enum rc gomp_walk_from(struct gomp_walk *walk, const struct gomp_task *task, uint32_t team);

/* gomp-task-walk.c: gomp_find_runner() where the walk has seen all threads. */
enum rc gomp_walk_runner(struct gomp_walk *walk, struct gomp_located *task);

/* The holder of a team's lock may be between two stores: links are not written yet, lists
 * are freed. What cannot be followed then is left out, and is no damage. */
enum rc gomp_walk_tolerate(struct gomp_walk *walk, uint32_t team, enum rc rc);

#endif
