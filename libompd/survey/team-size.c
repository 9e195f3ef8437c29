/* SPDX-License-Identifier: MIT
 *
 * Why a team has the size that it has: what was asked for, and the ICVs of the encountering
 * task that may have made it smaller.
 */
#include <string.h>

#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

static bool are_known(const struct surveyed_team *team)
{
    return team->region.requested.known == KNOWN && team->region.num_threads.known == KNOWN &&
           team->region.active_level.known == KNOWN && team->nthreads.known == KNOWN;
}

/* As libgomp resolves it: a level too many means one thread; then dyn-var and thread-limit-var
 * reduce the number. With both, a team of just the limit is one of the limit.
 *
 *   requested 8, actual 1, inside an active region, max-active-levels-var 1: LEVELS
 *   requested 8, actual 4, thread-limit-var 4, dyn-var false: LIMIT
 *   requested 8, actual 3, no limit, dyn-var true: DYNAMIC */
static struct fact find_shortfall(const struct surveyed_team *team)
{
    if (!are_known(team) || team->region.league.value)
        return (struct fact){.known = NOT_HELD};
    uint64_t actual = team->region.num_threads.value;
    uint64_t asked =
        team->region.requested.value ? team->region.requested.value : team->nthreads.value;
    uint64_t around = team->region.active_level.value - (actual > 1);
    bool has_limit = team->thread_limit.known == KNOWN && team->thread_limit.value < asked;
    enum shortfall why = SHORTFALL_OTHER;
    if (actual >= asked)
        why = SHORTFALL_NONE;
    else if (actual == 1 && team->max_active_levels.known == KNOWN &&
             around >= team->max_active_levels.value)
        why = SHORTFALL_LEVELS;
    else if (has_limit && actual == team->thread_limit.value)
        why = SHORTFALL_LIMIT;
    else if (team->dynamic.known == KNOWN && team->dynamic.value)
        why = SHORTFALL_DYNAMIC;
    else if (team->thread_limit.known == KNOWN && team->thread_limit.value < INT32_MAX)
        why = SHORTFALL_LIMIT; /* other threads of the contention group count, too */
    return (struct fact){KNOWN, why};
}

static enum rc fill_icvs(struct instance *instance, struct surveyed_team *out)
{
    struct icv_facts icvs;
    struct ref task;
    enum rc rc = fact_ref(instance, HANDLE_TASK, out->region.encountering_task, &task);
    if (rc == RC_OK)
        rc =
            instance->reader->icvs ? instance->reader->icvs(instance, task, &icvs) : RC_UNSUPPORTED;
    /* Not known, or its task has just ended. */
    if (rc == RC_UNAVAILABLE || rc == RC_UNSUPPORTED || rc == RC_NEEDS_TRACKING ||
        rc == RC_STALE_HANDLE)
        return RC_OK;
    if (rc != RC_OK)
        return rc;
    out->nthreads = icvs.nthreads.first;
    out->dynamic = icvs.dynamic;
    out->thread_limit = icvs.thread_limit;
    out->max_active_levels = icvs.max_active_levels;
    return RC_OK;
}

static enum rc fill_absence(struct instance *instance, struct ref region, struct surveyed_team *out)
{
    struct absence_facts facts;
    enum rc rc = instance->reader->absence ? instance->reader->absence(instance, region, &facts)
                                           : RC_UNSUPPORTED;
    if (rc == RC_OK) {
        out->gone = (struct fact){KNOWN, facts.gone};
        out->unbegun = (struct fact){KNOWN, facts.unbegun};
    }
    return rc == RC_UNSUPPORTED ? RC_OK : rc;
}

enum rc survey_team(const struct handle *region, struct surveyed_team *out)
{
    struct surveyed_team team;
    memset(&team, 0, sizeof team);
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    reader_begin(region->instance);
    rc = facts_of_region(region, &team.region);
    if (rc == RC_OK)
        rc = fill_icvs(region->instance, &team);
    if (rc == RC_OK)
        rc = fill_absence(region->instance, region->ref, &team);
    reader_end(region->instance);
    if (rc != RC_OK)
        return rc;
    team.shortfall = find_shortfall(&team);
    *out = team;
    return RC_OK;
}
