/* SPDX-License-Identifier: MIT
 *
 * Barriers, critical and ordered sections, atomics that need a lock.
 */
#include "state.h"

/* The compiler calls the same function for `#pragma omp barrier` and for the end of a
 * worksharing construct whose iterations it dealt out inline. */
void GOMP_barrier(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_barrier());
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_BARRIER_EXPLICIT, region_wait_id(t), HERE);
    real.GOMP_barrier();
    schedule_end(&w, t);
}

bool GOMP_barrier_cancel(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_barrier_cancel());
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_BARRIER_EXPLICIT, region_wait_id(t), HERE);
    bool cancelled = real.GOMP_barrier_cancel();
    schedule_end(&w, t);
    return cancelled;
}

void GOMP_critical_start(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_critical_start());
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_CRITICAL, ompd_hooks_root.unnamed_critical, HERE);
    real.GOMP_critical_start();
    wait_end(&w, t);
}

/* `name` is a word that the compiler makes for the name; its symbol tells it. */
void GOMP_critical_name_start(void **name)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_critical_name_start(name));
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_CRITICAL, (uintptr_t)name, HERE);
    real.GOMP_critical_name_start(name);
    wait_end(&w, t);
}

void GOMP_atomic_start(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_atomic_start());
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_ATOMIC, ompd_hooks_root.atomic, HERE);
    real.GOMP_atomic_start();
    wait_end(&w, t);
}

void GOMP_ordered_start(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_ordered_start());
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_ORDERED, region_wait_id(t), HERE);
    real.GOMP_ordered_start();
    wait_end(&w, t);
}
