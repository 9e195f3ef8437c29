/* SPDX-License-Identifier: MIT
 *
 * Teams, regions and tasks of a process with two witnesses: what has a record is told by
 * it, and the runtime adds the members that have not begun.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

/* A region by its reference, of either kind. `memory`: NULL where its team is not known. */
struct both {
    struct recorded_region region;
    struct instance *memory;
    struct ref team;
};

static enum rc find_both(struct recorded *state, struct ref ref, struct both *out)
{
    memset(out, 0, sizeof *out);
    if (ref_is_made(ref)) {
        out->team = ref;
        out->memory = recorded_maker(state, ref, false);
        return recorded_region_of_team(state, ref, &out->region);
    }
    out->region.ref = ref;
    enum rc rc = ON(RECORDS, region, ref, &out->region.facts);
    if (rc != RC_OK)
        return rc;
    rc = recorded_team_of_region(state, &out->region, &out->team);
    if (rc == RC_OK)
        out->memory = recorded_maker(state, out->team, false);
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}

/* The runtime knows members that have no record, or a larger team than the records hold. */
static bool is_left_to_runtime(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_BAD_INPUT;
}

static enum rc find_in_both(struct recorded *state, struct ref region, enum members members,
                            uint32_t number, enum rc by_records, struct ref *out)
{
    struct both both;
    enum rc rc = find_both(state, region, &both);
    if (rc != RC_OK)
        return rc;
    if (members == MEMBER_TASKS && ref_is_made(region) && both.region.ref.id)
        by_records = ON(RECORDS, find_member, both.region.ref, members, number, out);
    if (!is_left_to_runtime(by_records) || !both.memory)
        return by_records;
    rc = ON(both.memory, find_member, both.team, members, number, out);
    return rc == RC_OK && members == MEMBER_THREADS
               ? recorded_thread_ref(state, *out, number, out)
               : rc;
}

enum rc recorded_find_member(struct instance *instance, struct ref region,
                             enum members members, uint32_t number, struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    enum rc rc = RC_UNAVAILABLE;
    if (!state->rules->records_name)
        return ON(RUNTIME, find_member, region, members, number, out);
    if (!ref_is_made(region))
        rc = ON(RECORDS, find_member, region, members, number, out);
    if (!is_left_to_runtime(rc))
        return rc;
    struct ref found;
    reader_begin(instance);
    rc = find_in_both(state, region, members, number, rc, &found);
    reader_end(instance);
    if (rc == RC_OK)
        *out = found;
    return rc;
}

static bool count_ref(void *arg, struct ref ref)
{
    size_t *count = arg;
    (void)ref;
    ++*count;
    return true;
}

/* By their numbers, where some have no record. */
static enum rc walk_numbers(struct instance *instance, struct ref region,
                            enum members members, uint64_t count, ref_visitor *visit,
                            void *arg)
{
    reader_begin(instance);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < count; i++) {
        struct ref ref;
        rc = recorded_find_member(instance, region, members, i, &ref);
        if (rc == RC_OK && !visit(arg, ref))
            break;
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
        if (rc == RC_BAD_INPUT) { /* the team has got smaller */
            rc = RC_OK;
            break;
        }
    }
    reader_end(instance);
    return rc;
}

enum rc recorded_walk_members(struct instance *instance, struct ref region,
                              enum members members, ref_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    struct region_facts facts;
    size_t begun = 0;
    if (!state->rules->records_name)
        return ON(RUNTIME, walk_members, region, members, visit, arg);
    struct instance *maker = recorded_maker(state, region, false);
    enum rc rc = maker ? ON(maker, region, region, &facts) : RC_STALE_HANDLE;
    if (rc == RC_OK && maker == RECORDS)
        rc = ON(maker, walk_members, region, members, count_ref, &begun);
    if (rc != RC_OK)
        return rc;
    if (maker == RECORDS && (facts.num_threads.known != KNOWN || facts.league.value ||
                             begun >= facts.num_threads.value))
        return ON(maker, walk_members, region, members, visit, arg);
    return walk_numbers(instance, region, members, facts.num_threads.value, visit, arg);
}

