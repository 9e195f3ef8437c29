/* SPDX-License-Identifier: MIT
 *
 * Nested teams, from a thread's innermost one outwards: the one walk over them, bounded
 * because the level of nesting decreases.
 */
#include "libompd/runtime/gomp.h"

struct gomp_nesting gomp_innermost(const struct gomp_thread *thread)
{
    return (struct gomp_nesting){thread->team, thread->team_id, thread->level, GOMP_LEVELS_MAX};
}

struct gomp_nesting gomp_enclosing(const struct gomp_team *team)
{
    return (struct gomp_nesting){team->prev_team, team->prev_team_id, team->prev_level,
                                 team->prev_level};
}

enum rc gomp_next_team(const struct instance *instance, struct gomp_nesting *at,
                       struct gomp_team *out)
{
    enum rc rc = gomp_read_team(instance, at->team, out);
    if (rc == RC_NONSENSE || (rc == RC_OK && out->prev_level >= at->below))
        return RC_STALE_HANDLE;
    if (rc == RC_OK)
        *at = gomp_enclosing(out);
    return rc;
}

enum rc gomp_is_member(const struct instance *instance, const struct gomp_thread *thread,
                       const struct gomp_team *team, uint32_t number, bool *out)
{
    struct gomp_nesting at = gomp_innermost(thread);
    *out = false;
    while (gomp_is_in_team(&at)) {
        struct gomp_team next;
        if (at.team == team->address) {
            *out = number == GOMP_ANY_NUMBER || at.number == number;
            return RC_OK;
        }
        /* Only the primary thread comes from the enclosing team. */
        if (number != GOMP_ANY_NUMBER && at.number)
            return RC_OK;
        enum rc rc = gomp_next_team(instance, &at, &next);
        if (rc != RC_OK)
            return rc == RC_STALE_HANDLE ? RC_OK : rc;
    }
    return RC_OK;
}

enum rc gomp_listed_primary(const struct instance *instance, const struct gomp_team *team,
                            struct gomp_team *outermost, taddr *out)
{
    struct gomp_nesting at = gomp_enclosing(team);
    *outermost = *team;
    *out = 0;
    while (gomp_is_in_team(&at)) {
        uint32_t number = at.number;
        enum rc rc = gomp_next_team(instance, &at, outermost);
        if (rc == RC_OK && number >= outermost->nthreads)
            rc = RC_STALE_HANDLE;
        if (rc != RC_OK)
            return rc;
        if (number)
            return gomp_team_member_at(instance, outermost, number, out);
    }
    return RC_OK;
}
