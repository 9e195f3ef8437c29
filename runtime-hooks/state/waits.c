/* SPDX-License-Identifier: MIT
 *
 * The cold halves of waits.h: where a consumer wants events of synchronisation, and where threads meet at
 * barriers.
 */
#include "state/waits.h"
#include "state/work.h"

_Static_assert(offsetof(struct rec_region, met_even) % 8 == 0 &&
                   offsetof(struct rec_region, met_odd) % 8 == 0,
               "read as a whole by 32-bit programs, too");

/* Of two threads that come at once one is the first. */
void NOINLINE region_meet(struct region *r, uint32_t number, uint64_t here)
{
    uint64_t *place = number & 1 ? &r->rec.met_odd : &r->rec.met_even;
    uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);
    while ((seen ^ here) >> MET_SHIFT)
        if (__atomic_compare_exchange_n(place, &seen, here, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return;
    uint32_t none = 0;
    if (seen == here || !__atomic_compare_exchange_n(&r->rec.parted, &none, number, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    r->rec.parted_first = seen << 16 >> 16;
    r->rec.parted_other = here << 16 >> 16;
}

void notify_sync_begin(struct thread *t, enum sync_kind kind, uintptr_t codeptr)
{
    if (sync_is_barrier(kind))
        work_close(t);
    event_sync_region(t, kind, EVENT_BEGIN, codeptr);
    event_sync_wait(t, kind, EVENT_BEGIN, codeptr);
}

void notify_sync_end(struct thread *t, enum sync_kind kind, uintptr_t codeptr)
{
    event_sync_wait(t, kind, EVENT_END, codeptr);
    event_sync_region(t, kind, EVENT_END, codeptr);
}

void notify_contention_begin(struct thread *t, enum mutex_kind kind, bool held)
{
    t->contention = held ? MUTEX_HELD : MUTEX_FREE;
    if (held)
        event_mutex_wait(t, kind, EVENT_BEGIN);
}

void notify_contention_end(struct thread *t, enum mutex_kind kind)
{
    if (t->contention == MUTEX_HELD)
        event_mutex_wait(t, kind, EVENT_END);
    t->contention = MUTEX_UNWATCHED;
}

/* Without a record of a nest lock it is unknown which release is the last. */
void notify_mutex_releasing(bool still_held, enum mutex_kind kind, uintptr_t address)
{
    bool is_wanted = event_wanted(EVENT_BIT(mutex_releasing));
    struct thread *t = is_wanted ? thread_known() : NULL; /* NULL while a tool is being started */
    if (t && !still_held && (kind != MUTEX_NEST_LOCK || lock_find(address)))
        event_mutex_releasing(t, address);
}

void notify_mutex_released(bool still_held, enum mutex_kind kind, uintptr_t address,
                           uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (!t)
        return;
    if (still_held)
        event_nest_lock(t, EVENT_END, address, codeptr);
    else if (kind != MUTEX_NEST_LOCK || lock_find(address))
        event_mutex_released(t, kind, address, codeptr);
}
