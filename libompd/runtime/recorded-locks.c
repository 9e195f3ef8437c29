/* SPDX-License-Identifier: MIT
 *
 * Locks of a process with two witnesses. Records know a lock by its variable, by which it is named
 * then; a runtime that lists its locks knows it by its own object, and those that are in their
 * variables it does not list.
 */
#include "libompd/runtime/recorded.h"

/* A record among those of all locks, by the runtime's address. */
struct key {
    taddr object;
    size_t index;
};

struct survey {
    struct recorded *state;
    struct array records;  /* of struct recorded_lock */
    struct array keys;     /* of struct key: of those that memory lists */
    struct array entering; /* as find_entering() has it */
    lock_visitor *visit;
    void *arg;
    enum rc rc;
    bool stopped;
};

static bool comes_before(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    return a->object < b->object;
}

/* The address by which memory lists a lock, if it does. RC_UNSUPPORTED: it does not. */
static enum rc find_object(struct recorded *state, const struct lock_facts *facts, taddr *out)
{
    if (state->rules->records_name || facts->kind.known != KNOWN || facts->address.known != KNOWN)
        return RC_UNSUPPORTED;
    *out = facts->address.value;
    enum lock_kind kind = (enum lock_kind)facts->kind.value;
    bool is_variable = kind == LOCK_KIND_SIMPLE || kind == LOCK_KIND_NEST;
    return is_variable ? ON(RUNTIME, lock_object, facts->address.value, kind, out) : RC_OK;
}

static bool take(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct survey *s = arg;
    struct recorded_lock lock = {.ref = ref, .facts = *facts};
    struct key key = {.index = s->records.count};
    enum rc rc = find_object(s->state, facts, &key.object);
    s->rc = rc == RC_OK || recorded_is_missing(rc) ? array_add(&s->records, &lock) : rc;
    if (s->rc == RC_OK && rc == RC_OK)
        s->rc = array_add(&s->keys, &key);
    return s->rc == RC_OK;
}

static struct recorded_lock *find_record(const struct survey *s, taddr object)
{
    const struct key *all = s->keys.elements;
    size_t at = array_lower(&s->keys, &(struct key){.object = object}, comes_before);
    if (at == s->keys.count || all[at].object != object)
        return NULL;
    return (struct recorded_lock *)s->records.elements + all[at].index;
}

struct entering {
    struct array *out;
    struct recorded *state;
    enum rc rc;
};

static bool find_waiter(void *arg, struct ref ref, const struct thread_facts *record)
{
    struct entering *entering = arg;
    struct recorded *state = entering->state;
    struct recorded_thread thread = {.has_record = true, .record = ref, .by_record = *record};
    if (!recorded_waits_for_mutex(record) || record->wait_id.known != KNOWN)
        return true;
    enum rc rc = recorded_find_in(RUNTIME, &thread);
    if (rc == RC_OK && thread.has_runtime && !recorded_waits_for_mutex(&thread.by_runtime))
        rc = array_add(entering->out, &record->wait_id.value);
    entering->rc = rc;
    return entering->rc == RC_OK;
}

/* The addresses of locks for which a thread is recorded to wait that is in no queue, of a runtime
 * that does not report when a lock is released. It may have acquired its lock, which it reports a
 * moment later. */
static enum rc find_entering(struct recorded *state, struct array *out)
{
    struct entering entering = {out, state, RC_OK};
    enum rc rc = ON(RECORDS, each_thread, find_waiter, &entering);
    return entering.rc != RC_OK || recorded_is_missing(rc) ? entering.rc : rc;
}

static bool is_entered(const struct array *entering, taddr lock)
{
    const taddr *all = entering->elements;
    size_t i = 0;
    while (i < entering->count && all[i] != lock)
        i++;
    return i < entering->count;
}

/* `memory`: what that says of the lock, or NULL. */
static bool show(struct survey *s, struct ref ref, struct recorded_lock *record,
                 const struct lock_facts *memory)
{
    struct lock_facts merged;
    record->may_have_changed = is_entered(&s->entering, record->facts.address.value);
    enum rc rc = s->state->rules->merge_lock(s->state, record, memory, &merged);
    s->stopped = rc == RC_OK && !s->visit(s->arg, ref, &merged);
    s->rc = recorded_is_missing(rc) ? RC_OK : rc;
    return s->rc == RC_OK && !s->stopped;
}

