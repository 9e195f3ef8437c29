/* SPDX-License-Identifier: MIT
 *
 * Barriers, critical and ordered sections, atomics that need a lock.
 */
#include "lock-records.h"

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
    lock_taken(t, ompd_hooks_root.unnamed_critical, LOCK_CRITICAL, HERE.codeptr);
}

void GOMP_critical_end(void)
{
    FORWARD_IF_OFF(real.GOMP_critical_end());
    if (likely(hooks_on()))
        lock_leaving(ompd_hooks_root.unnamed_critical);
    real.GOMP_critical_end();
}

/* `name` is a word that the compiler makes for the name; its symbol tells it. */
void GOMP_critical_name_start(void **name)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_critical_name_start(name));
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_CRITICAL, (uintptr_t)name, HERE);
    real.GOMP_critical_name_start(name);
    wait_end(&w, t);
    lock_taken(t, (uintptr_t)name, LOCK_CRITICAL, HERE.codeptr);
}

void GOMP_critical_name_end(void **name)
{
    FORWARD_IF_OFF(real.GOMP_critical_name_end(name));
    if (likely(hooks_on()))
        lock_leaving((uintptr_t)name);
    real.GOMP_critical_name_end(name);
}

void GOMP_atomic_start(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_atomic_start());
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_ATOMIC, ompd_hooks_root.atomic, HERE);
    real.GOMP_atomic_start();
    wait_end(&w, t);
    lock_taken(t, ompd_hooks_root.atomic, LOCK_ATOMIC, HERE.codeptr);
}

void GOMP_atomic_end(void)
{
    FORWARD_IF_OFF(real.GOMP_atomic_end());
    if (likely(hooks_on()))
        lock_leaving(ompd_hooks_root.atomic);
    real.GOMP_atomic_end();
}

void GOMP_ordered_start(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_ordered_start());
    struct wait w;
    wait_begin(&w, t, STATE_WAIT_ORDERED, region_wait_id(t), HERE);
    real.GOMP_ordered_start();
    wait_end(&w, t);
}
