/* SPDX-License-Identifier: MIT
 *
 * The locks and critical sections of a process with hooks.
 */
#include <string.h>

#include "libompd/runtime/hooks.h"

_Static_assert((int)LOCK_KIND_SIMPLE == LOCK_SIMPLE && (int)LOCK_KIND_NEST == LOCK_NEST &&
                   (int)LOCK_KIND_CRITICAL == LOCK_CRITICAL &&
                   (int)LOCK_KIND_ATOMIC == LOCK_ATOMIC && (int)LOCK_LIFE_MADE == LOCK_MADE &&
                   (int)LOCK_LIFE_DESTROYED == LOCK_DESTROYED,
               "kinds of locks are those of the records");

struct lock_walk {
    lock_visitor *visit;
    void *arg;
};

static const struct ref_fact no_ref = {.known = NONE_HERE};
static const struct fact no_fact = {.known = NONE_HERE};

/* The owner's id is stored last and cleared first: without it the rest is a leftover, or
 * not complete yet. */
static bool visit_lock(void *arg, const struct instance *instance, const void *bytes,
                       struct ref ref)
{
    struct lock_walk *walk = arg;
    struct lock_facts facts;
    bool is_reported = hooks_field(instance, bytes, FIELD_lock_reported) != 0;
    if (is_reported == hooks_hides_reported(instance))
        return true; /* another runtime's */
    memset(&facts, 0, sizeof facts);
    facts.address = hooks_fact(instance, bytes, FIELD_lock_address);
    facts.kind = hooks_fact(instance, bytes, FIELD_lock_kind);
    if (facts.kind.value < LOCK_SIMPLE || facts.kind.value > LOCK_ATOMIC)
        facts.kind.known = IMPOSSIBLE;
    facts.hint = hooks_fact(instance, bytes, FIELD_lock_hint);
    facts.life = hooks_fact(instance, bytes, FIELD_lock_life);
    if (facts.life.value > LOCK_DESTROYED)
        facts.life.known = IMPOSSIBLE;
    bool may_be_free = is_reported && hooks_state(instance)->is_alone;
    if (may_be_free) {
        /* Its release is not seen: the runtime's memory would say whether it is held. */
    } else if (hooks_field(instance, bytes, FIELD_lock_owner_id)) {
        facts.owner = hooks_ref_fact(instance, bytes, FIELD_lock_owner, FIELD_lock_owner_id);
        facts.owner_task =
            hooks_ref_fact(instance, bytes, FIELD_lock_owner_task, FIELD_lock_owner_task_id);
        facts.count = hooks_fact(instance, bytes, FIELD_lock_count);
        facts.codeptr = hooks_fact(instance, bytes, FIELD_lock_codeptr);
        facts.frame = hooks_fact(instance, bytes, FIELD_lock_frame);
    } else {
        facts.owner = no_ref;
        facts.owner_task = no_ref;
        facts.count = (struct fact){KNOWN, 0};
        facts.codeptr = facts.frame = no_fact;
    }
    return walk->visit(walk->arg, ref, &facts);
}

enum rc hooks_each_lock(struct instance *instance, lock_visitor *visit, void *arg)
{
    struct lock_walk walk = {visit, arg};
    return hooks_walk_all(instance, RECORD_lock, FIELD_root_lock_slab, UINT32_MAX, visit_lock,
                          &walk);
}
