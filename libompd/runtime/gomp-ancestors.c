/* SPDX-License-Identifier: MIT
 *
 * The tasks that a thread of a stock libgomp has begun and not ended: from its current
 * task through its parents, and from the implicit task of a primary thread to the task
 * that encountered the region.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

struct gomp_ancestors gomp_ancestors_of(const struct gomp_thread *thread)
{
    return (struct gomp_ancestors){.task = thread->task, .nesting = gomp_innermost(thread)};
}

enum rc gomp_next_ancestor(const struct instance *instance, struct gomp_ancestors *at,
                           struct gomp_task *out)
{
    if (!cycle_advance(&at->cycle, at->task, GOMP_TASKS_MAX))
        return RC_NONSENSE;
    enum rc rc = gomp_read_task(instance, at->task, out);
    if (rc != RC_OK)
        return rc;
    at->task = out->parent;
    if (out->kind != GOMP_KIND_IMPLICIT || !at->nesting.level)
        return RC_OK;
    struct gomp_team team;
    uint32_t number = at->nesting.number;
    bool is_made = false;
    rc = at->nesting.team ? gomp_next_team(instance, &at->nesting, &team) : RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = gomp_has_implicit_task(instance, &team, 0, &is_made);
    return rc == RC_OK && (number || !is_made) ? RC_STALE_HANDLE : rc;
}

/* Moves to an ancestor. */
static enum rc move_to(const struct instance *instance, struct gomp_ancestors *at, taddr task)
{
    enum rc rc = RC_OK;
    struct gomp_task unused;
    while (rc == RC_OK && at->task && at->task != task)
        rc = gomp_next_ancestor(instance, at, &unused);
    if (rc == RC_OK && !at->task)
        rc = RC_STALE_HANDLE;
    return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
}

/* A survey looks up each ancestor in turn: within a query the search resumes where the last
 * one ended. */
static enum rc search(const struct instance *instance, const struct gomp_thread *thread, taddr task,
                      struct gomp_ancestors *out)
{
    struct gomp_state *state = gomp_state(instance);
    struct gomp_cursor *last = &state->last_ancestor;
    enum rc rc = RC_STALE_HANDLE;
    if (state->memory.query.depth && last->thread == thread->address &&
        last->current == thread->task) {
        *out = last->at;
        rc = move_to(instance, out, task);
    }
    if (rc == RC_STALE_HANDLE) {
        *out = gomp_ancestors_of(thread);
        rc = move_to(instance, out, task);
    }
    if (rc == RC_OK)
        *last = (struct gomp_cursor){thread->address, thread->task, *out};
    return rc;
}

enum rc gomp_find_ancestor(const struct instance *instance, const struct gomp_thread *thread,
                           taddr task, struct gomp_team *team, uint32_t *number)
{
    struct gomp_ancestors at;
    enum rc rc = search(instance, thread, task, &at);
    if (rc != RC_OK)
        return rc;
    *number = at.nesting.number;
    memset(team, 0, sizeof *team);
    if (!at.nesting.level)
        return RC_OK;
    return at.nesting.team ? gomp_next_team(instance, &at.nesting, team) : RC_STALE_HANDLE;
}

enum rc gomp_find_serial_task(const struct instance *instance, const struct gomp_thread *thread,
                              taddr *out)
{
    struct gomp_nesting at = gomp_innermost(thread);
    struct gomp_team team;
    bool is_made;
    if (!at.level) {
        *out = thread->task;
        return RC_OK;
    }
    do {
        if (!at.team || at.number)
            return RC_STALE_HANDLE;
        enum rc rc = gomp_next_team(instance, &at, &team);
        if (rc != RC_OK)
            return rc;
    } while (team.prev_level);
    enum rc rc = gomp_has_implicit_task(instance, &team, 0, &is_made);
    if (rc == RC_OK && !is_made)
        rc = RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = memory_pointer(instance,
                            gomp_implicit_task(instance, &team, 0) +
                                gomp_offset(instance, GOMP_gomp_task_parent),
                            out);
    return rc;
}

enum rc gomp_walk_serial_tasks(const struct instance *instance, const struct gomp_thread *thread,
                               ref_visitor *visit, void *arg)
{
    taddr at;
    struct cycle cycle = {0};
    enum rc rc = gomp_find_serial_task(instance, thread, &at);
    if (rc == RC_STALE_HANDLE) /* a worker that leads a nested team */
        return RC_OK;
    while (rc == RC_OK) {
        struct gomp_task task;
        if (!visit(arg, gomp_serial_ref(instance, thread, at)) || !at)
            return RC_OK;
        rc = cycle_advance(&cycle, at, GOMP_TASKS_MAX) ? gomp_read_task(instance, at, &task)
                                                       : RC_NONSENSE;
        if (rc == RC_OK && task.kind == GOMP_KIND_IMPLICIT)
            return RC_OK;
        at = task.parent;
    }
    return rc;
}
