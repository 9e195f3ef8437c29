/* SPDX-License-Identifier: MIT
 *
 * Lists of slabs: adjacent records of one kind in the target.
 */
#include "libompd/runtime/hooks.h"

/* While the hooks replace the index by a larger one they say "overflow", and what the
 * root has of the index need not fit together. */
static enum rc take_index(struct hooks_state *state, taddr index, uint64_t bits, uint64_t window,
                          bool overflow)
{
    bool fits = bits && bits <= HOOKS_INDEX_BITS_MAX && window &&
                window <= TARGET_BULK_BYTES / state->record_size[RECORD_index];
    if (index && !fits && !overflow)
        return RC_NONSENSE;
    state->index = fits ? index : 0;
    state->index_bits = (uint32_t)bits;
    state->index_window = (uint32_t)window;
    return RC_OK;
}

enum rc hooks_read_root(struct instance *instance, struct hooks_bytes *out)
{
    struct hooks_state *state = hooks_state(instance);
    enum rc rc = hooks_fetch(instance, RECORD_root, state->root, out);
    if (rc != RC_OK)
        return rc;
    state->tracking = hooks_field(instance, out->bytes, FIELD_root_tracking) != 0;
    state->reported = hooks_field(instance, out->bytes, FIELD_root_ompt_runtime) != 0;
    state->loop_task = hooks_field(instance, out->bytes, FIELD_root_loop_task);
    state->loop_origin = (uint32_t)hooks_field(instance, out->bytes, FIELD_root_loop_origin);
    return take_index(state, hooks_field(instance, out->bytes, FIELD_root_index),
                      hooks_field(instance, out->bytes, FIELD_root_index_bits),
                      hooks_field(instance, out->bytes, FIELD_root_index_window),
                      hooks_field(instance, out->bytes, FIELD_root_index_overflow) != 0);
}

enum rc hooks_read_tracked_root(struct instance *instance, struct hooks_bytes *out)
{
    enum rc rc = hooks_read_root(instance, out);
    return rc == RC_OK && !hooks_state(instance)->tracking ? RC_NEEDS_TRACKING : rc;
}

struct slab_walk {
    const struct instance *instance;
    enum hooks_record record;
    record_visitor *visit;
    void *arg;
    bool stopped;
};

static bool visit_slab_record(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index;
    struct slab_walk *walk = arg;
    uint64_t id = hooks_id(walk->instance, walk->record, bytes);
    if (id && !walk->visit(walk->arg, walk->instance, bytes, (struct ref){address, id}))
        walk->stopped = true;
    return !walk->stopped;
}

/* The records that `reads` more reads reach, and how many reads are left then. */
static uint32_t reached(uint32_t used, uint32_t stride, uint32_t *reads)
{
    uint32_t per_read = TARGET_BULK_BYTES / stride;
    uint32_t needed = used / per_read + (used % per_read != 0);
    uint32_t taken = needed < *reads ? needed : *reads;
    *reads -= taken;
    return needed == taken ? used : taken * per_read;
}

/* Cycles are found by Brent's algorithm: the address that was kept last, at doubling
 * distances. */
enum rc hooks_walk_slabs(const struct instance *instance, enum hooks_record record, taddr slab,
                         uint32_t max, record_visitor *visit, void *arg)
{
    const struct hooks_state *state = hooks_state(instance);
    if (!state->record_need[record])
        return RC_UNSUPPORTED; /* an older minor version has no such records */
    struct slab_walk walk = {instance, record, visit, arg, false};
    taddr kept = 0;
    uint32_t keep_at = 1;
    uint32_t claimed = 0;
    uint32_t reads = HOOKS_WALK_READS_MAX;
    for (uint32_t slabs = 0; slab; slabs++) {
        if (slabs == HOOKS_SLABS_MAX || slab == kept)
            return RC_NONSENSE;
        if (slabs == keep_at) {
            kept = slab;
            keep_at *= 2;
        }
        if (!reads--)
            return RC_INCOMPLETE;
        struct hooks_bytes header;
        enum rc rc = hooks_fetch(instance, RECORD_slab, slab, &header);
        if (rc != RC_OK)
            return rc;
        taddr next = hooks_field(instance, header.bytes, FIELD_slab_next);
        taddr first = hooks_field(instance, header.bytes, FIELD_slab_first);
        uint64_t stride = hooks_field(instance, header.bytes, FIELD_slab_stride);
        uint64_t capacity = hooks_field(instance, header.bytes, FIELD_slab_capacity);
        uint64_t used = hooks_field(instance, header.bytes, FIELD_slab_used);
        if (stride < state->record_need[record] || stride > HOOKS_RECORD_BYTES_MAX ||
            used > capacity || used > max - claimed)
            return RC_NONSENSE;
        claimed += (uint32_t)used;
        uint32_t count = reached((uint32_t)used, (uint32_t)stride, &reads);
        rc = target_each(instance->space, first, (uint32_t)stride, count, visit_slab_record, &walk);
        if (rc != RC_OK || walk.stopped)
            return rc;
        if (count < used)
            return RC_INCOMPLETE;
        slab = next;
    }
    return RC_OK;
}

enum rc hooks_walk_all(struct instance *instance, enum hooks_record record, enum hooks_field slab,
                       uint32_t max, record_visitor *visit, void *arg)
{
    struct hooks_bytes root;
    if (!hooks_state(instance)->field[slab].size)
        return RC_UNSUPPORTED;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    return hooks_walk_slabs(instance, record, hooks_field(instance, root.bytes, slab), max, visit,
                            arg);
}
