/* SPDX-License-Identifier: MIT
 *
 * Locks and critical sections, with the threads that wait for them.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

/* A thread that waits for a lock. The first of those that wait for the same one speaks
 * for all of them: a hostile target may have any number of locks with one address, and
 * none of those may visit every waiter. */
struct waiter {
    uint64_t address;
    struct ref thread;
    uint64_t state;
    uint32_t same;    /* first ones: how many wait for the address */
    bool is_recorded; /* first ones: there is a record of the lock */
};

static bool waits_for_lock(uint64_t state)
{
    return state == STATE_wait_lock || state == STATE_wait_nest_lock ||
           state == STATE_wait_critical || state == STATE_wait_atomic;
}

static enum lock_kind kind_of_wait(uint64_t state)
{
    switch (state) {
    case STATE_wait_lock:
        return LOCK_KIND_SIMPLE;
    case STATE_wait_nest_lock:
        return LOCK_KIND_NEST;
    case STATE_wait_critical:
        return LOCK_KIND_CRITICAL;
    default:
        return LOCK_KIND_ATOMIC;
    }
}

_Static_assert(sizeof(struct waiter) <= ARRAY_ELEMENT_MAX, "waiters are sorted");

static bool comes_before(const void *left, const void *right)
{
    const struct waiter *a = left;
    const struct waiter *b = right;
    return a->address != b->address ? a->address < b->address : a->thread.id < b->thread.id;
}

static void count_same(const struct array *waiters)
{
    struct waiter *all = waiters->elements;
    for (size_t i = 0, first = 0; i < waiters->count; i++) {
        if (all[i].address != all[first].address)
            first = i;
        all[first].same++;
    }
}

/* Adds those of one runtime. */
static enum rc gather_waiters(struct instance *instance, struct array *waiters)
{
    struct array threads = {0};
    enum rc found = survey_threads(instance, &threads), rc = RC_OK;
    const struct surveyed_thread *all = threads.elements;
    for (size_t i = 0; rc == RC_OK && rc_is_answer(found) && i < threads.count; i++) {
        const struct thread_facts *facts = &all[i].facts;
        if (facts->state.known != KNOWN || !waits_for_lock(facts->state.value) ||
            facts->wait_id.known != KNOWN || !facts->wait_id.value)
            continue;
        struct waiter waiter = {
            .address = facts->wait_id.value, .thread = all[i].ref, .state = facts->state.value};
        rc = array_add(waiters, &waiter);
    }
    array_free(&threads);
    return rc == RC_OK ? found : rc;
}

static void sort_waiters(struct array *waiters)
{
    array_sort(waiters, comes_before);
    count_same(waiters);
}

/* The first waiter of an address, or NULL. */
static struct waiter *find_first(const struct array *waiters, uint64_t address)
{
    struct waiter *all = waiters->elements;
    size_t at = array_lower(waiters, &(struct waiter){.address = address}, comes_before);
    return at < waiters->count && all[at].address == address ? &all[at] : NULL;
}

static struct surveyed_lock awaited_lock(const struct array *waiters, const struct waiter *first)
{
    return (struct surveyed_lock){
        .first_waiter = (size_t)(first - (const struct waiter *)waiters->elements),
        .waiters = first->same,
    };
}

struct walk {
    struct collector locks;
    struct array *waiters; /* of struct waiter */
};

static bool visit_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct walk *walk = arg;
    struct surveyed_lock lock = {0};
    struct waiter *first = find_first(walk->waiters, facts->address.value);
    if (first) {
        lock = awaited_lock(walk->waiters, first);
        first->is_recorded = true;
    }
    lock.ref = ref;
    lock.facts = *facts;
    return collect(&walk->locks, &lock);
}

/* Locks that have waiters and no record. `life`: LOCK_LIFE_UNSEEN where records would show that
 * one was initialised. */
static enum rc add_unrecorded(const struct array *waiters, struct fact life, struct array *locks)
{
    const struct waiter *all = waiters->elements;
    for (size_t i = 0; i < waiters->count; i += all[i].same) {
        struct surveyed_lock lock = awaited_lock(waiters, &all[i]);
        if (!all[i].is_recorded) {
            lock.facts.address = (struct fact){KNOWN, all[i].address};
            lock.facts.kind = (struct fact){KNOWN, kind_of_wait(all[i].state)};
            lock.facts.life = life;
            enum rc rc = array_add(locks, &lock);
            if (rc != RC_OK)
                return rc;
        }
    }
    return RC_OK;
}

