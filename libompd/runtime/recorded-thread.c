/* SPDX-License-Identifier: MIT
 *
 * One thread of a process with two witnesses, asked for alone.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

/* In the runtime that it is in. */
static enum rc find_without_record(struct recorded *state, enum os_thread_kind kind,
                                   uint64_t os_id, struct ref *out)
{
    static const struct recorded_region no_record;
    struct recorded_thread found = {.has_runtime = false};
    enum rc answer = RC_UNAVAILABLE;
    struct instance *first = recorded_next(state, NULL);
    bool several = recorded_next(state, first) != NULL;
    for (struct instance *i = first; i; i = recorded_next(state, i)) {
        struct recorded_thread now = {.has_runtime = true, .memory = i};
        enum rc rc = ON(i, find_thread, kind, os_id, &now.runtime);
        if (rc == RC_OK && several)
            rc = ON(i, thread, now.runtime, &now.by_runtime);
        if (rc == RC_OK && recorded_is_inner(state, &now, &found, &no_record))
            found = now;
        if (answer == RC_UNAVAILABLE)
            answer = rc;
    }
    if (!found.has_runtime)
        return answer;
    *out = found.runtime;
    return RC_OK;
}

enum rc recorded_id_of_thread(struct instance *instance, enum os_thread_kind kind,
                              uint64_t os_id, struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    enum rc rc = state->rules->records_name ? ON(RECORDS, find_thread, kind, os_id, out)
                                            : RC_UNAVAILABLE;
    if (rc != RC_UNAVAILABLE && !rc_is_damage(rc))
        return rc;
    reader_begin(instance);
    enum rc other = find_without_record(state, kind, os_id, out);
    reader_end(instance);
    return other == RC_OK || rc == RC_UNAVAILABLE ? other : rc;
}

/* Members of the region that have passed the barrier in which the thread is. */
struct passing {
    struct recorded *state;
    struct ref region;
    uint64_t entered;
    uint32_t passed;
    unsigned left;
    enum rc rc;
};

static bool look_at_member(void *arg, struct ref ref)
{
    struct passing *passing = arg;
    struct recorded *state = passing->state;
    struct thread_facts facts;
    enum rc rc = ON(RECORDS, thread, ref, &facts);
    if (rc != RC_OK && rc != RC_STALE_HANDLE)
        passing->rc = rc;
    if (rc == RC_OK && facts.region.known == KNOWN && !facts.region.torn &&
        facts.region.ref.id == passing->region.id &&
        recorded_passed(&facts) > passing->passed)
        passing->passed = recorded_passed(&facts);
    return passing->rc == RC_OK && --passing->left && passing->passed < passing->entered;
}

static enum rc find_team(struct recorded *state, const struct recorded_thread *thread,
                         const struct recorded_region *region, struct recorded_team *team)
{
    const struct thread_facts *record = &thread->by_record;
    if (!thread->has_runtime || thread->by_runtime.region.known != KNOWN)
        return RC_OK;
    team->ref = thread->by_runtime.region.ref;
    if (recorded_step(state, thread, region) != RECORDED_SAME)
        return recorded_region_of_team(state, team->ref, &team->region);
    team->region = *region;
    if (record->barrier.known != KNOWN || record->barrier.value == BARRIER_NONE)
        return RC_OK;
    recorded_count_arrivals(state, team);
    struct passing passing = {state, region->ref, record->barriers_entered.value, 0,
                              RECORDED_MEMBERS_MAX, RC_OK};
    enum rc rc = ON(RECORDS, walk_members, region->ref, MEMBER_THREADS, look_at_member, &passing);
    team->passed = passing.passed;
    if (rc == RC_OK)
        rc = passing.rc;
    return rc == RC_STALE_HANDLE || rc_is_damage(rc) ? RC_OK : rc;
}

enum rc recorded_thread(struct instance *instance, struct ref ref, struct thread_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread;
    struct recorded_region region;
    struct recorded_team team = (struct recorded_team){.barriers = 0};
    memset(&region, 0, sizeof region);
    reader_begin(instance);
    enum rc rc = recorded_find_thread(state, ref, &thread);
    if (rc == RC_OK && thread.has_record && state->rules->records_name)
        rc = recorded_find_region(state, thread.by_record.region, &region);
    if (rc == RC_OK && state->rules->records_name)
        rc = find_team(state, &thread, &region, &team);
    reader_end(instance);
    if (rc == RC_OK)
        *out = state->rules->merge_thread(state, &thread, &region, &team);
    return rc;
}
