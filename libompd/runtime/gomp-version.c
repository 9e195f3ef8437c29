/* SPDX-License-Identifier: MIT
 *
 * Identifies libgomp: exported symbols give the version, the code of exported accessors
 * gives offsets, and both select a layout.
 */
#include "libompd/runtime/gomp.h"

static const struct probe_version versions[] = {
#define GOMP_VERSION(symbol, version) {symbol, version},
#include "libompd/runtime/gomp-fields.def"
};

static const struct {
    const char *symbol;
    enum gomp_field field, object, base;
} accessors[] = {
#define GOMP_ACCESSOR(name, symbol, field, object, base)                                           \
    {symbol, GOMP_##field, GOMP_##object, GOMP_##base},
#include "libompd/runtime/gomp-fields.def"
};

enum {
#define GOMP_ACCESSOR(name, symbol, field, object, base) ACCESSOR_##name,
#include "libompd/runtime/gomp-fields.def"
    ACCESSORS
};

struct probes {
    struct probe_trace trace[ACCESSORS];
};

static enum rc run_probes(const struct instance *instance, enum probe_machine machine,
                          struct probes *out)
{
    for (unsigned i = 0; i < ACCESSORS; i++) {
        enum rc rc = probe_function(instance, machine, accessors[i].symbol, &out->trace[i]);
        if (rc != RC_OK && rc != RC_UNAVAILABLE)
            return rc;
    }
    return RC_OK;
}

/* The distance from the thread pointer to struct gomp_thread. False: no trace has it, or
 * they contradict each other. */
static bool find_distance(const struct probes *probes, struct gomp_state *state)
{
    const struct probe_trace *first = NULL;
    for (unsigned i = 0; i < ACCESSORS; i++) {
        const struct probe_trace *trace = &probes->trace[i];
        if (trace->contradictory)
            return false;
        if (!trace->has_slot && !trace->has_distance)
            continue;
        if (first && (first->has_slot != trace->has_slot || first->slot != trace->slot ||
                      first->distance != trace->distance))
            return false;
        first = trace;
    }
    if (!first)
        return false;
    state->slot = first->has_slot ? first->slot : 0;
    state->distance = first->distance;
    state->distance_known = first->has_distance;
    return true;
}

/* The part of the distance that the linker made a part of each offset, in this layout. */
static int32_t shift_of(const struct gomp_layout *layout, const struct probes *probes)
{
    const struct probe_trace *trace = &probes->trace[ACCESSOR_thread_num];
    const struct probe_step *step = probe_find(trace, PROBE_THREAD_LOAD);
    return trace->has_distance && step
               ? step->offset - layout->place[accessors[ACCESSOR_thread_num].field].offset
               : 0;
}

/* Does the accessor do what it does in this layout? One that could not be followed fits
 * and is not conclusive. */
static bool accessor_fits(const struct gomp_layout *layout, unsigned i, int32_t shift,
                          const struct probe_trace *trace, bool *conclusive)
{
    const struct probe_step *step = probe_find(trace, PROBE_THREAD_LOAD);
    *conclusive = false;
    if (!step)
        return true;
    struct gomp_place place = layout->place[accessors[i].field];
    if (place.offset == GOMP_LACKING || step->offset - shift != place.offset ||
        step->size != place.size)
        return false;
    bool follows = accessors[i].object != GOMP_NONE;
    *conclusive = !follows;
    if (!follows)
        return true;
    int32_t base = accessors[i].base == GOMP_NONE ? 0 : layout->place[accessors[i].base].offset;
    const struct probe_step *inner = probe_find(trace, PROBE_FIELD_ADDRESS);
    if (base && inner) { /* one address for the task's ICVs and the global ones */
        *conclusive = true;
        if (inner->field - shift != place.offset || inner->offset != base)
            return false;
    }
    const struct probe_step *next = probe_find(trace, PROBE_FIELD_LOAD);
    if (!next)
        return true;
    *conclusive = true;
    return next->field - shift == place.offset &&
           next->offset == base + layout->place[accessors[i].object].offset;
}

/* Layouts differ in where struct gomp_task has its fields: at least one of the accessors
 * that load these must agree. */
static bool layout_fits(const struct gomp_layout *layout, const struct probes *probes)
{
    bool knows_task = false;
    int32_t shift = shift_of(layout, probes);
    for (unsigned i = 0; i < ACCESSORS; i++) {
        bool conclusive;
        if (!accessor_fits(layout, i, shift, &probes->trace[i], &conclusive))
            return false;
        if (conclusive && (i == ACCESSOR_in_final || i == ACCESSOR_max_threads))
            knows_task = true;
    }
    return knows_task;
}

/* Of several that fit, the one of the version: 11 and 12 differ in little. */
static const struct gomp_layout *choose_layout(const struct probes *probes, unsigned version)
{
    const struct gomp_layout *chosen = NULL;
    for (unsigned i = 0; i < GOMP_LAYOUTS; i++) {
        const struct gomp_layout *layout = &gomp_layouts[i];
        if (!layout_fits(layout, probes))
            continue;
        bool named = version >= layout->first_version && version <= layout->last_version;
        if (!chosen || named)
            chosen = layout;
    }
    return chosen;
}

/* One that cannot be followed stays unknown. These accessors load nothing else. */
static void find_global_icvs(const struct instance *instance, struct gomp_state *state)
{
    static const struct {
        const char *accessor;
        unsigned size;
    } icvs[] = {
#define GOMP_GLOBAL_ICV(name, accessor, bytes) {accessor, bytes},
#include "libompd/runtime/gomp-fields.def"
    };
    for (unsigned i = 0; i < GOMP_GLOBALS; i++) {
        struct probe_trace trace;
        if (probe_function(instance, state->machine, icvs[i].accessor, &trace) != RC_OK)
            continue;
        const struct probe_step *load = probe_find(&trace, PROBE_GLOBAL_LOAD);
        if (load && trace.count == 1 && load->size == icvs[i].size)
            state->global[i] = (struct gomp_global){load->address, load->size};
    }
}

enum rc gomp_recognise(const struct instance *instance, struct gomp_state *state)
{
    taddr unused;
    enum rc rc = target_image_symbol(instance, "GOMP_parallel", &unused);
    if (rc != RC_OK)
        return rc;
    state->version = probe_version(instance, versions, sizeof versions / sizeof *versions);
    if (!state->version)
        return RC_INCOMPATIBLE;

    struct probes probes;
    for (unsigned machine = 0; machine < PROBE_MACHINES; machine++) {
        rc = run_probes(instance, machine, &probes);
        if (rc != RC_OK)
            return rc;
        if (!find_distance(&probes, state))
            continue;
        state->layout = choose_layout(&probes, state->version);
        if (!state->layout)
            continue;
        state->machine = machine;
        state->memory.proven =
            probe_is_certain(versions, gomp_layouts[0].first_version, state->version);
        state->distance += shift_of(state->layout, &probes);
        const struct probe_step *icv =
            probe_find(&probes.trace[ACCESSOR_max_threads], PROBE_GLOBAL_ADDRESS);
        state->global_icv = icv ? icv->address : 0;
        find_global_icvs(instance, state);
        return RC_OK;
    }
    return RC_INCOMPATIBLE;
}
