/* SPDX-License-Identifier: MIT
 *
 * Target constructs, as OMPT reports them: by LLVM from 17 on, and those for which there is a device.
 */
#include "core/images.h"
#include "ompt-source/source.h"
#include "state/mappings.h"
#include "state/targets.h"

/* A return address in user code, or 0: LLVM 17 and 18 report some in libomptarget itself. */
static uintptr_t in_user_code(const void *codeptr)
{
    struct image image;
    struct image_symbols symbols;
    bool is_own = image_at((uintptr_t)codeptr, &image) && image_symbols(image.map, &symbols) &&
                  image_export(&symbols, "__tgt_register_lib", NULL);
    return is_own ? 0 : (uintptr_t)codeptr;
}

/* The numbers of kinds are those of the records. A construct in another, which a callback of a tool may
 * have, leaves none behind. */
static void on_construct(struct thread *t, enum target_kind kind, ompt_scope_endpoint_t endpoint,
                         int device, struct place place)
{
    if (endpoint == ompt_scope_begin) {
        uint32_t recorded = device < 0 ? TARGET_DEVICE_UNKNOWN : (uint32_t)device;
        struct target_state outer = target_enter(t, kind, recorded, place.codeptr);
        if (!t->reported_targets++)
            t->outside_targets = outer;
        event_target(t, kind, EVENT_BEGIN, device, place);
    } else if (endpoint == ompt_scope_end && t->reported_targets) {
        event_target(t, kind, EVENT_END, device, place);
        target_leave(t, --t->reported_targets ? &(struct target_state){0} : &t->outside_targets);
    }
}

void source_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                       ompt_data_t *task, ompt_data_t *target_task, ompt_data_t *target,
                       const void *codeptr)
{
    (void)task, (void)target_task, (void)target;
    struct thread *t = hooks_self;
    bool is_region = ((unsigned)kind & ~(unsigned)TARGET_NOWAIT) == TARGET_REGION;
    if (t)
        on_construct(t, (enum target_kind)kind, endpoint, device,
                     (struct place){in_user_code(codeptr), 0});
    if (is_region && endpoint == ompt_scope_begin)
        event_ompd_bp_target_begin();
    else if (is_region && endpoint == ompt_scope_end)
        event_ompd_bp_target_end();
}

void source_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                   ompt_data_t *task, ompt_id_t target, const void *codeptr)
{
    (void)target;
    source_target_emi(kind, endpoint, device, task, NULL, NULL, codeptr);
}

/* What a construct keeps for itself is a copy, too, which it removes. */
void source_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task,
                               ompt_data_t *target, ompt_id_t *host_op, ompt_target_data_op_t type,
                               void *from, int from_device, void *to, int to_device, size_t bytes,
                               const void *codeptr)
{
    (void)target_task, (void)target, (void)host_op;
    const struct thread *t = hooks_self;
    uintptr_t place = in_user_code(codeptr);
    if (!place && t && t->reported_targets)
        place = t->rec->target_codeptr;
    bool is_made = type == ompt_target_data_alloc || type == ompt_target_data_associate;
    if (is_made && endpoint == ompt_scope_end && hooks_reporting && from && to && to_device >= 0)
        mapping_reported(&(struct rec_mapping){
            .runtime = (uintptr_t)hooks_reporting->omp_get_thread_num,
            .host = (uintptr_t)from,
            .bytes = bytes,
            .copy = (uintptr_t)to,
            .device = (uint32_t)to_device,
            .codeptr = place,
        });
    else if (type == ompt_target_data_delete && endpoint == ompt_scope_begin)
        mapping_removed((uint32_t)from_device, (uintptr_t)from);
}

void source_device_initialize(int number, const char *type, ompt_device_t *device,
                              ompt_function_lookup_t lookup, const char *documentation)
{
    (void)number, (void)type, (void)device, (void)lookup, (void)documentation;
    event_ompd_bp_device_begin();
}

void source_device_finalize(int number)
{
    (void)number;
    event_ompd_bp_device_end();
}
