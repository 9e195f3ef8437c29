/* SPDX-License-Identifier: MIT
 *
 * The objects of two witnesses that are one, for questions about one object: a thread by
 * what glibc has of it, a region by a thread that both have in it.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

/* Is an answer of one witness missing, so that the other one's is all there is? */
static bool is_missing(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_STALE_HANDLE || rc == RC_UNSUPPORTED ||
           rc == RC_INCOMPATIBLE || rc == RC_NEEDS_TRACKING || rc_is_damage(rc);
}

static bool is_same_thread(const struct thread_facts *a, const struct thread_facts *b)
{
    return a->pthread.known == KNOWN && b->pthread.known == KNOWN &&
           a->lwp.known == KNOWN && b->lwp.known == KNOWN &&
           a->pthread.value == b->pthread.value && a->lwp.value == b->lwp.value;
}

static enum rc find_in_runtime(struct recorded *state, struct recorded_thread *thread)
{
    if (thread->by_record.pthread.known != KNOWN)
        return RC_OK;
    enum rc rc = ON(runtime, find_thread, OS_THREAD_PTHREAD,
                    thread->by_record.pthread.value, &thread->runtime);
    if (rc == RC_OK)
        rc = ON(runtime, thread, thread->runtime, &thread->by_runtime);
    thread->has_runtime =
        rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return is_missing(rc) ? RC_OK : rc;
}

static enum rc find_record(struct recorded *state, struct recorded_thread *thread)
{
    enum rc rc = ON(records, find_thread, OS_THREAD_LWP, thread->by_runtime.lwp.value,
                    &thread->record);
    if (rc == RC_OK)
        rc = ON(records, thread, thread->record, &thread->by_record);
    thread->has_record =
        rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return is_missing(rc) ? RC_OK : rc;
}

enum rc recorded_find_thread(struct recorded *state, struct ref ref,
                             struct recorded_thread *out)
{
    memset(out, 0, sizeof *out);
    if (!ref_is_made(ref)) {
        out->record = ref;
        enum rc rc = ON(records, thread, ref, &out->by_record);
        out->has_record = rc == RC_OK;
        return rc == RC_OK ? find_in_runtime(state, out) : rc;
    }
    out->runtime = ref;
    enum rc rc = ON(runtime, thread, ref, &out->by_runtime);
    out->has_runtime = rc == RC_OK;
    return rc == RC_OK ? find_record(state, out) : rc;
}

enum rc recorded_thread_ref(struct recorded *state, struct ref runtime, struct ref *out)
{
    struct recorded_thread thread;
    enum rc rc = recorded_find_thread(state, runtime, &thread);
    if (rc == RC_OK)
        *out = thread.has_record ? thread.record : runtime;
    return rc;
}

enum rc recorded_find_region(struct recorded *state, struct ref_fact ref,
                             struct recorded_region *out)
{
    memset(out, 0, sizeof *out);
    if (ref.known != KNOWN || !ref.ref.id)
        return RC_OK;
    enum rc rc = ON(records, region, ref.ref, &out->facts);
    if (rc == RC_OK)
        out->ref = ref.ref;
    return is_missing(rc) ? RC_OK : rc;
}

enum rc recorded_pair_around(struct recorded *state, struct ref *team,
                             struct recorded_region *region)
{
    struct region_facts facts;
    struct ref_fact around = region->facts.enclosing;
    enum rc rc = around.known == KNOWN ? ON(runtime, region, *team, &facts) : RC_UNAVAILABLE;
    *team = (struct ref){0, 0};
    if (rc == RC_OK && facts.enclosing.known == KNOWN) {
        rc = recorded_find_region(state, around, region);
        if (rc == RC_OK && region->ref.id)
            *team = facts.enclosing.ref;
    }
    return is_missing(rc) ? RC_OK : rc;
}

enum rc recorded_pair(struct recorded *state, const struct recorded_thread *thread,
                      const struct recorded_region *region, struct ref *team,
                      struct recorded_region *paired)
{
    struct region_facts facts;
    enum rc rc = RC_OK;
    *team = (struct ref){0, 0};
    *paired = *region;
    switch (recorded_step(state, thread, region)) {
    case RECORDED_SAME:
        *team = thread->by_runtime.region.ref;
        break;
    case RECORDED_LEFT:
        rc = recorded_find_region(state, region->facts.enclosing, paired);
        if (rc == RC_OK && paired->ref.id && !paired->facts.league.value)
            *team = thread->by_runtime.region.ref;
        break;
    case RECORDED_ENTERED:
        rc = ON(runtime, region, thread->by_runtime.region.ref, &facts);
        if (rc == RC_OK && facts.enclosing.known == KNOWN)
            *team = facts.enclosing.ref;
        break;
    case RECORDED_APART:
        break;
    }
    return is_missing(rc) ? RC_OK : rc;
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
static enum rc find_by_members(struct recorded *state, const struct instance *names,
                               struct ref wanted, struct nest *nest, bool *out)
{
    *out = false;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && !*out && i < RECORDED_MEMBERS_MAX; i++) {
        struct ref ref;
        struct recorded_thread thread;
        rc = names->reader->team_thread((struct instance *)names, wanted, i, &ref);
        if (rc == RC_BAD_INPUT)
            return RC_OK;
        if (rc == RC_OK)
            rc = recorded_find_thread(state, ref, &thread);
        if (rc == RC_OK)
            rc = find_by_thread(state, &thread, wanted, nest, out);
        if (is_missing(rc))
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
    enum rc rc = find_by_members(state, &state->runtime, team, &nest, &found);
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
    if (region->facts.master.known == KNOWN) {
        rc = recorded_find_thread(state, region->facts.master.ref, &master);
        if (rc == RC_OK)
            rc = find_by_thread(state, &master, region->ref, &nest, &found);
        if (is_missing(rc))
            rc = RC_OK;
    }
    if (rc == RC_OK && !found)
        rc = find_by_members(state, &state->records, region->ref, &nest, &found);
    if (rc != RC_OK)
        return rc;
    if (!found)
        return RC_UNAVAILABLE;
    *out = nest.team;
    return RC_OK;
}