static bool is_made(struct ref_fact fact)
{
    return fact.known == KNOWN && ref_is_made(fact.ref);
}

/* The record of an object that the runtime's reader names, where it has one. */
static enum rc name_thread(struct recorded *state, struct ref_fact *thread)
{
    return is_made(*thread) ? recorded_thread_ref(state, thread->ref, 0, &thread->ref) : RC_OK;
}

static enum rc name_region(struct recorded *state, struct ref_fact *team)
{
    struct recorded_region region;
    enum rc rc = RC_OK;
    if (is_made(*team)) {
        rc = recorded_region_of_team(state, team->ref, &region);
        if (rc == RC_OK && region.ref.id)
            team->ref = region.ref;
    }
    return rc;
}

/* One that the records have is that record's by now; another one is inside of one that they do. */
enum rc recorded_complete_region(struct recorded *state, struct ref ref,
                                 struct region_facts *facts)
{
    struct recorded_region region;
    enum rc rc = recorded_region_of_team(state, ref, &region);
    if (rc != RC_OK)
        return rc;
    if (region.ref.id) {
        *facts = region.facts;
        return RC_OK;
    }
    facts->runtime = (struct fact){KNOWN, recorded_maker(state, ref, false)->image.entry};
    rc = name_region(state, &facts->enclosing);
    if (rc == RC_OK)
        rc = name_thread(state, &facts->master);
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* The task of a member that has not begun it has the record's region and parent. */
enum rc recorded_complete_task(struct recorded *state, struct ref ref,
                               struct task_facts *facts)
{
    struct recorded_region region;
    (void)ref;
    enum rc rc = name_thread(state, &facts->thread);
    if (rc == RC_OK && is_made(facts->region)) {
        rc = recorded_region_of_team(state, facts->region.ref, &region);
        if (rc == RC_OK && region.ref.id) {
            facts->region.ref = region.ref;
            if (facts->kind.value == TASK_KIND_IMPLICIT)
                facts->parent = region.facts.encountering_task;
        }
    }
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* An object as its witness has it, and what is recorded of one that memory names. */
#define OBJECT(object)                                                                   \
    enum rc recorded_##object(struct instance *instance, struct ref ref,                 \
                              struct object##_facts *out)                                \
    {                                                                                    \
        struct recorded *state = recorded_state(instance);                               \
        struct instance *maker = recorded_maker(state, ref, false);                      \
        struct object##_facts facts;                                                     \
        if (!maker)                                                                      \
            return RC_STALE_HANDLE;                                                      \
        if (maker == RECORDS)                                                            \
            return ON(RECORDS, object, ref, out);                                        \
        reader_begin(instance);                                                          \
        enum rc rc = ON(maker, object, ref, &facts);                                     \
        if (rc == RC_OK && recorded_goes_on(state))                                      \
            rc = state->rules->complete_##object(state, ref, &facts);                    \
        reader_end(instance);                                                            \
        if (rc == RC_OK)                                                                 \
            *out = facts;                                                                \
        return rc;                                                                       \
    }

OBJECT(region)
OBJECT(task)

void recorded_count_arrivals(struct recorded *state, struct recorded_team *team)
{
    struct instance *memory = recorded_maker(state, team->ref, false);
    team->is_counted = memory && ON(memory, barriers, team->ref, team->barrier,
                                    &team->barriers) == RC_OK;
}

enum rc recorded_barriers(struct instance *instance, struct ref region,
                          struct barrier_facts out[BARRIERS_MAX], unsigned *count)
{
    struct recorded *state = recorded_state(instance);
    struct both both;
    reader_begin(instance);
    enum rc rc = find_both(state, region, &both);
    if (rc == RC_OK)
        rc = both.memory ? ON(both.memory, barriers, both.team, out, count)
                         : RC_UNAVAILABLE;
    reader_end(instance);
    return rc;
}
