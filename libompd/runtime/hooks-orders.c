/* SPDX-License-Identifier: MIT
 *
 * The orders in which threads have acquired locks: each with every meeting of it, or alone.
 */
#include "libompd/runtime/hooks.h"

enum { ORDERS_MAX = 1 << 16 };

struct order_walk {
    struct instance *instance;
    order_visitor *visit;
    void *arg;
    struct order_facts facts;
    enum rc rc;
    bool stopped;
};

static bool visit_meeting(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index, (void)address;
    struct order_walk *walk = arg;
    uint64_t phase = hooks_field(walk->instance, bytes, FIELD_meeting_phase);
    walk->facts.thread = hooks_field(walk->instance, bytes, FIELD_meeting_thread);
    walk->facts.region = phase >> ORDER_PHASE_BITS;
    walk->facts.barrier = phase & ((1u << ORDER_PHASE_BITS) - 1);
    walk->stopped = walk->facts.thread && !walk->visit(walk->arg, &walk->facts);
    return !walk->stopped;
}

static bool visit_order(void *arg, const struct instance *instance, const void *bytes,
                        struct ref ref)
{
    struct order_walk *walk = arg;
    taddr meetings = hooks_field(instance, bytes, FIELD_order_meetings);
    walk->facts = (struct order_facts){
        .id = ref.id,
        .parent = hooks_field(instance, bytes, FIELD_order_parent),
        .lock = hooks_field(instance, bytes, FIELD_order_lock),
        .address = hooks_field(instance, bytes, FIELD_order_address),
        .codeptr = hooks_field(instance, bytes, FIELD_order_codeptr),
        .kind = (uint32_t)hooks_field(instance, bytes, FIELD_order_kind),
    };
    if (!walk->visit(walk->arg, &walk->facts))
        return false;
    walk->rc = target_each(instance->space, meetings,
                           hooks_state(walk->instance)->record_size[RECORD_meeting], ORDER_MEETINGS,
                           visit_meeting, walk);
    return walk->rc == RC_OK && !walk->stopped;
}

enum rc hooks_orders(struct instance *instance, order_visitor *visit, void *arg)
{
    const struct hooks_state *state = hooks_state(instance);
    struct hooks_bytes root;
    if (!state->field[FIELD_root_order_slab].size || !state->record_need[RECORD_meeting])
        return RC_UNSUPPORTED;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    taddr slab = hooks_field(instance, root.bytes, FIELD_root_order_slab);
    struct order_walk walk = {.instance = instance, .visit = visit, .arg = arg, .rc = RC_OK};
    if (!slab)
        return RC_UNAVAILABLE;
    rc = hooks_walk_slabs(instance, RECORD_order, slab, ORDERS_MAX, visit_order, &walk);
    rc = rc == RC_OK ? walk.rc : rc;
    return rc == RC_OK && hooks_field(instance, root.bytes, FIELD_root_orders_lost) ? RC_INCOMPLETE
                                                                                    : rc;
}
