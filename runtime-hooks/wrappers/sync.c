/* SPDX-License-Identifier: MIT
 *
 * Barriers, critical and ordered regions, atomics that need a lock.
 */
#include "state/waits.h"

/* GCC emits the same call for `#pragma omp barrier` and for the end of a worksharing
 * construct that is scheduled inline. The state is the one of the report that leaves the
 * kind open; OMPT of 5.x, which has none, gets an explicit barrier. */
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

#define MUTEX(construct, parameters, arguments, kind, state, lock, address)                        \
    WRAPPER(void, GOMP_##construct##_start, parameters, arguments)                                 \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->GOMP_##construct##_start arguments);                       \
        ACQUIRE_MUTEX(real->GOMP_##construct##_start arguments, kind, state, lock,                 \
                      (uintptr_t)(address));                                                       \
    }                                                                                              \
    WRAPPER(void, GOMP_##construct##_end, parameters, arguments)                                   \
    {                                                                                              \
        FORWARD_IF_OFF(real->GOMP_##construct##_end arguments);                                    \
        if (likely(hooks_on(real)))                                                                \
            lock_releasing((uintptr_t)(address));                                                  \
        RELEASE_MUTEX(real->GOMP_##construct##_end arguments, false, kind, (uintptr_t)(address));  \
    }

MUTEX(critical, (void), (), MUTEX_CRITICAL, STATE_WAIT_CRITICAL, LOCK_CRITICAL,
      &real->unnamed_critical)
/* `name` is a word that the compiler creates; its symbol contains the name. */
MUTEX(critical_name, (void **name), (name), MUTEX_CRITICAL, STATE_WAIT_CRITICAL, LOCK_CRITICAL,
      name)
MUTEX(atomic, (void), (), MUTEX_ATOMIC, STATE_WAIT_ATOMIC, LOCK_ATOMIC, &real->atomic)

/* Not 0 outside of regions, as that means no wait id. */
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
    wait_contended(t);
    if (event_wanted(EVENT_BIT(mutex_wait)))
        notify_contention_begin(t, MUTEX_ORDERED, true);
    real->GOMP_ordered_start();
    contention_end(t, MUTEX_ORDERED);
    wait_end(&w, t);
    event_mutex_acquired(t, MUTEX_ORDERED, id, here.codeptr);
}

/* Does nothing in the runtime; events only. */
WRAPPER(void, GOMP_ordered_end, (void), ())
{
    FORWARD_UNLESS_WANTED(t, RELEASE_EVENTS, real->GOMP_ordered_end());
    event_mutex_releasing(t, ordered_id(t));
    real->GOMP_ordered_end();
    event_mutex_released(t, MUTEX_ORDERED, ordered_id(t), HERE.codeptr);
}
