/* SPDX-License-Identifier: MIT
 *
 * All initial and explicit tasks of a stock libgomp, which has no list of them:
 *
 *   - what a thread has begun are the ancestors of its current task
 *   - what has not begun is in a queue of its parent, its taskgroup and its team
 *   - what waits for another task is in the list of dependers of that task
 *
 * One pass over the threads finds the teams and the tasks that have begun. From the teams'
 * queues, the implicit tasks, and each task found, the others follow.
 */
#include "libompd/runtime/gomp-task-walk.h"

/* The index of a team. Most are known from the thread before. */
static enum rc add_team(struct gomp_walk *walk, const struct gomp_team *team, uint32_t *out)
{
    enum { COMPARISONS_PER_STEP = 16 };
    enum rc rc = gomp_take_steps(walk->instance, walk->teams.count / COMPARISONS_PER_STEP);
    if (rc != RC_OK)
        return rc;
    for (size_t i = walk->teams.count; i > 0; i--) {
        *out = (uint32_t)i - 1;
        if (team_of(walk, *out)->address == team->address)
            return RC_OK;
    }
    if (walk->teams.count == GOMP_THREADS_MAX)
        return RC_NONSENSE;
    *out = (uint32_t)walk->teams.count;
    return array_add(&walk->teams, team);
}

static enum rc add_teams(struct gomp_walk *walk, const struct gomp_thread *thread)
{
    struct gomp_nesting at = gomp_innermost(thread);
    while (gomp_is_in_team(&at)) {
        struct gomp_team team;
        uint32_t unused;
        size_t known = walk->teams.count;
        enum rc rc = gomp_next_team(walk->instance, &at, &team);
        if (rc == RC_OK)
            rc = add_team(walk, &team, &unused);
        if (rc != RC_OK || walk->teams.count == known) /* it and those around it */
            return rc;
    }
    return RC_OK;
}

/* The explicit tasks that a thread has begun in regions. */
static enum rc add_begun(struct gomp_walk *walk, const struct gomp_thread *thread)
{
    struct gomp_ancestors at = gomp_ancestors_of(thread);
    uint32_t team = 0;
    while (at.task && gomp_is_in_team(&at.nesting)) {
        struct gomp_nesting nesting = at.nesting;
        taddr address = at.task;
        struct gomp_task task;
        struct gomp_set_task *added;
        enum rc rc = gomp_next_ancestor(walk->instance, &at, &task);
        if (rc != RC_OK)
            return rc;
        if (task.kind == GOMP_KIND_IMPLICIT)
            continue;
        taddr team_address = nesting.team;
        if (!walk->teams.count || team_of(walk, team)->address != team_address) {
            struct gomp_team object;
            rc = gomp_next_team(walk->instance, &nesting, &object);
            if (rc == RC_OK)
                rc = add_team(walk, &object, &team);
        }
        if (rc == RC_OK)
            rc = gomp_set_add(&walk->tasks, address, team, &added);
        if (rc != RC_OK)
            return rc;
        bool is_current = address == thread->task;
        added->is_shared = added->runner != 0;
        if (!added->runner || is_current) {
            added->runner = thread->address;
            added->number = at.nesting.number;
            added->is_current = is_current;
        }
    }
    return RC_OK;
}

static bool visit_serial(void *arg, struct ref ref)
{
    struct gomp_walk *walk = arg;
    struct task_facts facts;
    enum rc rc = gomp_task(walk->instance, ref, &facts);
    if (rc == RC_OK)
        walk->done = !walk->visit(walk->arg, ref, &facts);
    else if (rc_is_damage(rc))
        walk->part = true;
    else if (rc != RC_STALE_HANDLE)
        walk->rc = rc;
    return walk->rc == RC_OK && !walk->done;
}

static bool visit_thread(void *arg, const struct gomp_thread *thread)
{
    struct gomp_walk *walk = arg;
    struct gomp_team team;
    enum gomp_thread_kind kind;
    enum rc rc = gomp_classify_thread(walk->instance, thread, &kind, &team);
    if (rc == RC_OK && (kind == GOMP_INITIAL || (kind == GOMP_MEMBER && !thread->team_id)))
        rc = gomp_walk_serial_tasks(walk->instance, thread, visit_serial, walk);
    if (rc == RC_OK && walk->rc == RC_OK && kind == GOMP_MEMBER)
        rc = add_teams(walk, thread);
    if (rc == RC_OK && walk->rc == RC_OK && (kind == GOMP_MEMBER || kind == GOMP_IN_TRANSITION)) {
        rc = add_begun(walk, thread);
        if (kind == GOMP_IN_TRANSITION && rc_is_damage(rc))
            rc = RC_OK;
    }
    if (rc_is_damage(rc))
        walk->part = true;
    else if (rc != RC_OK && rc != RC_STALE_HANDLE)
        walk->rc = rc;
    return walk->rc == RC_OK && !walk->done;
}