static bool visit_listed(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct survey *s = arg;
    struct lock_facts named = *facts;
    struct recorded_lock *record = find_record(s, facts->address.value);
    if (record) {
        record->is_listed = true;
        named.address = record->facts.address;
        return show(s, ref, record, &named);
    }
    s->stopped = !s->visit(s->arg, ref, facts);
    return !s->stopped;
}

static void visit_others(struct survey *s)
{
    struct recorded_lock *all = s->records.elements;
    struct instance *memory = recorded_next(s->state, NULL);
    bool goes_on = true;
    for (size_t i = 0; goes_on && i < s->records.count; i++) {
        const struct lock_facts *record = &all[i].facts;
        struct lock_facts facts;
        if (all[i].is_listed)
            continue;
        bool is_in_memory =
            memory && record->kind.known == KNOWN && record->address.known == KNOWN &&
            ON(memory, lock, record->address.value, (enum lock_kind)record->kind.value, &facts) ==
                RC_OK;
        goes_on = show(s, all[i].ref, &all[i], is_in_memory ? &facts : NULL);
    }
}

static enum rc walk_listed(struct survey *s)
{
    struct recorded *state = s->state;
    array_sort(&s->keys, comes_before);
    enum rc rc = find_entering(state, &s->entering);
    if (rc == RC_OK)
        rc = ON(RUNTIME, each_lock, visit_listed, s);
    return s->rc != RC_OK ? s->rc : rc;
}

static enum rc walk(struct survey *s)
{
    struct recorded *state = s->state;
    enum rc rc = ON(RECORDS, each_lock, take, s);
    if (s->rc != RC_OK)
        return s->rc;
    if (!state->rules->records_name && (rc == RC_OK || recorded_is_missing(rc)))
        rc = walk_listed(s);
    if (rc_is_answer(rc) && !s->stopped)
        visit_others(s);
    return s->rc != RC_OK ? s->rc : rc;
}

enum rc recorded_each_lock(struct instance *instance, lock_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    if (!recorded_goes_on(state))
        return ON(RUNTIME, each_lock, visit, arg);
    struct survey s = {
        .state = state,
        .records = array_of(instance->space->ops, sizeof(struct recorded_lock)),
        .keys = array_of(instance->space->ops, sizeof(struct key)),
        .entering = array_of(instance->space->ops, sizeof(taddr)),
        .visit = visit,
        .arg = arg,
        .rc = RC_OK,
    };
    reader_begin(instance);
    enum rc rc = walk(&s);
    reader_end(instance);
    array_free(&s.records);
    array_free(&s.keys);
    array_free(&s.entering);
    return rc;
}

struct search {
    taddr address;
    struct recorded_lock lock;
    bool found;
};

static bool compare(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct search *search = arg;
    search->found = facts->address.known == KNOWN && facts->address.value == search->address;
    search->lock = (struct recorded_lock){.ref = ref, .facts = *facts};
    return !search->found;
}

/* Of a lock that memory has, by its variable, or by the name of a critical section. */
static enum rc complete_lock(struct recorded *state, taddr address, struct lock_facts *out)
{
    struct search search = {.address = address};
    if (state->rules->records_name)
        return out->owner.known == KNOWN
                   ? recorded_thread_ref(state, out->owner.ref, 0, &out->owner.ref)
                   : RC_OK;
    enum rc rc = ON(RECORDS, each_lock, compare, &search);
    if (!rc_is_answer(rc) || !search.found)
        return RC_OK;
    struct array entering = array_of(state->records.space->ops, sizeof(taddr));
    struct lock_facts memory = *out;
    rc = find_entering(state, &entering);
    search.lock.may_have_changed = is_entered(&entering, address);
    array_free(&entering);
    return rc == RC_OK ? state->rules->merge_lock(state, &search.lock, &memory, out) : rc;
}

/* Of several runtimes by that of the thread that holds it, which it knows alone. */
enum rc recorded_lock(struct instance *instance, taddr address, enum lock_kind kind,
                      struct lock_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct lock_facts facts;
    struct instance *memory = NULL;
    enum rc rc = RC_UNSUPPORTED;
    reader_begin(instance);
    while ((memory = recorded_next(state, memory))) {
        rc = ON(memory, lock, address, kind, &facts);
        if (rc != RC_OK || facts.owner.known != NONE_HERE || !facts.count.value)
            break;
    }
    if (rc == RC_OK && recorded_goes_on(state))
        rc = complete_lock(state, address, &facts);
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
