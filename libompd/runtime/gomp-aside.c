/* SPDX-License-Identifier: MIT
 *
 * Members of a team that run a target region on the host. libgomp clears the struct gomp_thread
 * for that time and has what it was on the stack; the team still lists the thread, and other
 * members lead to the team.
 */
#include "libompd/runtime/gomp-task-walk.h"

static bool is_blank(const struct gomp_thread *thread)
{
    return !thread->team && !thread->task && !thread->pool;
}

/* Have all members begun, so that the team's list is its own? Until then memory that was another
 * team's may list one that has ended, where a new thread is by now. A team that is used again has
 * the same threads, and a nested one uses the first generation to start them. */
static bool has_begun(const struct gomp_team *team)
{
    return team->generation >> GOMP_BARRIER_GENERATION_SHIFT ||
           (!team->prev_level &&
            (team->awaited < team->nthreads || team->awaited_final < team->nthreads));
}

static bool is_listed(struct instance *instance, const struct gomp_team *team, uint32_t number,
                      struct gomp_thread *member)
{
    bool is_made;
    return gomp_member(instance, team, number, member) == RC_OK && is_blank(member) &&
           gomp_has_implicit_task(instance, team, number, &is_made) == RC_OK && is_made;
}

static void add_team(struct instance *instance, const struct gomp_team *team, taddr anchor)
{
    struct gomp_state *state = gomp_state(instance);
    for (uint32_t i = 0; i < team->nthreads && state->asides < GOMP_ASIDE_MAX; i++) {
        struct gomp_thread member;
        if (is_listed(instance, team, i, &member))
            state->aside[state->asides++] =
                (struct gomp_aside){member.address, team->address, anchor, i};
    }
}

struct aside_search {
    struct instance *instance;
    struct address_set teams; /* that have been looked at */
};

/* The teams of a member, which have not ended: it is in them. */
static bool add_teams(void *arg, taddr pthread, uint64_t tid)
{
    struct aside_search *search = arg;
    struct instance *instance = search->instance;
    struct gomp_thread thread;
    struct gomp_team team;
    enum gomp_thread_kind kind;
    (void)tid;
    if (gomp_read_thread(instance, pthread, &thread) != RC_OK || is_blank(&thread) ||
        gomp_classify_thread(instance, &thread, &kind, &team) != RC_OK || kind != GOMP_MEMBER)
        return true;
    struct gomp_nesting at = gomp_innermost(&thread);
    while (gomp_is_in_team(&at) && gomp_next_team(instance, &at, &team) == RC_OK) {
        struct gomp_set_task *unused;
        uint32_t known = search->teams.count;
        if (gomp_set_add(&search->teams, team.address, 0, &unused) != RC_OK)
            return false;
        if (search->teams.count == known) /* it and those around it */
            break;
        if (has_begun(&team))
            add_team(instance, &team, thread.address);
    }
    return true;
}

void gomp_find_asides(struct instance *instance)
{
    struct aside_search search = {instance, gomp_set_of(instance)};
    gomp_state(instance)->asides = 0;
    gomp_walk_pthreads(instance, add_teams, &search);
    address_set_free(&search.teams);
}

/* Is it still so? */
static bool is_still(struct instance *instance, const struct gomp_aside *found,
                     struct gomp_team *team)
{
    struct gomp_thread anchor, member;
    struct gomp_team own;
    enum gomp_thread_kind kind;
    bool is_in = false;
    return gomp_read_thread_at(instance, found->anchor, &anchor) == RC_OK &&
           gomp_classify_thread(instance, &anchor, &kind, &own) == RC_OK && kind == GOMP_MEMBER &&
           gomp_read_team(instance, found->team, team) == RC_OK &&
           gomp_is_member(instance, &anchor, team, GOMP_ANY_NUMBER, &is_in) == RC_OK && is_in &&
           has_begun(team) && is_listed(instance, team, found->number, &member) &&
           member.address == found->thread;
}

bool gomp_is_aside(struct instance *instance, const struct gomp_thread *thread,
                   struct gomp_thread *member, struct gomp_team *team)
{
    const struct gomp_state *state = gomp_state(instance);
    for (unsigned i = 0; is_blank(thread) && i < state->asides; i++) {
        const struct gomp_aside *found = &state->aside[i];
        if (found->thread != thread->address || !is_still(instance, found, team))
            continue;
        *member = *thread;
        member->team = found->team;
        member->team_id = found->number;
        member->level = team->prev_level + 1;
        return true;
    }
    return false;
}
