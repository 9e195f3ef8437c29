/* SPDX-License-Identifier: MIT
 *
 * Locks of a process with two witnesses: a record says who holds a lock. It is filled after
 * the lock has been acquired and cleared before it is released, and in between the lock's
 * own word says that it is held. The words of the critical section without a name and of
 * atomics are libgomp's and not at the addresses by which records name these.
 */
#include "libompd/runtime/recorded.h"

/* `runtime` is what the memory of the lock says. Who holds it is not known then. */
static void merge_lock(const struct lock_facts *runtime, struct lock_facts *out)
{
    if (out->owner.known != NONE_HERE || runtime->count.known != KNOWN ||
        !runtime->count.value)
        return;
    out->count = runtime->count;
    out->owner.known = out->owner_task.known = out->codeptr.known = NOT_HELD;
}

struct lock_walk {
    struct recorded *state;
    lock_visitor *visit;
    void *arg;
};

static bool visit_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct lock_walk *walk = arg;
    struct recorded *state = walk->state;
    struct lock_facts merged = *facts, runtime;
    struct instance *memory = recorded_next(state, NULL);
    if (memory && facts->kind.known == KNOWN && facts->address.known == KNOWN &&
        ON(memory, lock, facts->address.value, (enum lock_kind)facts->kind.value,
           &runtime) == RC_OK)
        merge_lock(&runtime, &merged);
    return walk->visit(walk->arg, ref, &merged);
}

enum rc recorded_each_lock(struct instance *instance, lock_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    struct lock_walk walk = {state, visit, arg};
    reader_begin(instance);
    enum rc rc = ON(RECORDS, each_lock, visit_lock, &walk);
    reader_end(instance);
    return rc;
}

/* Of a lock without a record: by the runtime of the thread that holds it, which that knows alone. */
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
    if (rc == RC_OK && facts.owner.known == KNOWN)
        rc = recorded_thread_ref(state, facts.owner.ref, &facts.owner.ref);
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
