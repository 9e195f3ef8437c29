/* SPDX-License-Identifier: MIT
 *
 * State functions of synchronisation: what state.h records, and the events of it.
 */
#ifndef OMPD_HOOKS_WAITS_H
#define OMPD_HOOKS_WAITS_H

#include "state/events.h"
#include "state/lock-records.h"

#pragma GCC visibility push(hidden)

#define SYNC_EVENTS (EVENT_BIT(sync_region) | EVENT_BIT(sync_wait) | EVENT_BIT(work))
#define LEAVE_EVENTS (EVENT_BIT(mutex_released) | EVENT_BIT(nest_lock))

/* The cold halves of the functions below (waits.c). */
void told_sync_begin(struct thread *t, enum sync_kind kind, uintptr_t codeptr);
void told_sync_end(struct thread *t, enum sync_kind kind, uintptr_t codeptr);
void told_mutex_left(bool still_held, enum mutex_kind kind, uintptr_t address,
                     uintptr_t codeptr);
void told_contention_begin(struct thread *t, enum mutex_kind kind, bool held);
void told_contention_end(struct thread *t, enum mutex_kind kind);

static inline bool sync_is_barrier(enum sync_kind kind)
{
    return kind == SYNC_BARRIER_EXPLICIT || kind == SYNC_BARRIER_WORKSHARE;
}

/* A construct in which the thread waits for others and may run tasks. */
static inline void sync_begin(struct wait *w, struct thread *t, enum sync_kind kind,
                              enum thread_state state, uint64_t wait_id,
                              struct place place)
{
    if (sync_is_barrier(kind))
        barrier_enter(t->rec, 0);
    schedule_begin(w, t, state, wait_id, place);
    if (event_wanted(SYNC_EVENTS))
        told_sync_begin(t, kind, place.codeptr);
}

static inline void sync_end(const struct wait *w, struct thread *t, enum sync_kind kind,
                            struct place place)
{
    if (event_wanted(SYNC_EVENTS))
        told_sync_end(t, kind, place.codeptr);
    schedule_end(w, t);
    if (sync_is_barrier(kind))
        barrier_leave(t->rec);
}

/* A mutex is asked for, may have to be waited for, and is taken. */
static inline void mutex_begin(struct wait *w, struct thread *t, enum mutex_kind kind,
                               enum thread_state state, uint64_t wait_id,
                               struct place place)
{
    wait_begin(w, t, state, wait_id, place);
    event_mutex_acquire(t, kind, wait_id, place.codeptr);
}

/* Of a nest lock without a record nobody knows how often it is held: tools that wait for
 * its release would wait for ever. */
static inline bool lock_tellable(uint32_t lock, uintptr_t address)
{
    return lock != LOCK_NEST || lock_find(address);
}

/* Somebody was in it a moment ago, as far as the lock's record tells. */
static inline bool mutex_is_held(uintptr_t address)
{
    const struct rec_lock *lock = lock_find(address);
    return lock && __atomic_load_n(&lock->owner_id, __ATOMIC_RELAXED);
}

/* `lock` is one of LOCK_*. */
static inline void mutex_taken(struct thread *t, enum mutex_kind kind, uint32_t lock,
                               uintptr_t address, struct place place)
{
    if (unlikely(lock_taken(t, address, lock, place)))
        event_nest_lock(t, EVENT_BEGIN, address, place.codeptr);
    else if (event_wanted(EVENT_BIT(mutex_acquired)) && lock_tellable(lock, address))
        event_mutex_acquired(t, kind, address, place.codeptr);
}

/* It has been given back; `still_held` is what lock_leaving() has said before. */
static inline void mutex_left(bool still_held, enum mutex_kind kind, uintptr_t address,
                              uintptr_t codeptr)
{
    if (event_wanted(LEAVE_EVENTS))
        told_mutex_left(still_held, kind, address, codeptr);
}

/* Around the call that takes a mutex, for those who want to know whether the thread has to
 * wait there. */
static inline void contention_begin(struct thread *t, enum mutex_kind kind,
                                    uintptr_t address)
{
    if (event_wanted(EVENT_BIT(mutex_wait)))
        told_contention_begin(t, kind, mutex_is_held(address));
}

static inline void contention_end(struct thread *t, enum mutex_kind kind)
{
    if (unlikely(t->asked))
        told_contention_end(t, kind);
}

/* What a wrapper does around that call. For the body of a wrapper only, like HERE; `t` is
 * the calling thread. */
#define TAKE_MUTEX(call, kind, state, lock, address)                                     \
    do {                                                                                 \
        struct wait w;                                                                   \
        struct place here = HERE;                                                        \
        mutex_begin(&w, t, kind, state, address, here);                                  \
        contention_begin(t, kind, address);                                              \
        call;                                                                            \
        contention_end(t, kind);                                                         \
        wait_end(&w, t);                                                                 \
        mutex_taken(t, kind, lock, address, here);                                       \
    } while (0)

#pragma GCC visibility pop

#endif
