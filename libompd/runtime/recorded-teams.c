/* SPDX-License-Identifier: MIT
 *
 * Teams, regions and tasks of a process with two witnesses: what has a record is known by
 * it, and the runtime adds the members that have not begun.
 */
#include "libompd/runtime/recorded.h"

/* The team of a region, whichever witness names it. *memory: NULL where it is not known. */
static enum rc find_team(struct recorded *state, struct ref ref, struct instance **memory,
                         struct ref *team)
{
    struct recorded_region region = {.ref = ref};
    *team = ref;
    *memory = recorded_maker(state, ref, false);
    if (*memory != RECORDS)
        return *memory ? RC_OK : RC_STALE_HANDLE;
    *memory = NULL;
    enum rc rc = ON(RECORDS, region, ref, &region.facts);
    if (rc != RC_OK)
        return rc;
    rc = recorded_team_of_region(state, &region, team);
    if (rc == RC_OK)
        *memory = recorded_maker(state, *team, false);
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}

/* The runtime knows members that have no record, or a larger team than the records hold. */
static bool is_left_to_runtime(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_BAD_INPUT;
}

static enum rc find_in_both(struct recorded *state, struct ref ref, enum members members,
                            uint32_t number, enum rc by_records, struct ref *out)
{
    struct instance *memory;
    struct ref team;
    struct recorded_region region = {.ref = {0, 0}};
    enum rc rc = find_team(state, ref, &memory, &team);
    if (rc == RC_OK && members == MEMBER_TASKS && ref_is_made(ref))
        rc = recorded_region_of_team(state, ref, &region);
    if (rc != RC_OK)
        return rc;
    if (region.ref.id)
        by_records = ON(RECORDS, find_member, region.ref, members, number, out);
    if (!is_left_to_runtime(by_records) || !memory)
        return by_records;
    rc = ON(memory, find_member, team, members, number, out);
    return rc == RC_OK && members == MEMBER_THREADS ? recorded_thread_ref(state, *out, number, out)
                                                    : rc;
}

enum rc recorded_find_member(struct instance *instance, struct ref region, enum members members,
                             uint32_t number, struct ref *out)
{
    struct recorded *state = recorded_state(instance);
    enum rc rc = ref_is_made(region) ? RC_UNAVAILABLE
                                     : ON(RECORDS, find_member, region, members, number, out);
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
static enum rc walk_numbers(struct instance *instance, struct ref region, enum members members,
                            uint64_t count, ref_visitor *visit, void *arg)
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

enum rc recorded_walk_members(struct instance *instance, struct ref region, enum members members,
                              ref_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    struct region_facts facts;
    size_t begun = 0;
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

static enum rc name_region(struct recorded *state, struct ref_fact *team,
                           struct recorded_region *region)
{
    enum rc rc = RC_OK;
    region->ref.id = 0;
    if (is_made(*team)) {
        rc = recorded_region_of_team(state, team->ref, region);
        if (rc == RC_OK && region->ref.id)
            team->ref = region->ref;
    }
    return rc;
}

/* One that the records have is that record's by now; another one is inside of one that they do. */
enum rc recorded_complete_region(struct recorded *state, struct ref ref, struct region_facts *facts)
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
    rc = name_region(state, &facts->enclosing, &region);
    if (rc == RC_OK)
        rc = name_thread(state, &facts->master);
    return recorded_is_missing(rc) ? RC_OK : rc;
}

bool recorded_is_planned(struct recorded *state, struct task_facts *facts)
{
    bool has_begun = facts->progress.value != TASK_PROGRESS_READY &&
                     facts->progress.value != TASK_PROGRESS_WAITING;
    return !has_begun && facts->function.known == KNOWN &&
           ON(RECORDS, planned_task, facts->function.value, facts->record.value, facts) == RC_OK;
}

/* The task of a member that has not begun it has the record's region, parent and function, and no
 * frames. */
enum rc recorded_complete_task(struct recorded *state, struct ref ref, struct task_facts *facts)
{
    struct recorded_region region;
    (void)ref;
    if (recorded_is_planned(state, facts))
        return RC_OK;
    enum rc rc = name_thread(state, &facts->thread);
    if (rc == RC_OK)
        rc = name_region(state, &facts->region, &region);
    if (rc == RC_OK && region.ref.id && facts->kind.value == TASK_KIND_IMPLICIT) {
        facts->parent = region.facts.encountering_task;
        facts->function = region.facts.function;
        facts->enter_frame.known = facts->exit_frame.known = NONE_HERE;
        if (facts->scheduling.known == KNOWN)
            facts->scheduling = facts->parent;
    }
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* An object as its witness has it, and what is recorded of one that memory names. */
#define OBJECT(object)                                                                             \
    enum rc recorded_##object(struct instance *instance, struct ref ref,                           \
                              struct object##_facts *out)                                          \
    {                                                                                              \
        struct recorded *state = recorded_state(instance);                                         \
        struct instance *maker = recorded_maker(state, ref, false);                                \
        struct object##_facts facts;                                                               \
        if (!maker)                                                                                \
            return RC_STALE_HANDLE;                                                                \
        if (maker == RECORDS)                                                                      \
            return ON(RECORDS, object, ref, out);                                                  \
        reader_begin(instance);                                                                    \
        enum rc rc = ON(maker, object, ref, &facts);                                               \
        if (rc == RC_OK && recorded_goes_on(state))                                                \
            rc = state->rules->complete_##object(state, ref, &facts);                              \
        reader_end(instance);                                                                      \
        if (rc == RC_OK)                                                                           \
            *out = facts;                                                                          \
        return rc;                                                                                 \
    }

OBJECT(region)
OBJECT(task)

void recorded_count_arrivals(struct recorded *state, struct recorded_team *team)
{
    struct instance *memory = recorded_maker(state, team->ref, false);
    team->is_counted =
        memory && ON(memory, barriers, team->ref, team->barrier, &team->barriers) == RC_OK;
}

enum rc recorded_barriers(struct instance *instance, struct ref region,
                          struct barrier_facts out[BARRIERS_MAX], unsigned *count)
{
    struct recorded *state = recorded_state(instance);
    struct instance *memory;
    struct ref team;
    reader_begin(instance);
    enum rc rc = find_team(state, region, &memory, &team);
    if (rc == RC_OK)
        rc = memory ? ON(memory, barriers, team, out, count) : RC_UNAVAILABLE;
    reader_end(instance);
    return rc;
}

enum rc recorded_absence(struct instance *instance, struct ref region, struct absence_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct instance *memory;
    struct ref team;
    enum rc rc = find_team(state, region, &memory, &team);
    if (rc != RC_OK)
        return rc;
    return memory ? ON(memory, absence, team, out) : RC_UNSUPPORTED;
}
