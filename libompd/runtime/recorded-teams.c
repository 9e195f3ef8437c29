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

enum rc recorded_team_thread(struct instance *instance, struct ref region, uint32_t number,
                             struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    struct both both;
    struct ref runtime;
    enum rc by_records = RC_UNAVAILABLE;
    if (!ref_is_made(region))
        by_records = ON(RECORDS, team_thread, region, number, out);
    if (!is_left_to_runtime(by_records))
        return by_records;
    reader_begin(instance);
    enum rc rc = find_both(state, region, &both);
    if (rc == RC_OK)
        rc = both.memory ? ON(both.memory, team_thread, both.team, number, &runtime)
                         : by_records;
    if (rc == RC_OK)
        rc = recorded_member_ref(state, runtime, number, out);
    reader_end(instance);
    return rc;
}

enum rc recorded_implicit_task(struct instance *instance, struct ref region,
                               uint32_t number, struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    struct both both;
    enum rc by_records = RC_UNAVAILABLE;
    if (!ref_is_made(region))
        by_records = ON(RECORDS, implicit_task, region, number, out);
    if (!is_left_to_runtime(by_records))
        return by_records;
    reader_begin(instance);
    enum rc rc = find_both(state, region, &both);
    if (rc == RC_OK && ref_is_made(region) && both.region.ref.id)
        by_records = ON(RECORDS, implicit_task, both.region.ref, number, out);
    if (rc == RC_OK)
        rc = is_left_to_runtime(by_records) && both.memory
                 ? ON(both.memory, implicit_task, both.team, number, out)
                 : by_records;
    reader_end(instance);
    return rc;
}

static bool count_ref(void *arg, struct ref ref)
{
    size_t *count = arg;
    (void)ref;
    ++*count;
    return true;
}

typedef enum rc member_walk(struct instance *instance, struct ref region, ref_visitor *visit,
                            void *arg);
typedef enum rc member_finder(struct instance *instance, struct ref region, uint32_t number,
                              struct ref *out);

/* By their numbers, where some have no record. */
static enum rc walk_numbers(struct instance *instance, struct ref region, uint64_t count,
                            member_finder *find, ref_visitor *visit, void *arg)
{
    reader_begin(instance);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < count; i++) {
        struct ref ref;
        rc = find(instance, region, i, &ref);
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

static enum rc walk_members(struct instance *instance, struct ref region, member_walk *walk,
                            member_finder *find, ref_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    struct region_facts facts;
    size_t begun = 0;
    struct instance *witness =
        ref_is_made(region) ? recorded_maker(state, region, false) : RECORDS;
    enum rc rc = witness ? ON(witness, region, region, &facts) : RC_STALE_HANDLE;
    if (rc == RC_OK && !ref_is_made(region))
        rc = walk(witness, region, count_ref, &begun);
    if (rc != RC_OK)
        return rc;
    if (!ref_is_made(region) &&
        (facts.num_threads.known != KNOWN || facts.league.value ||
         begun >= facts.num_threads.value))
        return walk(witness, region, visit, arg);
    return walk_numbers(instance, region, facts.num_threads.value, find, visit, arg);
}

enum rc recorded_walk_team(struct instance *instance, struct ref region, ref_visitor *visit,
                           void *arg)
{
    struct recorded *state = recorded_state(instance);
    return walk_members(instance, region, state->records.reader->walk_team,
                        recorded_team_thread, visit, arg);
}

enum rc recorded_walk_implicit_tasks(struct instance *instance, struct ref region,
                                     ref_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    return walk_members(instance, region, state->records.reader->walk_implicit_tasks,
                        recorded_implicit_task, visit, arg);
}

static bool is_made(struct ref_fact fact)
{
    return fact.known == KNOWN && ref_is_made(fact.ref);
}

/* The record of an object that the runtime's reader names, where it has one. */
static enum rc name_thread(struct recorded *state, struct ref_fact *thread)
{
    return is_made(*thread) ? recorded_thread_ref(state, thread->ref, &thread->ref) : RC_OK;
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

/* A region that the records do not tell of, inside of one that they do. */
static enum rc complete_region(struct recorded *state, struct region_facts *facts)
{
    enum rc rc = name_region(state, &facts->enclosing);
    if (rc == RC_OK)
        rc = name_thread(state, &facts->master);
    return rc == RC_STALE_HANDLE || rc_is_damage(rc) ? RC_OK : rc;
}

enum rc recorded_region(struct instance *instance, struct ref ref, struct region_facts *out)
{
    struct recorded *state = recorded_state(instance);
    if (!ref_is_made(ref))
        return ON(RECORDS, region, ref, out);
    struct region_facts facts;
    struct recorded_region region;
    struct instance *memory = recorded_maker(state, ref, false);
    reader_begin(instance);
    enum rc rc = memory ? ON(memory, region, ref, &facts) : RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = recorded_region_of_team(state, ref, &region);
    if (rc == RC_OK && region.ref.id) { /* it has a record by now */
        facts = region.facts;
    } else if (rc == RC_OK) {
        facts.runtime = (struct fact){KNOWN, memory->image.entry};
        rc = complete_region(state, &facts);
    }
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}

/* The task of a member that has not begun it has the record's region and parent. */
static enum rc complete_task(struct recorded *state, struct task_facts *facts)
{
    struct recorded_region region;
    enum rc rc = name_thread(state, &facts->thread);
    if (rc == RC_OK && is_made(facts->region)) {
        rc = recorded_region_of_team(state, facts->region.ref, &region);
        if (rc == RC_OK && region.ref.id) {
            facts->region.ref = region.ref;
            if (facts->kind.value == TASK_KIND_IMPLICIT)
                facts->parent = region.facts.encountering_task;
        }
    }
    return rc == RC_STALE_HANDLE || rc_is_damage(rc) ? RC_OK : rc;
}

enum rc recorded_task(struct instance *instance, struct ref ref, struct task_facts *out)
{
    struct recorded *state = recorded_state(instance);
    if (!ref_is_made(ref))
        return ON(RECORDS, task, ref, out);
    struct task_facts facts;
    struct instance *memory = recorded_maker(state, ref, false);
    reader_begin(instance);
    enum rc rc = memory ? ON(memory, task, ref, &facts) : RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = complete_task(state, &facts);
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}

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
