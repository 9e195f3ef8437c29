/* SPDX-License-Identifier: MIT
 *
 * Teams of memory and regions of records that are one, for questions about one object: known by a
 * thread that both have in it.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

/* From a region outwards to the first one of that runtime; region->ref.id 0: there is none. */
static enum rc find_own(struct recorded *state, const struct instance *memory,
                        struct recorded_region *region)
{
    enum rc rc = RC_OK;
    unsigned left = RECORDED_LEVELS_MAX;
    while (rc == RC_OK && recorded_is_foreign(memory, region))
        if (left--)
            rc = recorded_find_region(state, region->facts.enclosing, region);
        else
            region->ref.id = 0;
    return rc;
}

/* The first region of that runtime around this one. */
static enum rc find_around(struct recorded *state, const struct instance *memory,
                           struct recorded_region *region)
{
    enum rc rc = recorded_find_region(state, region->facts.enclosing, region);
    return rc == RC_OK ? find_own(state, memory, region) : rc;
}

enum rc recorded_pair_around(struct recorded *state, struct ref *team,
                             struct recorded_region *region)
{
    struct region_facts facts;
    struct instance *memory = recorded_maker(state, *team, false);
    bool has_around = memory && region->facts.enclosing.known == KNOWN;
    enum rc rc = has_around ? ON(memory, region, *team, &facts) : RC_UNAVAILABLE;
    *team = (struct ref){0, 0};
    if (rc == RC_OK && facts.enclosing.known == KNOWN) {
        rc = find_around(state, memory, region);
        if (rc == RC_OK && region->ref.id)
            *team = facts.enclosing.ref;
    }
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* The thread is in a region of another runtime: the first one of this runtime around that is its
 * team, unless it is being made or ended. */
static enum rc pair_across(struct recorded *state, const struct recorded_thread *thread,
                           struct ref *team, struct recorded_region *paired)
{
    const struct thread_facts *m = &thread->by_runtime;
    enum rc rc = find_own(state, thread->memory, paired);
    if (rc == RC_OK && paired->ref.id && m->region.known == KNOWN && !paired->facts.league.value &&
        paired->facts.level.value == m->level.value &&
        paired->facts.num_threads.value == m->team_size.value)
        *team = m->region.ref;
    return rc;
}

enum rc recorded_pair(struct recorded *state, const struct recorded_thread *thread,
                      const struct recorded_region *region, struct ref *team,
                      struct recorded_region *paired)
{
    struct region_facts facts;
    enum rc rc = RC_OK;
    *team = (struct ref){0, 0};
    *paired = *region;
    if (thread->has_runtime && recorded_is_foreign(thread->memory, region))
        return pair_across(state, thread, team, paired);
    switch (recorded_step(state, thread, region)) {
    case RECORDED_SAME:
        *team = thread->by_runtime.region.ref;
        break;
    case RECORDED_LEFT:
        rc = find_around(state, thread->memory, paired);
        if (rc == RC_OK && paired->ref.id && !paired->facts.league.value)
            *team = thread->by_runtime.region.ref;
        break;
    case RECORDED_ENTERED:
        rc = ON(thread->memory, region, thread->by_runtime.region.ref, &facts);
        if (rc == RC_OK && facts.enclosing.known == KNOWN)
            *team = facts.enclosing.ref;
        break;
    case RECORDED_APART:
        break;
    }
    return recorded_is_missing(rc) ? RC_OK : rc;
}

struct nest {
    struct ref team;
    struct recorded_region region;
};

/* Does a thread show that a team and a region, one of them wanted, are one? From those
 * that it is in outwards. */
static enum rc find_by_thread(struct recorded *state, const struct recorded_thread *thread,
                              struct ref wanted, struct nest *nest, bool *out)
{
    struct recorded_region region;
    *out = false;
    if (!thread->has_record || !thread->has_runtime)
        return RC_OK;
    enum rc rc = recorded_find_region(state, thread->by_record.region, &region);
    if (rc == RC_OK)
        rc = recorded_pair(state, thread, &region, &nest->team, &nest->region);
    for (unsigned i = 0; rc == RC_OK && nest->team.id && i < RECORDED_LEVELS_MAX; i++) {
        *out = nest->team.id == wanted.id || nest->region.ref.id == wanted.id;
        if (*out)
            return RC_OK;
        rc = recorded_pair_around(state, &nest->team, &nest->region);
    }
    return rc;
}

/* Any member shows it that has begun its task. */
static enum rc find_by_members(struct recorded *state, struct instance *memory,
                               struct instance *names, struct ref wanted, struct nest *nest,
                               bool *out)
{
    *out = false;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && !*out && i < RECORDED_MEMBERS_MAX; i++) {
        struct ref ref;
        struct recorded_thread thread;
        rc = ON(names, find_member, wanted, MEMBER_THREADS, i, &ref);
        if (rc == RC_BAD_INPUT)
            return RC_OK;
        if (rc == RC_OK)
            rc = recorded_find_thread_in(state, memory, ref, &thread);
        if (rc == RC_OK)
            rc = find_by_thread(state, &thread, wanted, nest, out);
        if (recorded_is_missing(rc))
            rc = RC_OK;
    }
    return rc;
}

enum rc recorded_region_of_team(struct recorded *state, struct ref team,
                                struct recorded_region *out)
{
    struct nest nest;
    bool found;
    memset(out, 0, sizeof *out);
    struct instance *memory = recorded_maker(state, team, false);
    if (!memory)
        return RC_STALE_HANDLE;
    enum rc rc = find_by_members(state, memory, memory, team, &nest, &found);
    if (rc == RC_OK && found)
        *out = nest.region;
    return rc;
}

enum rc recorded_team_of_region(struct recorded *state, const struct recorded_region *region,
                                struct ref *out)
{
    struct nest nest;
    struct recorded_thread master;
    bool found = false;
    enum rc rc = RC_OK;
    struct instance *memory = recorded_runtime(state, region);
    if (!memory)
        return RC_UNAVAILABLE;
    if (region->facts.master.known == KNOWN) {
        rc = recorded_find_thread_in(state, memory, region->facts.master.ref, &master);
        if (rc == RC_OK)
            rc = find_by_thread(state, &master, region->ref, &nest, &found);
        if (recorded_is_missing(rc))
            rc = RC_OK;
    }
    if (rc == RC_OK && !found)
        rc = find_by_members(state, memory, RECORDS, region->ref, &nest, &found);
    if (rc != RC_OK)
        return rc;
    if (!found)
        return RC_UNAVAILABLE;
    *out = nest.team;
    return RC_OK;
}
