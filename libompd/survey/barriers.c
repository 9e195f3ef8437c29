/* SPDX-License-Identifier: MIT
 *
 * Barriers of teams: arrival counts, from the runtime where it keeps them, else from the
 * states of threads.
 */
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

/* A thread and its innermost region. */
struct member {
    struct ref region;
    struct fact team_size;
    struct fact state;
};

_Static_assert(sizeof(struct member) <= ARRAY_ELEMENT_MAX, "members are sorted");

static bool comes_before(const void *left, const void *right)
{
    const struct member *a = left;
    const struct member *b = right;
    return a->region.id < b->region.id;
}

static enum rc gather_members(const struct array *threads, struct array *members)
{
    const struct surveyed_thread *all = threads->elements;
    for (size_t i = 0; i < threads->count; i++) {
        const struct thread_facts *facts = &all[i].facts;
        if (facts->region.known != KNOWN)
            continue;
        struct member member = {facts->region.ref, facts->team_size, facts->state};
        enum rc rc = array_add(members, &member);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(members, comes_before);
    return RC_OK;
}

static bool waits_in_barrier(struct fact state)
{
    return state.known == KNOWN && (state.value == STATE_wait_barrier ||
                                    state.value == STATE_wait_barrier_implicit ||
                                    state.value == STATE_wait_barrier_explicit);
}

static enum rc by_states(const struct member *members, size_t count,
                         struct array *barriers)
{
    struct surveyed_barrier barrier = {
        .region = members->region,
        .team_size = members->team_size,
        .members = (uint32_t)count,
    };
    for (size_t i = 0; i < count; i++) {
        if (!waits_in_barrier(members[i].state))
            continue;
        if (!barrier.arrived++)
            barrier.state = members[i].state;
        else if (barrier.state.value != members[i].state.value)
            barrier.state.known = NOT_HELD;
    }
    return barrier.arrived ? array_add(barriers, &barrier) : RC_OK;
}

static enum rc by_counts(struct instance *instance, const struct member *members,
                         size_t count, struct array *barriers)
{
    struct barrier_facts facts[BARRIERS_MAX];
    unsigned found;
    enum rc rc = instance->reader->barriers(instance, members->region, facts, &found);
    for (unsigned i = 0; rc == RC_OK && i < found; i++) {
        struct surveyed_barrier barrier = {
            .region = members->region,
            .team_size = members->team_size,
            .state = {KNOWN, facts[i].state},
            .members = (uint32_t)count,
            .arrived = facts[i].arrived,
        };
        rc = array_add(barriers, &barrier);
    }
    return rc;
}

enum rc survey_barriers(struct instance *instance, struct array *barriers)
{
    struct array threads = {0};
    enum rc found = survey_threads(instance, &threads);
    if (!rc_is_answer(found)) {
        array_free(&threads);
        return found;
    }
    *barriers = array_of(instance->space->ops, sizeof(struct surveyed_barrier));
    struct array members = array_of(instance->space->ops, sizeof(struct member));
    enum rc rc = gather_members(&threads, &members);
    const struct member *all = members.elements;
    reader_begin(instance);
    for (size_t i = 0; i < members.count && rc_is_answer(rc);) {
        size_t end = i + 1;
        while (end < members.count && all[end].region.id == all[i].region.id)
            end++;
        enum rc one = instance->reader->barriers
                          ? by_counts(instance, all + i, end - i, barriers)
                          : by_states(all + i, end - i, barriers);
        rc = rc_join(rc, survey_one(instance, one));
        i = end;
    }
    reader_end(instance);
    array_free(&members);
    array_free(&threads);
    return rc_join(found, rc);
}
