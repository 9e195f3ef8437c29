/* SPDX-License-Identifier: MIT
 *
 * Who holds which lock. Whoever has taken a lock writes its record, so the lock itself
 * keeps the writers apart; only making and giving up a record takes the lock of the
 * hooks.
 *
 * What libgomp may do that this does not see: locks of OpenMP 2.5 binaries (symbol
 * version OMP_1.0) have no record.
 */
#ifndef OMPD_HOOKS_LOCK_RECORDS_H
#define OMPD_HOOKS_LOCK_RECORDS_H

#include "state/state.h"

#pragma GCC visibility push(hidden)

#define LOCK_BITS 12
/* More steps than this mean that records moved under the walk. */
#define LOCK_STEPS 4096

extern uintptr_t lock_buckets[1 << LOCK_BITS];

/* Publishes the table of chains. */
void lock_records_start(void);

/* The program makes or destroys a lock. The last LOCKS_REMEMBERED that were destroyed keep
 * their records, for those who use them all the same. */
#define LOCKS_REMEMBERED 64
void lock_made(uintptr_t address, uint32_t kind);
void lock_destroyed(uintptr_t address);

/* The record of a lock that lock_find() did not find; NULL when there is no memory. */
struct rec_lock *lock_find_slowly(uintptr_t address, uint32_t kind);

/* Takes no lock; records may be inserted and moved meanwhile. NULL also when that
 * happened. */
static inline struct rec_lock *lock_find(uintptr_t address)
{
    const uintptr_t *bucket = &lock_buckets[records_hash(address, LOCK_BITS)];
    struct rec_lock *lock = (struct rec_lock *)__atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; lock && i < LOCK_STEPS; i++) {
        if (likely(lock->address == address))
            return lock;
        lock = (struct rec_lock *)__atomic_load_n(&lock->next, __ATOMIC_ACQUIRE);
    }
    return NULL;
}

/* The thread has taken the lock, from the place that it came from in user code. True when
 * it held this nest lock before. */
static inline bool lock_taken(const struct thread *t, uintptr_t address, uint32_t kind,
                              struct place place)
{
    struct rec_lock *lock = lock_find(address);
    if (unlikely(!lock) && !(lock = lock_find_slowly(address, kind)))
        return false;
    const struct rec_thread *rec = t->rec;
    if (kind == LOCK_NEST && lock->count && lock->owner_id == t->id &&
        lock->owner_task_id == rec->task_id) {
        lock->count++;
        return true;
    }
    lock->kind = kind;
    lock->owner = (uintptr_t)rec;
    lock->owner_task = rec->task;
    lock->owner_task_id = rec->task_id;
    lock->count = 1;
    lock->codeptr = place.codeptr;
    lock->frame = place.frame;
    publish_order();
    lock->owner_id = t->id;
    return false;
}

/* It is about to give the lock back. True when it will hold this nest lock still. */
static inline bool lock_leaving(uintptr_t address)
{
    struct rec_lock *lock = lock_find(address);
    if (unlikely(!lock))
        return false;
    if (lock->count > 1) {
        lock->count--;
        return true;
    }
    lock->owner_id = 0;
    publish_order();
    lock->count = 0;
    lock->owner = 0;
    lock->owner_task = 0;
    lock->owner_task_id = 0;
    lock->codeptr = 0;
    lock->frame = 0;
    return false;
}

#pragma GCC visibility pop

#endif
