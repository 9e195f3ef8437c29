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

static enum rc find_in(struct instance *memory, struct recorded_thread *thread)
{
    if (thread->by_record.pthread.known != KNOWN)
        return RC_OK;
    thread->memory = memory;
    enum rc rc = ON(memory, find_thread, OS_THREAD_PTHREAD,
                    thread->by_record.pthread.value, &thread->runtime);
    if (rc == RC_OK)
        rc = ON(memory, thread, thread->runtime, &thread->by_runtime);
    thread->has_runtime =
        rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return is_missing(rc) ? RC_OK : rc;
}

/* A thread that has a record, in the runtime that it is in of those that know it. */
static enum rc find_in_any(struct recorded *state, struct recorded_thread *thread)
{
    struct recorded_thread unknown = {
        .has_record = true, .record = thread->record, .by_record = thread->by_record};
    struct recorded_region region = {.ref = {0, 0}};
    struct instance *memory = recorded_next(state, NULL);
    enum rc rc = memory && recorded_next(state, memory)
                     ? recorded_find_region(state, unknown.by_record.region, &region)
                     : RC_OK;
    *thread = unknown;
    for (; rc == RC_OK && memory; memory = recorded_next(state, memory)) {
        struct recorded_thread now = unknown;
        rc = find_in(memory, &now);
        if (rc == RC_OK && now.has_runtime &&
            recorded_is_inner(state, &now, thread, &region))
            *thread = now;
    }
    return rc;
}

static enum rc find_record(struct recorded *state, struct recorded_thread *thread)
{
    enum rc rc = ON(RECORDS, find_thread, OS_THREAD_LWP, thread->by_runtime.lwp.value,
                    &thread->record);
    if (rc == RC_OK)
        rc = ON(RECORDS, thread, thread->record, &thread->by_record);
    thread->has_record =
        rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return is_missing(rc) ? RC_OK : rc;
}

/* A thread by its record, so far without a runtime, or by the name that one gave it. */
static enum rc find_named(struct recorded *state, struct ref ref,
                          struct recorded_thread *out)
{
    memset(out, 0, sizeof *out);
    if (!ref_is_made(ref)) {
        out->record = ref;
        enum rc rc = ON(RECORDS, thread, ref, &out->by_record);
        out->has_record = rc == RC_OK;
        return rc;
    }
    out->runtime = ref;
    out->memory = recorded_maker(state, ref, true);
    enum rc rc =
        out->memory ? ON(out->memory, thread, ref, &out->by_runtime) : RC_STALE_HANDLE;
    out->has_runtime = rc == RC_OK;
    return rc == RC_OK ? find_record(state, out) : rc;
}

enum rc recorded_find_thread(struct recorded *state, struct ref ref,
                             struct recorded_thread *out)
{
    enum rc rc = find_named(state, ref, out);
    bool is_found = out->has_runtime && !recorded_next(state, recorded_next(state, NULL));
    return rc == RC_OK && out->has_record && !is_found ? find_in_any(state, out) : rc;
}

enum rc recorded_thread_ref(struct recorded *state, struct ref runtime, struct ref *out)
{
    struct recorded_thread thread;
    enum rc rc = find_named(state, runtime, &thread);
    if (rc == RC_OK)
        *out = thread.has_record ? thread.record : runtime;
    return rc;
}

/* Until a thread has begun, its place in the team may hold the address of one that has ended,
 * where one that the program has made since now stands: that one is in no region. */
enum rc recorded_member_ref(struct recorded *state, struct ref runtime, uint32_t number,
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

enum rc recorded_find_region(struct recorded *state, struct ref_fact ref,
                             struct recorded_region *out)
{
    memset(out, 0, sizeof *out);
    if (ref.known != KNOWN || !ref.ref.id)
        return RC_OK;
    enum rc rc = ON(RECORDS, region, ref.ref, &out->facts);
    if (rc == RC_OK)
        out->ref = ref.ref;
    return is_missing(rc) ? RC_OK : rc;
}

enum rc recorded_find_own(struct recorded *state, const struct instance *memory,
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
    return rc == RC_OK ? recorded_find_own(state, memory, region) : rc;
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
    return is_missing(rc) ? RC_OK : rc;
}

/* The thread is in a region of another runtime: the first one of this runtime around that is its
 * team, unless it is just being made or ended. */
static enum rc pair_across(struct recorded *state, const struct recorded_thread *thread,
                           struct ref *team, struct recorded_region *paired)
{
    const struct thread_facts *m = &thread->by_runtime;
    enum rc rc = recorded_find_own(state, thread->memory, paired);
    if (rc == RC_OK && paired->ref.id && m->region.known == KNOWN &&
        !paired->facts.league.value && paired->facts.level.value == m->level.value &&
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

/* A thread as one of the runtimes has it. */
static enum rc find_thread_in(struct recorded *state, struct instance *memory,
                              struct ref ref, struct recorded_thread *out)
{
    enum rc rc = find_named(state, ref, out);
    return rc == RC_OK && !out->has_runtime ? find_in(memory, out) : rc;
}

/* Any member shows it that has begun its task. */
static enum rc find_by_members(struct recorded *state, struct instance *memory,
                               struct instance *names, struct ref wanted,
                               struct nest *nest, bool *out)
{
    *out = false;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && !*out && i < RECORDED_MEMBERS_MAX; i++) {
        struct ref ref;
        struct recorded_thread thread;
        rc = ON(names, team_thread, wanted, i, &ref);
        if (rc == RC_BAD_INPUT)
            return RC_OK;
        if (rc == RC_OK)
            rc = find_thread_in(state, memory, ref, &thread);
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
        rc = find_thread_in(state, memory, region->facts.master.ref, &master);
        if (rc == RC_OK)
            rc = find_by_thread(state, &master, region->ref, &nest, &found);
        if (is_missing(rc))
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
