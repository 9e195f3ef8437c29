/* SPDX-License-Identifier: MIT
 *
 * Barriers, critical and ordered sections, atomics that need a lock.
 */
#include "state/waits.h"

/* The compiler calls the same function for `#pragma omp barrier` and for the end of a
 * worksharing construct whose iterations it dealt out inline: the state is that in which the
 * report leaves this open. To OMPT of 5.x, which has no such kind, it is an explicit one. */
WRAPPER(void, GOMP_barrier, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_barrier());
    struct wait w;
    struct place here = HERE;
    sync_begin(&w, t, SYNC_BARRIER_EXPLICIT, STATE_WAIT_BARRIER, region_wait_id(t), here);
    real->GOMP_barrier();
    sync_end(&w, t, SYNC_BARRIER_EXPLICIT, here);
}

WRAPPER(bool, GOMP_barrier_cancel, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_barrier_cancel());
    struct wait w;
    struct place here = HERE;
    sync_begin(&w, t, SYNC_BARRIER_EXPLICIT, STATE_WAIT_BARRIER, region_wait_id(t), here);
    bool cancelled = real->GOMP_barrier_cancel();
    sync_end(&w, t, SYNC_BARRIER_EXPLICIT, here);
    if (cancelled)
        event_cancel(t, CANCEL_PARALLEL | CANCEL_DETECTED, here.codeptr);
    return cancelled;
}

WRAPPER(void, GOMP_critical_start, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_critical_start());
    TAKE_MUTEX(real->GOMP_critical_start(), MUTEX_CRITICAL, STATE_WAIT_CRITICAL,
               LOCK_CRITICAL, (uintptr_t)&real->unnamed_critical);
}

WRAPPER(void, GOMP_critical_end, (void), ())
{
    FORWARD_IF_OFF(real->GOMP_critical_end());
    if (likely(hooks_on(real)))
        lock_leaving((uintptr_t)&real->unnamed_critical);
    real->GOMP_critical_end();
    mutex_left(false, MUTEX_CRITICAL, (uintptr_t)&real->unnamed_critical, HERE.codeptr);
}

/* `name` is a word that the compiler makes for the name; its symbol tells it. */
WRAPPER(void, GOMP_critical_name_start, (void **name), (name))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_critical_name_start(name));
    TAKE_MUTEX(real->GOMP_critical_name_start(name), MUTEX_CRITICAL, STATE_WAIT_CRITICAL,
               LOCK_CRITICAL, (uintptr_t)name);
}

WRAPPER(void, GOMP_critical_name_end, (void **name), (name))
{
    FORWARD_IF_OFF(real->GOMP_critical_name_end(name));
    if (likely(hooks_on(real)))
        lock_leaving((uintptr_t)name);
    real->GOMP_critical_name_end(name);
    mutex_left(false, MUTEX_CRITICAL, (uintptr_t)name, HERE.codeptr);
}

WRAPPER(void, GOMP_atomic_start, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_atomic_start());
    TAKE_MUTEX(real->GOMP_atomic_start(), MUTEX_ATOMIC, STATE_WAIT_ATOMIC, LOCK_ATOMIC,
               (uintptr_t)&real->atomic);
}

WRAPPER(void, GOMP_atomic_end, (void), ())
{
    FORWARD_IF_OFF(real->GOMP_atomic_end());
    if (likely(hooks_on(real)))
        lock_leaving((uintptr_t)&real->atomic);
    real->GOMP_atomic_end();
    mutex_left(false, MUTEX_ATOMIC, (uintptr_t)&real->atomic, HERE.codeptr);
}

/* Outside of a region nobody waits, and still 0 would say that there is nothing. */
static uint64_t ordered_id(const struct thread *t)
{
    uint64_t region = region_wait_id(t);
    return region ? region : (uintptr_t)t->rec;
}

WRAPPER(void, GOMP_ordered_start, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_ordered_start());
    struct wait w;
    struct place here = HERE;
    uint64_t id = ordered_id(t);
    mutex_begin(&w, t, MUTEX_ORDERED, STATE_WAIT_ORDERED, id, here);
    if (event_wanted(EVENT_BIT(mutex_wait)))
        told_contention_begin(t, MUTEX_ORDERED, true);
    real->GOMP_ordered_start();
    contention_end(t, MUTEX_ORDERED);
    wait_end(&w, t);
    event_mutex_acquired(t, MUTEX_ORDERED, id, here.codeptr);
}

/* Does nothing in the runtime; for tools only. */
WRAPPER(void, GOMP_ordered_end, (void), ())
{
    FORWARD_UNLESS_TOLD(t, EVENT_BIT(mutex_released), real->GOMP_ordered_end());
    real->GOMP_ordered_end();
    event_mutex_released(t, MUTEX_ORDERED, ordered_id(t), HERE.codeptr);
}
