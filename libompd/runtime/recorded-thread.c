/* SPDX-License-Identifier: MIT
 *
 * One thread of a process with two witnesses, asked for alone: known by what glibc has of it.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

static bool is_same_thread(const struct thread_facts *a, const struct thread_facts *b)
{
    return fact_is_equal(a->pthread, b->pthread) && fact_is_equal(a->lwp, b->lwp);
}

enum rc recorded_find_in(struct instance *memory, struct recorded_thread *thread)
{
    if (thread->by_record.pthread.known != KNOWN)
        return RC_OK;
    thread->memory = memory;
    enum rc rc = ON(memory, find_thread, OS_THREAD_PTHREAD, thread->by_record.pthread.value,
                    &thread->runtime);
    if (rc == RC_OK)
        rc = ON(memory, thread, thread->runtime, &thread->by_runtime);
    thread->has_runtime = rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* A thread that has a record, in the runtime that it is in of those that know it. */
static enum rc find_in_any(struct recorded *state, struct recorded_thread *thread)
{
    struct recorded_region region = {.ref = {0, 0}};
    struct instance *memory = recorded_next(state, NULL);
    enum rc rc = memory && recorded_next(state, memory)
                     ? recorded_find_region(state, thread->by_record.region, &region)
                     : RC_OK;
    thread->has_runtime = false;
    for (; rc == RC_OK && memory; memory = recorded_next(state, memory)) {
        struct recorded_thread now = *thread;
        rc = recorded_find_in(memory, &now);
        if (rc == RC_OK && now.has_runtime && recorded_is_inner(state, &now, thread, &region))
            *thread = now;
    }
    return rc;
}

