/* SPDX-License-Identifier: MIT
 *
 * Records of lock owners. Only the owner of a lock writes its record, so the lock itself
 * excludes concurrent writers; creating and releasing a record takes the hooks' lock.
 *
 * Locks of OpenMP 2.5 binaries (symbol version OMP_1.0) have no record.
 */
#ifndef OMPD_HOOKS_LOCK_RECORDS_H
#define OMPD_HOOKS_LOCK_RECORDS_H

#include "state/state.h"

#pragma GCC visibility push(hidden)

/* A chain for each of the records that there may be: of a few locks a few pages are touched. */
#define LOCK_BITS 16
/* A longer walk has followed records that were reused meanwhile. */
#define LOCK_STEPS 4096

extern uintptr_t lock_buckets[1 << LOCK_BITS];

/* Publishes the table of chains. */
void lock_records_start(void);

/* The last LOCKS_REMEMBERED destroyed locks keep their records, so that a later use can
 * be reported. */
#define LOCKS_REMEMBERED 64
void lock_initialized(uintptr_t address, uint32_t kind, bool reported);
void lock_destroyed(uintptr_t address);

/* Finds or creates the record, after lock_find() has failed; NULL without memory. */
struct rec_lock *lock_find_slowly(uintptr_t address, uint32_t kind);

/* Lock-free: may return NULL if records are inserted or reused meanwhile. */
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

/* The id goes first: without one, readers ignore the rest. */
static inline void lock_clear_owner(struct rec_lock *lock)
{
    lock->owner_id = 0;
    publish_order();
    lock->count = 0;
    lock->owner = 0;
    lock->owner_task = 0;
    lock->owner_task_id = 0;
    lock->codeptr = 0;
    lock->frame = 0;
}

/* After the acquisition, at `place` in user code. True if the task already owned this
 * nest lock. */
static inline bool lock_acquired(const struct thread *t, uintptr_t address, uint32_t kind,
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
    if (unlikely(lock->kind != kind))
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

/* Before the release. True if the task will still own this nest lock. */
static inline bool lock_releasing(uintptr_t address)
{
    struct rec_lock *lock = lock_find(address);
    if (unlikely(!lock))
        return false;
    if (lock->count > 1) {
        lock->count--;
        return true;
    }
    lock_clear_owner(lock);
    return false;
}

/* Of a runtime that reports: the record may have an owner whose release was not seen. The
 * second: once more, of a nest lock. */
void lock_acquired_reported(const struct thread *t, uintptr_t address, uint32_t kind,
                            struct place place);
void lock_nested(const struct thread *t, uintptr_t address);

#pragma GCC visibility pop

#endif