static enum rc add_of_team(struct gomp_walk *walk, uint32_t index)
{
    struct gomp_team team = *team_of(walk, index);
    struct instance *instance = walk->instance;
    struct gomp_bytes queue;
    enum rc rc =
        gomp_fetch(instance, GOMP_STRUCT_priority_queue,
                   team.address + gomp_offset(instance, GOMP_gomp_team_task_queue), &queue);
    if (rc == RC_OK)
        rc = gomp_walk_queue(walk, queue.bytes, GOMP_PNODE_TEAM, index);
    for (uint32_t i = 0; rc == RC_OK && i < team.nthreads; i++) {
        struct gomp_task implicit;
        bool is_made;
        rc = gomp_has_implicit_task(instance, &team, i, &is_made);
        if (rc == RC_OK && is_made)
            rc = gomp_read_task(instance, gomp_implicit_task(instance, &team, i), &implicit);
        if (rc == RC_OK && is_made)
            rc = gomp_walk_from(walk, &implicit, index);
    }
    return gomp_walk_tolerate(walk, index, rc);
}

/* The set grows meanwhile. */
static enum rc add_all(struct gomp_walk *walk)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < walk->teams.count; i++)
        rc = add_of_team(walk, i);
    for (uint32_t i = 0; rc == RC_OK && i < walk->tasks.count; i++) {
        struct gomp_set_task found = *(struct gomp_set_task *)address_set_at(&walk->tasks, i);
        struct gomp_task task;
        rc = gomp_read_task(walk->instance, found.address, &task);
        if (rc == RC_OK && task.kind == GOMP_KIND_IMPLICIT)
            rc = RC_NONSENSE;
        rc = rc == RC_OK ? gomp_walk_from(walk, &task, found.team)
                         : gomp_walk_tolerate(walk, found.team, rc);
    }
    return rc;
}

enum rc gomp_walk_runner(struct gomp_walk *walk, struct gomp_located *task)
{
    const struct gomp_set_task *found = address_set_find(&walk->tasks, task->task.address);
    task->has_thread = false;
    if (!found || !found->runner || team_of(walk, found->team)->address != task->team.address)
        return RC_OK;
    enum rc rc = gomp_read_thread_at(walk->instance, found->runner, &task->thread);
    task->has_thread = rc == RC_OK;
    task->is_certain = found->is_current || !found->is_shared;
    task->number = found->number;
    return rc;
}

/* One between a queue and the thread that took it is left out. */
static enum rc visit_all(struct gomp_walk *walk)
{
    for (uint32_t i = 0; i < walk->tasks.count; i++) {
        const struct gomp_set_task *found = address_set_at(&walk->tasks, i);
        struct task_facts facts;
        struct ref ref;
        enum rc rc =
            gomp_task_ref(walk->instance, team_of(walk, found->team), found->address, &ref);
        if (rc == RC_OK)
            rc = gomp_task(walk->instance, ref, &facts);
        if (rc == RC_OK && !walk->visit(walk->arg, ref, &facts))
            return RC_OK;
        if (rc_is_damage(rc))
            walk->part = true;
        else if (rc != RC_OK && rc != RC_STALE_HANDLE && rc != RC_UNAVAILABLE)
            return rc;
    }
    return RC_OK;
}

enum rc gomp_each_task(struct instance *instance, task_visitor *visit, void *arg)
{
    struct gomp_walk walk = {
        .instance = instance,
        .visit = visit,
        .arg = arg,
        .teams = array_of(instance->space->ops, sizeof(struct gomp_team)),
        .tasks = gomp_set_of(instance),
        .groups = gomp_set_of(instance),
    };
    enum rc rc = gomp_walk_known(instance, visit_thread, &walk, &walk.part);
    if (rc == RC_OK)
        rc = walk.rc;
    if (rc == RC_OK && !walk.done)
        rc = add_all(&walk);
    if (rc == RC_OK && !walk.done) {
        gomp_state(instance)->walk = walk.part ? NULL : &walk;
        rc = visit_all(&walk);
        gomp_state(instance)->walk = NULL;
    }
    array_free(&walk.teams);
    address_set_free(&walk.tasks);
    address_set_free(&walk.groups);
    return rc == RC_OK && walk.part ? RC_INCOMPLETE : rc;
}