static enum rc find_record(struct recorded *state, struct recorded_thread *thread)
{
    if (thread->by_runtime.lwp.known != KNOWN || !recorded_goes_on(state))
        return RC_OK;
    enum rc rc =
        ON(RECORDS, find_thread, OS_THREAD_LWP, thread->by_runtime.lwp.value, &thread->record);
    if (rc == RC_OK)
        rc = ON(RECORDS, thread, thread->record, &thread->by_record);
    thread->has_record = rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* A thread by its record, so far without a runtime, or by the name that one gave it. */
static enum rc find_named(struct recorded *state, struct ref ref, struct recorded_thread *out)
{
    struct instance *maker = recorded_maker(state, ref, true);
    memset(out, 0, sizeof *out);
    if (!maker)
        return RC_STALE_HANDLE;
    if (maker == RECORDS) {
        out->record = ref;
        enum rc rc = ON(RECORDS, thread, ref, &out->by_record);
        out->has_record = rc == RC_OK;
        return rc;
    }
    out->runtime = ref;
    out->memory = maker;
    enum rc rc = ON(maker, thread, ref, &out->by_runtime);
    out->has_runtime = rc == RC_OK;
    return rc == RC_OK ? find_record(state, out) : rc;
}

enum rc recorded_find_thread(struct recorded *state, struct ref ref, struct recorded_thread *out)
{
    enum rc rc = find_named(state, ref, out);
    bool is_found = out->has_runtime && !recorded_next(state, recorded_next(state, NULL));
    return rc == RC_OK && out->has_record && !is_found ? find_in_any(state, out) : rc;
}

/* Until a thread has begun, its place in the team may hold the address of one that has ended,
 * reused by a thread that the program has made since: that one is in no region. */
enum rc recorded_thread_ref(struct recorded *state, struct ref runtime, uint32_t number,
                            struct ref *out)
{
    struct recorded_thread thread;
    enum rc rc = find_named(state, runtime, &thread);
    if (rc != RC_OK)
        return rc;
    if (number && thread.has_record && thread.by_record.state.known == KNOWN &&
        thread.by_record.state.value == STATE_work_serial)
        return RC_UNAVAILABLE;
    *out = thread.has_record ? thread.record : runtime;
    return RC_OK;
}

enum rc recorded_find_thread_in(struct recorded *state, struct instance *memory, struct ref ref,
                                struct recorded_thread *out)
{
    enum rc rc = find_named(state, ref, out);
    return rc == RC_OK && !out->has_runtime ? recorded_find_in(memory, out) : rc;
}

enum rc recorded_find_region(struct recorded *state, struct ref_fact ref,
                             struct recorded_region *out)
{
    memset(out, 0, sizeof *out);
    if (ref.known != KNOWN || !ref.ref.id)
        return RC_OK;
    enum rc rc = ON(RECORDS, region, ref.ref, &out->facts);
    if (rc == RC_OK)
        out->ref = ref.ref;
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* In the runtime that it is in. */
static enum rc find_without_record(struct recorded *state, enum os_thread_kind kind, uint64_t os_id,
                                   struct ref *out)
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

enum rc recorded_id_of_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                              struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    enum rc rc =
        state->rules->records_name ? ON(RECORDS, find_thread, kind, os_id, out) : RC_UNAVAILABLE;
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

static bool read_member(void *arg, struct ref ref)
{
    struct passing *passing = arg;
    struct recorded *state = passing->state;
    struct thread_facts facts;
    enum rc rc = ON(RECORDS, thread, ref, &facts);
    if (rc != RC_OK && rc != RC_STALE_HANDLE)
        passing->rc = rc;
    if (rc == RC_OK && facts.region.known == KNOWN && !facts.region.torn &&
        facts.region.ref.id == passing->region.id && recorded_passed(&facts) > passing->passed)
        passing->passed = recorded_passed(&facts);
    return passing->rc == RC_OK && --passing->left && passing->passed < passing->entered;
}

/* The region of its record, and the team that it is a member of. */
static enum rc find_team(struct recorded *state, const struct recorded_thread *thread,
                         struct recorded_region *region, struct recorded_team *team)
{
    const struct thread_facts *record = &thread->by_record;
    enum rc rc = thread->has_record ? recorded_find_region(state, record->region, region) : RC_OK;
    if (rc != RC_OK || !thread->has_runtime || thread->by_runtime.region.known != KNOWN)
        return rc;
    team->ref = thread->by_runtime.region.ref;
    if (recorded_step(state, thread, region) != RECORDED_SAME)
        return recorded_region_of_team(state, team->ref, &team->region);
    team->region = *region;
    if (record->barrier.known != KNOWN || record->barrier.value == BARRIER_NONE)
        return RC_OK;
    recorded_count_arrivals(state, team);
    struct passing passing = {state, region->ref,          record->barriers_entered.value,
                              0,     RECORDED_MEMBERS_MAX, RC_OK};
    rc = ON(RECORDS, walk_members, region->ref, MEMBER_THREADS, read_member, &passing);
    team->passed = passing.passed;
    if (rc == RC_OK)
        rc = passing.rc;
    return rc == RC_STALE_HANDLE || rc_is_damage(rc) ? RC_OK : rc;
}

/* Its times, the lock that it tests and the target construct that it is in are the record's, the time
 * of its wait only if the answer has that wait. */
struct thread_facts recorded_merge_thread(struct recorded *state,
                                          const struct recorded_thread *thread,
                                          const struct recorded_region *region,
                                          const struct recorded_team *team)
{
    const struct thread_facts *record = &thread->by_record;
    struct thread_facts out = state->rules->merge_thread(state, thread, region, team);
    if (!thread->has_record)
        return out;
    out.last_wait = record->last_wait;
    out.wait_since = record->wait_since;
    out.tested = record->tested;
    out.tests = record->tests;
    out.tested_since = record->tested_since;
    out.target = record->target;
    out.target_device = record->target_device;
    out.target_codeptr = record->target_codeptr;
    out.target_since = record->target_since;
    if (!fact_is_equal(out.state, record->state) || !fact_is_equal(out.wait_id, record->wait_id))
        out.wait_since = (struct fact){.known = NONE_HERE};
    return out;
}

enum rc recorded_thread(struct instance *instance, struct ref ref, struct thread_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread;
    struct recorded_region region = {.ref = {0, 0}};
    struct recorded_team team = {.barriers = 0};
    reader_begin(instance);
    enum rc rc = recorded_find_thread(state, ref, &thread);
    if (rc == RC_OK && state->rules->records_name)
        rc = find_team(state, &thread, &region, &team);
    reader_end(instance);
    if (rc == RC_OK)
        *out = recorded_merge_thread(state, &thread, &region, &team);
    return rc;
}