static enum rc copy_refs(const struct array *waiters, struct array *out)
{
    const struct waiter *all = waiters->elements;
    for (size_t i = 0; i < waiters->count; i++) {
        enum rc rc = array_add(out, &all[i].thread);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

static enum rc gather_locks(struct instance *instance, struct array *waiters, struct array *locks)
{
    *locks = array_of(instance->space->ops, sizeof(struct surveyed_lock));
    struct walk walk = {{locks, SURVEY_LOCKS_MAX, RC_OK}, waiters};
    enum rc rc = instance->reader->each_lock(instance, visit_lock, &walk);
    return rc_join(rc, walk.locks.rc);
}

/* The waiters of one runtime, and whether what it does is recorded. */
static enum rc gather_runtime(struct instance *instance, struct array *waiters, bool *recorded)
{
    const struct reader *reader = instance->reader;
    *recorded = false;
    if (!reader->each_lock)
        return RC_UNSUPPORTED;
    enum rc rc = reader->records ? reader->records(instance, recorded) : RC_OK;
    return rc == RC_OK ? gather_waiters(instance, waiters) : rc;
}

/* `all`: of the runtimes before. */
static enum rc join(enum rc all, enum rc own, bool is_first)
{
    bool lists_none = own == RC_UNSUPPORTED || own == RC_NEEDS_TRACKING;
    if (is_first || all == RC_UNSUPPORTED || own == RC_NOMEM)
        return own;
    if (lists_none || !rc_is_answer(all))
        return all;
    return rc_is_answer(own) ? rc_join(all, own) : RC_INCOMPLETE;
}

/* Of one runtime or, NULL, of all. Where threads or locks were left out, the waiters of those that
 * were not are listed all the same: the locks say where in the vector theirs begin. A thread of one
 * runtime may wait for a lock of another. */
static enum rc survey(struct space *space, struct instance *only, struct survey_parts *locks,
                      struct array *out)
{
    struct array waiters = array_of(space->ops, sizeof(struct waiter));
    struct array *last = NULL;
    struct fact life = {KNOWN, LOCK_LIFE_UNSEEN};
    enum rc found[INSTANCES_MAX] = {RC_OK}, rc = RC_UNSUPPORTED;
    *out = array_of(space->ops, sizeof(struct ref));
    locks->count = 0;
    for (struct instance *i = NULL; (i = only ? (i ? NULL : only) : instance_next(space, i));) {
        struct survey_part *part = &locks->part[locks->count];
        *part = (struct survey_part){.instance = i};
        bool recorded;
        found[locks->count++] = gather_runtime(i, &waiters, &recorded);
        if (!recorded)
            life.known = NEEDS_TRACKING;
    }
    sort_waiters(&waiters);
    for (unsigned i = 0; rc != RC_NOMEM && i < locks->count; i++) {
        struct survey_part *part = &locks->part[i];
        enum rc own = found[i];
        if (rc_is_answer(own))
            own = rc_join(gather_locks(part->instance, &waiters, &part->elements), own);
        if (rc_is_answer(own))
            last = &part->elements;
        else
            array_free(&part->elements);
        rc = join(rc, own, !i);
    }
    enum rc rest = rc_is_answer(rc) && last ? add_unrecorded(&waiters, life, last) : RC_OK;
    if (rest == RC_OK)
        rest = copy_refs(&waiters, out);
    array_free(&waiters);
    return rest == RC_OK ? rc : rest;
}

enum rc survey_locks(struct instance *instance, struct array *locks, struct array *waiters)
{
    struct survey_parts parts;
    enum rc rc = survey(instance->space, instance, &parts, waiters);
    *locks = parts.part[0].elements;
    return rc;
}

enum rc survey_all_locks(struct space *space, struct survey_parts *locks,
                         struct survey_parts *waiters)
{
    struct instance *instance;
    locks->count = waiters->count = 0;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    waiters->count = 1;
    waiters->part[0].instance = instance;
    return survey(space, NULL, locks, &waiters->part[0].elements);
}

static enum rc pick_lock(const struct array *locks, taddr address, enum lock_kind kind,
                         struct surveyed_lock *out)
{
    const struct surveyed_lock *all = locks->elements;
    for (size_t i = 0; i < locks->count; i++) {
        if (all[i].facts.address.value != address || all[i].facts.kind.known != KNOWN ||
            all[i].facts.kind.value != kind)
            continue;
        *out = all[i];
        out->first_waiter = 0;
        return RC_OK;
    }
    return RC_UNAVAILABLE;
}

static enum rc read_lock(struct instance *instance, taddr address, enum lock_kind kind,
                         struct surveyed_lock *out)
{
    struct surveyed_lock lock = {0};
    enum rc rc = instance->reader->lock(instance, address, kind, &lock.facts);
    if (rc == RC_OK)
        *out = lock;
    return rc;
}

enum rc survey_lock(struct instance *instance, taddr address, enum lock_kind kind,
                    struct surveyed_lock *out)
{
    if (!instance->reader->each_lock)
        return read_lock(instance, address, kind, out);
    struct array locks = {0}, waiters = {0};
    enum rc rc = survey_locks(instance, &locks, &waiters);
    if (rc_is_answer(rc)) {
        enum rc found = pick_lock(&locks, address, kind, out);
        rc = found == RC_OK || rc == RC_OK ? found : rc;
    }
    array_free(&locks);
    array_free(&waiters);
    if (rc != RC_OK && rc != RC_NOMEM && instance->reader->lock &&
        read_lock(instance, address, kind, out) == RC_OK)
        rc = RC_OK;
    return rc;
}

static bool is_held(const struct surveyed_lock *lock)
{
    return lock->facts.count.known == KNOWN && lock->facts.count.value;
}

/* The word of a lock that one runtime has may be that of a free one to another. */
enum rc survey_lock_anywhere(struct space *space, taddr address, enum lock_kind kind,
                             struct surveyed_lock *out, struct instance **of)
{
    struct instance *instance;
    enum rc answer = space_instance(space, &instance);
    if (answer != RC_OK)
        return answer;
    answer = RC_UNAVAILABLE;
    for (instance = NULL; (instance = instance_next(space, instance));) {
        struct surveyed_lock lock;
        enum rc rc = survey_lock(instance, address, kind, &lock);
        bool is_better = rc == RC_OK && (answer != RC_OK || lock.facts.owner.known == KNOWN ||
                                         (is_held(&lock) && !is_held(out)));
        if (is_better) {
            *out = lock;
            *of = instance;
        }
        if (is_better || answer == RC_UNAVAILABLE)
            answer = rc;
    }
    return answer;
}
