/* SPDX-License-Identifier: MIT
 *
 * State functions of target constructs: for debuggers, what a thread waits for a device in. Constructs nest
 * where the host executes the outer one.
 */
#ifndef OMPD_HOOKS_TARGETS_H
#define OMPD_HOOKS_TARGETS_H

#include "state/events.h"

#pragma GCC visibility push(hidden)

static inline void target_set(struct rec_thread *rec, const struct target_state *state)
{
    rec->target = 0;
    publish_order();
    rec->target_device = state->device;
    rec->target_codeptr = state->codeptr;
    rec->target_since = state->since;
    publish_order();
    rec->target = state->target;
}

/* `target` is TARGET_*, `device` as in the record. */
static inline struct target_state target_enter(struct thread *t, uint32_t target, uint32_t device,
                                               uintptr_t codeptr)
{
    struct rec_thread *rec = t->rec;
    struct target_state outer = {rec->target, rec->target_device, rec->target_codeptr,
                                 rec->target_since};
    target_set(rec, &(struct target_state){target, device, codeptr, clock_now()});
    return outer;
}

/* `outer` is the result of target_enter(). */
static inline void target_leave(struct thread *t, const struct target_state *outer)
{
    target_set(t->rec, outer);
}

#pragma GCC visibility pop

#endif
