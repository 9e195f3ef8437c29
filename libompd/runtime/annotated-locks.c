/* SPDX-License-Identifier: MIT
 *
 * Locks of a runtime that reports: its memory says which are held, a record who acquired one
 * last, and where. Records know a lock by its variable, by which it is named then, the runtime
 * by its own object. One that is in its variable is in no list of the runtime's.
 */
#include <string.h>

#include "libompd/runtime/annotated.h"

/* A record among those of all locks, by the runtime's address. */
struct key {
    taddr object;
    size_t index;
};

struct recorded_lock {
    struct ref ref;
    struct lock_facts facts;
    bool is_direct; /* it has no object */
};

struct survey {
    struct annotated *state;
    struct array records;  /* of struct recorded_lock */
    struct array keys;     /* of struct key */
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

static bool is_variable(const struct lock_facts *facts)
{
    return facts->kind.value == LOCK_KIND_SIMPLE || facts->kind.value == LOCK_KIND_NEST;
}

static bool take(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct survey *s = arg;
    struct annotated *state = s->state;
    struct recorded_lock lock = {ref, *facts, false};
    struct key key = {.object = facts->address.value, .index = s->records.count};
    if (facts->kind.known != KNOWN || facts->address.known != KNOWN)
        return true;
    enum rc rc = is_variable(facts) ? OF(runtime, lock_object, facts->address.value,
                                         (enum lock_kind)facts->kind.value, &key.object)
                                    : RC_OK;
    lock.is_direct = rc == RC_UNSUPPORTED;
    if (rc != RC_OK && !lock.is_direct)
        s->rc = annotated_is_missing(rc) ? s->rc : rc;
    else
        s->rc = array_add(&s->records, &lock);
    if (s->rc == RC_OK && rc == RC_OK)
        s->rc = array_add(&s->keys, &key);
    return s->rc == RC_OK;
}

static const struct recorded_lock *find_record(const struct survey *s, taddr object)
{
    const struct key *all = s->keys.elements;
    size_t at = array_lower(&s->keys, &(struct key){.object = object}, comes_before);
    if (at == s->keys.count || all[at].object != object)
        return NULL;
    return (const struct recorded_lock *)s->records.elements + all[at].index;
}

struct entering {
    struct annotated *state;
    struct array *out;
    enum rc rc;
};

static bool look_at_thread(void *arg, struct ref ref, const struct thread_facts *record)
{
    struct entering *entering = arg;
    struct annotated *state = entering->state;
    struct thread_facts facts;
    struct ref thread;
    (void)ref;
    if (!annotated_is_mutex_wait(record->state) || record->wait_id.known != KNOWN)
        return true;
    enum rc rc = annotated_find_thread(state, record, &thread, &facts);
    if (rc == RC_OK && !annotated_is_mutex_wait(facts.state))
        rc = array_add(entering->out, &record->wait_id.value);
    entering->rc = annotated_is_missing(rc) ? RC_OK : rc;
    return entering->rc == RC_OK;
}

/* The addresses of locks for which a thread is recorded to wait that is in no queue. It may have
 * acquired its lock, which it reports a moment later; that the owner before it has released the
 * lock is not reported at all. */
static enum rc find_entering(struct annotated *state, struct array *out)
{
    struct entering entering = {state, out, RC_OK};
    enum rc rc = OF(records, each_thread, look_at_thread, &entering);
    return entering.rc != RC_OK || annotated_is_missing(rc) ? entering.rc : rc;
}

static bool is_entered(const struct array *entering, taddr lock)
{
    const taddr *all = entering->elements;
    size_t i = 0;
    while (i < entering->count && all[i] != lock)
        i++;
    return i < entering->count;
}

/* The owner by the runtime's name. Its record of the lock is of the task that it is in now, or
 * of one around it. */
static enum rc add_owner(struct annotated *state, const struct lock_facts *record,
                         struct lock_facts *out)
{
    struct thread_facts owner, by_runtime;
    struct ref thread;
    if (record->owner.known != KNOWN)
        return RC_OK;
    enum rc rc = OF(records, thread, record->owner.ref, &owner);
    if (rc == RC_OK)
        rc = annotated_find_thread(state, &owner, &thread, &by_runtime);
    if (rc != RC_OK)
        return annotated_is_missing(rc) ? RC_OK : rc;
    if (out->owner.known == KNOWN && out->owner.ref.id != thread.id)
        return RC_OK;
    out->owner = (struct ref_fact){.known = KNOWN, .ref = thread};
    if (owner.task.known == KNOWN && record->owner_task.known == KNOWN &&
        owner.task.ref.id == record->owner_task.ref.id)
        out->owner_task = by_runtime.task;
    annotated_complete(&out->codeptr, record->codeptr);
    if (record->frame.value)
        annotated_complete(&out->frame, record->frame);
    return RC_OK;
}

static enum rc merge(struct annotated *state, const struct array *entering,
                     const struct lock_facts *record, struct lock_facts *out)
{
    annotated_complete(&out->life, record->life);
    bool is_free = out->count.known == KNOWN && !out->count.value;
    bool is_known = out->owner.known == KNOWN || !is_entered(entering, record->address.value);
    return is_free || !is_known ? RC_OK : add_owner(state, record, out);
}

static bool visit_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct survey *s = arg;
    struct lock_facts merged = *facts;
    const struct recorded_lock *record = find_record(s, facts->address.value);
    if (record) {
        merged.address = record->facts.address;
        s->rc = merge(s->state, &s->entering, &record->facts, &merged);
    }
    s->stopped = s->rc == RC_OK && !s->visit(s->arg, ref, &merged);
    return s->rc == RC_OK && !s->stopped;
}

