/* SPDX-License-Identifier: MIT
 *
 * Regions of a stock libgomp, each known by its team: references and facts.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

/* Kernel id of thread 1 of a nested team, whose threads are created with it; else 0. */
static enum rc thread_1_tid(const struct instance *instance, const struct gomp_team *team,
                            uint64_t *out)
{
    struct gomp_thread thread;
    taddr at;
    *out = 0;
    if (!team->prev_level || team->nthreads < 2)
        return RC_OK;
    enum rc rc = gomp_team_member_at(instance, team, 1, &at);
    if (rc != RC_OK)
        return rc;
    /* Until the thread has begun, the memory may hold anything. */
    if (gomp_read_thread_at(instance, at, &thread) == RC_OK && thread.team == team->address)
        *out = thread.tid;
    return RC_OK;
}

enum rc gomp_team_bits(const struct instance *instance, const struct gomp_team *team, uint64_t *out)
{
    uint64_t tid;
    enum rc rc = thread_1_tid(instance, team, &tid);
    if (rc != RC_OK)
        return rc;
    uint64_t origin = memory_mix(team->prev_team, team->prev_team_id);
    origin = memory_mix(origin, team->nthreads);
    origin = memory_mix(origin, tid);
    /* Added, not hashed: the next 2^15 generations all differ. */
    *out = ((origin >> 16) + (team->generation >> GOMP_BARRIER_GENERATION_SHIFT)) & 0x7fff;
    return RC_OK;
}

enum rc gomp_team_ref(const struct instance *instance, const struct gomp_team *team,
                      struct ref *out)
{
    uint64_t bits;
    enum rc rc = gomp_team_bits(instance, team, &bits);
    if (rc == RC_OK)
        *out =
            (struct ref){.address = team->address, .id = memory_id(instance, team->address, bits)};
    return rc;
}

enum rc gomp_read_team_ref(const struct instance *instance, struct ref ref, struct gomp_team *out)
{
    struct ref now;
    enum rc rc = gomp_read_team(instance, ref.address, out);
    if (rc == RC_OK)
        rc = gomp_team_ref(instance, out, &now);
    if (rc == RC_NONSENSE || (rc == RC_OK && now.id != ref.id))
        return RC_STALE_HANDLE;
    return rc;
}

enum rc gomp_region(struct instance *instance, struct ref ref, struct region_facts *out)
{
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(instance, ref, &team);
    if (rc != RC_OK)
        return rc;
    struct region_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.num_threads = (struct fact){KNOWN, team.nthreads};
    facts.level = (struct fact){KNOWN, team.prev_level + 1};
    facts.active_level = (struct fact){KNOWN, team.prev_active_level + (team.nthreads > 1)};
    facts.league = (struct fact){KNOWN, 0};
    facts.cancelled = (struct fact){KNOWN, team.cancelled};
    facts.function.known = facts.requested.known = facts.codeptr.known = NEEDS_TRACKING;

    facts.enclosing.known = facts.master_num.known = NONE_HERE;
    struct gomp_nesting around = gomp_enclosing(&team);
    if (gomp_is_in_team(&around)) {
        struct gomp_team outer;
        facts.master_num = (struct fact){KNOWN, around.number};
        rc = gomp_next_team(instance, &around, &outer);
        if (rc == RC_OK)
            rc = gomp_team_ref(instance, &outer, &facts.enclosing.ref);
        facts.enclosing.known = memory_mark(rc);
    }
    rc = gomp_encountering_ref(instance, &team, &facts.encountering_task);
    if (rc != RC_OK)
        return rc;
    struct gomp_thread primary;
    rc = gomp_member(instance, &team, 0, &primary);
    facts.master.known = memory_mark(rc);
    if (rc == RC_OK)
        facts.master.ref = gomp_thread_ref(instance, &primary);
    *out = facts;
    return RC_OK;
}
