/* SPDX-License-Identifier: MIT
 *
 * All threads, and all initial and explicit tasks, of a process with a stock libgomp.
 */
#include "libompd/runtime/gomp-task.h"

/* References gathered in a walk. */
struct gathered {
    struct array refs;
    enum rc rc;
};

static struct gathered nothing_yet(const struct space *space)
{
    return (struct gathered){.refs = array_of(space->ops, sizeof(struct ref))};
}

static bool gather(void *arg, struct ref ref)
{
    struct gathered *g = arg;
    g->rc = g->refs.count < GOMP_TASKS_MAX ? array_add(&g->refs, &ref) : RC_NONSENSE;
    return g->rc == RC_OK;
}

static enum rc gather_threads(struct space *space, struct gathered *out)
{
    *out = nothing_yet(space);
    enum rc rc = gomp_walk_threads(space, gather, out);
    return rc == RC_OK ? out->rc : rc;
}

struct thread_walk {
    struct space *space;
    thread_visitor *visit;
    void *arg;
    enum rc rc;
};

static bool visit_facts(void *arg, const struct gomp_thread *thread)
{
    struct thread_walk *walk = arg;
    struct thread_facts facts;
    walk->rc = gomp_facts_of(walk->space, thread, &facts);
    return walk->rc == RC_OK && walk->visit(walk->arg, gomp_thread_ref(thread), &facts);
}

enum rc gomp_each_thread(struct space *space, thread_visitor *visit, void *arg)
{
    struct thread_walk walk = {.space = space, .visit = visit, .arg = arg};
    enum rc rc = gomp_walk_openmp(space, visit_facts, &walk);
    return rc == RC_OK ? walk.rc : rc;
}

/* The teams that a thread is in, from within. Most are known from the thread before. */
static enum rc gather_teams(struct space *space, const struct gomp_thread *thread,
                            struct gomp_team *team, struct gathered *teams)
{
    for (uint32_t level = 0; level < GOMP_LEVELS_MAX; level++) {
        struct ref ref;
        enum rc rc = gomp_team_ref(space, team, &ref);
        if (rc == RC_OK)
            rc = gomp_take_steps(space, teams->refs.count / 16);
        const struct ref *known = teams->refs.elements;
        for (size_t i = teams->refs.count; rc == RC_OK && i > 0; i--) {
            if (known[i - 1].address == ref.address)
                return RC_OK;
        }
        if (rc != RC_OK)
            return rc;
        if (!gather(teams, ref))
            return teams->rc;
        if (thread->team_id || !gomp_has_outer(team))
            return RC_OK;
        rc = gomp_read_team(space, team->prev_team, team);
        if (rc != RC_OK || !team->sound)
            return rc;
    }
    return RC_OK;
}

/* A thread that is making a team stands in it before all its implicit tasks are filled:
 * then their chains and queues lead anywhere. */
static bool leads_nowhere(enum rc rc)
{
    return rc == RC_NONSENSE || rc == RC_READ_ERROR;
}

/* `part`: tasks may be missing. */
static enum rc gather_tasks(struct space *space, struct gathered *threads,
                            struct gathered *teams, struct gathered *tasks, bool *part)
{
    enum rc rc = RC_OK;
    const struct ref *thread_refs = threads->refs.elements;
    for (size_t i = 0; rc == RC_OK && i < threads->refs.count; i++) {
        struct gomp_thread thread;
        struct gomp_team team;
        enum gomp_standing standing;
        rc = gomp_read_thread_ref(space, thread_refs[i], &thread);
        if (rc == RC_OK)
            rc = gomp_stand(space, &thread, &standing, &team);
        if (rc == RC_OK &&
            (standing == GOMP_INITIAL || (standing == GOMP_ACTIVE && !thread.team_id))) {
            rc = gomp_walk_serial_tasks(space, &thread, gather, tasks);
            if (leads_nowhere(rc)) {
                *part = true;
                rc = RC_OK;
            }
        }
        if (rc == RC_OK && standing == GOMP_ACTIVE)
            rc = gather_teams(space, &thread, &team, teams);
    }
    const struct ref *team_refs = teams->refs.elements;
    for (size_t i = 0; rc == RC_OK && i < teams->refs.count; i++) {
        rc = gomp_walk_explicit_tasks(space, team_refs[i], gather, tasks);
        *part = *part || leads_nowhere(rc);
        if (rc == RC_STALE_HANDLE || leads_nowhere(rc))
            rc = RC_OK;
    }
    return rc == RC_OK ? tasks->rc : rc;
}

enum rc gomp_each_task(struct space *space, task_visitor *visit, void *arg)
{
    struct gathered threads, teams = nothing_yet(space), tasks = nothing_yet(space);
    bool part = false;
    enum rc rc = gather_threads(space, &threads);
    if (rc == RC_OK)
        rc = gather_tasks(space, &threads, &teams, &tasks, &part);
    const struct ref *refs = tasks.refs.elements;
    for (size_t i = 0; rc == RC_OK && i < tasks.refs.count; i++) {
        struct task_facts facts;
        rc = gomp_task(space, refs[i], &facts);
        /* One that is just between a queue and the thread that took it is left out. */
        if (rc == RC_STALE_HANDLE)
            rc = RC_OK;
        else if (rc == RC_OK && !visit(arg, refs[i], &facts))
            break;
    }
    array_free(&threads.refs);
    array_free(&teams.refs);
    array_free(&tasks.refs);
    return rc == RC_OK && part ? RC_INCOMPLETE : rc;
}