static enum rc visit_direct(struct survey *s)
{
    struct annotated *state = s->state;
    const struct recorded_lock *all = s->records.elements;
    for (size_t i = 0; i < s->records.count && !s->stopped; i++) {
        const struct lock_facts *record = &all[i].facts;
        struct lock_facts facts;
        enum rc rc = all[i].is_direct ? OF(runtime, lock, record->address.value,
                                           (enum lock_kind)record->kind.value, &facts)
                                      : RC_UNSUPPORTED;
        if (rc == RC_OK)
            rc = merge(state, &s->entering, record, &facts);
        if (rc == RC_OK)
            s->stopped = !s->visit(s->arg, all[i].ref, &facts);
        else if (!annotated_is_missing(rc))
            return rc;
    }
    return RC_OK;
}

static enum rc walk(struct survey *s)
{
    struct annotated *state = s->state;
    enum rc rc = OF(records, each_lock, take, s);
    if (s->rc != RC_OK)
        return s->rc;
    if (rc != RC_OK && !annotated_is_missing(rc))
        return rc;
    array_sort(&s->keys, comes_before);
    rc = find_entering(state, &s->entering);
    if (rc != RC_OK)
        return rc;
    rc = OF(runtime, each_lock, visit_lock, s);
    if (s->rc != RC_OK)
        return s->rc;
    return rc_is_answer(rc) && !s->stopped ? rc_join(rc, visit_direct(s)) : rc;
}

enum rc annotated_each_lock(struct instance *instance, lock_visitor *visit, void *arg)
{
    struct annotated *state = annotated_state(instance);
    if (!annotated_reports(state))
        return OF(runtime, each_lock, visit, arg);
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
    struct lock_facts facts;
    bool found;
};

static bool look_at(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct search *search = arg;
    (void)ref;
    search->found =
        facts->address.known == KNOWN && facts->address.value == search->address;
    search->facts = *facts;
    return !search->found;
}

/* By its variable, or by the name of a critical section. */
enum rc annotated_lock(struct instance *instance, taddr address, enum lock_kind kind,
                       struct lock_facts *out)
{
    struct annotated *state = annotated_state(instance);
    struct search search = {.address = address};
    struct array entering = array_of(instance->space->ops, sizeof(taddr));
    struct lock_facts facts;
    reader_begin(instance);
    enum rc rc = OF(runtime, lock, address, kind, &facts);
    if (rc == RC_OK && annotated_reports(state)) {
        enum rc other = OF(records, each_lock, look_at, &search);
        if (rc_is_answer(other) && search.found)
            rc = find_entering(state, &entering);
        if (rc_is_answer(other) && search.found && rc == RC_OK)
            rc = merge(state, &entering, &search.facts, &facts);
    }
    reader_end(instance);
    array_free(&entering);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
