/* SPDX-License-Identifier: MIT
 *
 * State functions of synchronisation: those of state.h, with events.
 */
#ifndef OMPD_HOOKS_WAITS_H
#define OMPD_HOOKS_WAITS_H

#include "state/events.h"
#include "state/lock-records.h"

#pragma GCC visibility push(hidden)

#define SYNC_EVENTS (EVENT_BIT(sync_region) | EVENT_BIT(sync_wait) | EVENT_BIT(work))
#define RELEASE_EVENTS                                                                             \
    (EVENT_BIT(mutex_released) | EVENT_BIT(mutex_releasing) | EVENT_BIT(nest_lock))

/* The cold halves of the functions below (waits.c). */
void notify_sync_begin(struct thread *t, enum sync_kind kind, uintptr_t codeptr);
void notify_sync_end(struct thread *t, enum sync_kind kind, uintptr_t codeptr);
void notify_mutex_releasing(bool still_held, enum mutex_kind kind, uintptr_t address);
void notify_mutex_released(bool still_held, enum mutex_kind kind, uintptr_t address,
                           uintptr_t codeptr);
void notify_contention_begin(struct thread *t, enum mutex_kind kind, bool held);
void notify_contention_end(struct thread *t, enum mutex_kind kind);

static inline bool sync_is_barrier(enum sync_kind kind)
{
    return kind == SYNC_BARRIER_EXPLICIT || kind == SYNC_BARRIER_WORKSHARE;
}

/* The same barrier is to be called from one place: the first that is not is kept (waits.c). */
#define MET_SHIFT 48
void region_meet(struct region *r, uint32_t number, uint64_t here);
static inline void barrier_meet(const struct thread *t, uintptr_t codeptr)
{
    struct region *r = t->region;
    if (!r || t->rec->team_size < 2)
        return;
    uint32_t number = t->rec->barrier >> BARRIER_SHIFT;
    uint64_t here = (uint64_t)number << MET_SHIFT | (codeptr & ((UINT64_C(1) << MET_SHIFT) - 1));
    if (__atomic_load_n(number & 1 ? &r->rec.met_odd : &r->rec.met_even, __ATOMIC_RELAXED) != here)
        region_meet(r, number, here);
}

/* A construct in which the thread waits for others and may execute tasks. */
static inline void sync_begin(struct wait *w, struct thread *t, enum sync_kind kind,
                              enum thread_state state, uint64_t wait_id, struct place place)
{
    if (sync_is_barrier(kind)) {
        barrier_enter(t->rec, 0);
        barrier_meet(t, place.codeptr);
    }
    schedule_begin(w, t, state, wait_id, place);
    if (event_wanted(SYNC_EVENTS))
        notify_sync_begin(t, kind, place.codeptr);
}

static inline void sync_end(const struct wait *w, struct thread *t, enum sync_kind kind,
                            struct place place)
{
    if (event_wanted(SYNC_EVENTS))
        notify_sync_end(t, kind, place.codeptr);
    schedule_end(w, t);
    if (sync_is_barrier(kind))
        barrier_leave(t->rec);
}

/* Before the acquisition of a mutex. */
static inline void mutex_begin(struct wait *w, struct thread *t, enum mutex_kind kind,
                               enum thread_state state, uint64_t wait_id, struct place place)
{
    wait_begin(w, t, state, wait_id, 0, place);
    event_mutex_acquire(t, kind, wait_id, place.codeptr);
}

/* Without a record the nesting count of a nest lock is unknown, hence which release is
 * the last: no acquisition is reported. */
static inline bool lock_is_reportable(uint32_t lock, uintptr_t address)
{
    return lock != LOCK_NEST || lock_find(address);
}

/* By its record, which may be out of date. */
static inline bool mutex_is_held(uintptr_t address)
{
    const struct rec_lock *lock = lock_find(address);
    return lock && __atomic_load_n(&lock->owner_id, __ATOMIC_RELAXED);
}

/* `lock` is one of LOCK_*. */
static inline void mutex_acquired(struct thread *t, enum mutex_kind kind, uint32_t lock,
                                  uintptr_t address, struct place place)
{
    if (unlikely(lock_acquired(t, address, lock, place)))
        event_nest_lock(t, EVENT_BEGIN, address, place.codeptr);
    else if (event_wanted(EVENT_BIT(mutex_acquired)) && lock_is_reportable(lock, address))
        event_mutex_acquired(t, kind, address, place.codeptr);
}

/* `call`, which releases a mutex; `still_held` is the result of lock_releasing(). For the end of a
 * wrapper's body only. */
#define RELEASE_MUTEX(call, still_held, kind, address)                                             \
    do {                                                                                           \
        if (likely(!event_wanted(RELEASE_EVENTS))) {                                               \
            call;                                                                                  \
            return;                                                                                \
        }                                                                                          \
        notify_mutex_releasing(still_held, kind, address);                                         \
        call;                                                                                      \
        notify_mutex_released(still_held, kind, address, HERE.codeptr);                            \
    } while (0)

/* Around the call that acquires the mutex. */
static inline void contention_begin(struct thread *t, enum mutex_kind kind, uintptr_t address)
{
    bool held = mutex_is_held(address);
    if (unlikely(held))
        wait_contended(t);
    if (event_wanted(EVENT_BIT(mutex_wait)))
        notify_contention_begin(t, kind, held);
}

static inline void contention_end(struct thread *t, enum mutex_kind kind)
{
    if (unlikely(t->contention))
        notify_contention_end(t, kind);
}

/* All of this around `call`. For the body of a wrapper only, like HERE; `t` is the
 * calling thread. */
#define ACQUIRE_MUTEX(call, kind, state, lock, address)                                            \
    do {                                                                                           \
        struct wait w;                                                                             \
        struct place here = HERE;                                                                  \
        mutex_begin(&w, t, kind, state, address, here);                                            \
        contention_begin(t, kind, address);                                                        \
        call;                                                                                      \
        contention_end(t, kind);                                                                   \
        wait_end(&w, t);                                                                           \
        mutex_acquired(t, kind, lock, address, here);                                              \
    } while (0)

#pragma GCC visibility pop

#endif
