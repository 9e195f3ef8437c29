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
    uint32_t team_size, state;
    uint64_t codeptr;
    unsigned char has_team_size, has_state, has_codeptr, kind;
    uint32_t entered; /* barriers of the team, the one that it is in included; 0: not known */
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
        struct member member = {
            .region = facts->region.ref,
            .team_size = (uint32_t)facts->team_size.value,
            .state = (uint32_t)facts->state.value,
            .codeptr = facts->codeptr.value,
            .has_team_size = facts->team_size.known == KNOWN,
            .has_state = facts->state.known == KNOWN,
            .has_codeptr = facts->codeptr.known == KNOWN,
            .kind = (unsigned char)(facts->barrier.known == KNOWN ? facts->barrier.value
                                                                  : BARRIER_NONE),
            .entered = facts->barriers_entered.known == KNOWN
                           ? (uint32_t)facts->barriers_entered.value
                           : 0,
        };
        enum rc rc = array_add(members, &member);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(members, comes_before);
    return RC_OK;
}

static bool waits_in_barrier(const struct member *member)
{
    return member->has_state &&
           (member->state == STATE_wait_barrier || member->state == STATE_wait_barrier_implicit ||
            member->state == STATE_wait_barrier_explicit);
}

static struct surveyed_barrier barrier_of(const struct member *members, size_t count)
{
    return (struct surveyed_barrier){
        .region = members->region,
        .team_size = {members->has_team_size ? KNOWN : NOT_HELD, members->team_size},
        .members = (uint32_t)count,
    };
}

static void keep_common(struct fact *fact, bool is_first, bool is_known, uint64_t value)
{
    if (is_first)
        *fact = (struct fact){is_known ? KNOWN : NOT_HELD, value};
    else if (!is_known || fact->value != value)
        fact->known = NOT_HELD;
}

/* How many barriers of the team one of its members has left. */
static uint32_t find_passed(const struct member *members, size_t count)
{
    uint32_t passed = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t entered = members[i].entered;
        if (entered && entered - (members[i].kind != BARRIER_NONE) > passed)
            passed = entered - (members[i].kind != BARRIER_NONE);
    }
    return passed;
}

/* What the threads that wait in a barrier of a kind have in common. Returns how many are in it,
 * with those that run tasks there. */
static uint32_t count_members(const struct member *members, size_t count, unsigned kind,
                              struct surveyed_barrier *out)
{
    uint32_t waiting = 0, inside = 0;
    for (size_t i = 0; i < count; i++) {
        const struct member *member = &members[i];
        if (member->kind != kind)
            continue;
        inside += kind || waits_in_barrier(member);
        if (!waits_in_barrier(member))
            continue;
        keep_common(&out->state, !waiting, true, member->state);
        keep_common(&out->codeptr, !waiting, member->has_codeptr, member->codeptr);
        waiting++;
    }
    return inside;
}

/* By records a thread waits until it runs again; the barrier has released it once another member
 * has left that, too. */
static void leave_passed(struct member *members, size_t count)
{
    uint32_t passed = find_passed(members, count);
    for (size_t i = 0; i < count; i++) {
        if (!members[i].entered || members[i].entered > passed)
            continue;
        members[i].kind = BARRIER_NONE;
        members[i].has_state = false;
    }
}

/* Without an arrival count: the threads that wait. Records of an older version do not
 * say in which of the two. */
static enum rc by_states(struct member *members, size_t count, struct array *barriers)
{
    enum rc rc = RC_OK;
    leave_passed(members, count);
    for (unsigned kind = BARRIER_NONE; rc == RC_OK && kind <= BARRIER_END; kind++) {
        struct surveyed_barrier barrier = barrier_of(members, count);
        barrier.arrived = count_members(members, count, kind, &barrier);
        barrier.kind = (struct fact){kind ? KNOWN : NOT_HELD, kind};
        if (barrier.arrived)
            rc = array_add(barriers, &barrier);
    }
    return rc;
}

static enum rc by_counts(struct instance *instance, const struct member *members, size_t count,
                         struct array *barriers)
{
    struct barrier_facts facts[BARRIERS_MAX];
    unsigned found;
    enum rc rc = instance->reader->barriers(instance, members->region, facts, &found);
    for (unsigned i = 0; rc == RC_OK && i < found; i++) {
        struct surveyed_barrier barrier = barrier_of(members, count);
        unsigned kind = facts[i].kind;
        for (unsigned k = BARRIER_WITHIN; !kind && k <= BARRIER_END; k++)
            kind = count_members(members, count, k, &barrier) ? k : BARRIER_NONE;
        (void)count_members(members, count, kind, &barrier);
        barrier.state = (struct fact){KNOWN, facts[i].state};
        barrier.kind = (struct fact){kind ? KNOWN : NOT_HELD, kind};
        barrier.generation = facts[i].generation;
        barrier.arrived = facts[i].arrived;
        rc = array_add(barriers, &barrier);
    }
    return rc;
}

/* A team of which the runtime's memory cannot be found is known by its threads. */
static enum rc add_barriers(struct instance *instance, struct member *members, size_t count,
                            struct array *barriers)
{
    enum rc rc =
        instance->reader->barriers ? by_counts(instance, members, count, barriers) : RC_UNAVAILABLE;
    return rc == RC_UNAVAILABLE || rc == RC_STALE_HANDLE ? by_states(members, count, barriers) : rc;
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
    struct member *all = members.elements;
    reader_begin(instance);
    for (size_t i = 0; i < members.count && rc_is_answer(rc);) {
        size_t end = i + 1;
        while (end < members.count && all[end].region.id == all[i].region.id)
            end++;
        enum rc one = add_barriers(instance, all + i, end - i, barriers);
        rc = rc_join(rc, survey_one(instance, one));
        i = end;
    }
    reader_end(instance);
    array_free(&members);
    array_free(&threads);
    return rc_join(found, rc);
}
