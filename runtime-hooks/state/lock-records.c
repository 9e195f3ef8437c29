/* SPDX-License-Identifier: MIT
 *
 * Slabs and hash chains of lock records; see lock-records.h.
 *
 * A released record is reused for another lock, in another chain. A concurrent walk may
 * follow it there and miss its own lock, so lock_find_slowly() repeats the lookup under
 * the hooks' lock, or knows that no record was released meanwhile.
 */
#include "state/lock-records.h"
#include "core/lock.h"
#include "records/memory.h"

#define PER_SLAB 64
#define MAX_LOCKS (1 << LOCK_BITS)

uintptr_t lock_buckets[1 << LOCK_BITS];

static struct rec_lock *free_locks; /* linked by next */
static uint64_t last_id;
static unsigned count;
static bool exhausted;     /* no lock gets a record until one is released */
static uint32_t releasing; /* odd while a record is released */

/* What an acquisition writes, from the owner's id to the frame, is a cache line of its own; those who
 * look for the lock read the one before. */
#define OWNER offsetof(struct rec_lock, owner_id)
struct lock_slab {
    struct rec_slab head;
    char before_owner[128 - OWNER - sizeof(struct rec_slab)];
    struct {
        struct rec_lock rec;
        char apart[128 - sizeof(struct rec_lock)];
    } locks[PER_SLAB];
};
_Static_assert((offsetof(struct lock_slab, locks) + OWNER) % 64 == 0 &&
                   offsetof(struct rec_lock, life) <= OWNER + 64,
               "an acquisition writes two cache lines");

void lock_records_start(void)
{
    ompd_hooks_root.lock_bits = LOCK_BITS;
    publish_order();
    ompd_hooks_root.lock_buckets = (uintptr_t)lock_buckets;
}

static void add_slab(void)
{
    struct lock_slab *slab = count < MAX_LOCKS ? memory_piece(sizeof(*slab)) : NULL;
    if (!slab)
        return;
    count += PER_SLAB;
    memory_publish(&slab->head, &ompd_hooks_root.lock_slab, slab->locks, sizeof(slab->locks[0]),
                   PER_SLAB);
    for (unsigned i = PER_SLAB; i-- > 0;) {
        slab->locks[i].rec.next = (uintptr_t)free_locks;
        free_locks = &slab->locks[i].rec;
    }
}

static struct rec_lock *create_record(uintptr_t address, uint32_t kind)
{
    if (!free_locks)
        add_slab();
    struct rec_lock *lock = free_locks;
    if (!lock) {
        __atomic_store_n(&exhausted, true, __ATOMIC_RELEASE);
        return NULL;
    }
    free_locks = (struct rec_lock *)lock->next;
    uintptr_t *bucket = &lock_buckets[records_hash(address, LOCK_BITS)];
    lock->kind = kind;
    lock->next = *bucket;
    lock->address = address;
    publish_order();
    lock->id = ++last_id;
    __atomic_store_n(bucket, (uintptr_t)lock, __ATOMIC_RELEASE);
    return lock;
}

/* Clears all but the links of the hash chain. */
static void clear(struct rec_lock *lock)
{
    lock->id = 0;
    publish_order();
    lock_clear_owner(lock);
    lock->hint = 0;
    lock->life = LOCK_UNSEEN;
    lock->reported = 0;
}

static void unlink_record(const struct rec_lock *lock)
{
    uintptr_t *link = &lock_buckets[records_hash(lock->address, LOCK_BITS)];
    while (*link && *link != (uintptr_t)lock)
        link = &((struct rec_lock *)*link)->next;
    if (*link)
        __atomic_store_n(link, lock->next, __ATOMIC_RELEASE);
}

/* For locks beyond those that have records, which are acquired as often as others. */
static bool has_no_record(uintptr_t address)
{
    if (!__atomic_load_n(&exhausted, __ATOMIC_ACQUIRE))
        return false;
    uint32_t before = __atomic_load_n(&releasing, __ATOMIC_ACQUIRE);
    if (lock_find(address))
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return !(before & 1) && __atomic_load_n(&releasing, __ATOMIC_RELAXED) == before;
}

struct rec_lock *lock_find_slowly(uintptr_t address, uint32_t kind)
{
    if (has_no_record(address))
        return NULL;
    hooks_lock();
    struct rec_lock *lock = lock_find(address);
    if (!lock)
        lock = create_record(address, kind);
    hooks_unlock();
    return lock;
}

/* There may be a record of an earlier lock at this address. */
void lock_initialized(uintptr_t address, uint32_t kind, bool reported)
{
    hooks_lock();
    struct rec_lock *lock = lock_find(address);
    if (lock) {
        clear(lock);
        lock->kind = kind;
        publish_order();
        lock->id = ++last_id;
    } else {
        lock = create_record(address, kind);
    }
    if (lock) {
        lock->reported = reported;
        lock->life = LOCK_MADE;
    }
    hooks_unlock();
}

void lock_acquired_reported(const struct thread *t, uintptr_t address, uint32_t kind,
                            struct place place)
{
    struct rec_lock *lock = lock_find(address);
    if (unlikely(!lock) && !(lock = lock_find_slowly(address, kind)))
        return;
    lock->owner_id = 0;
    publish_order();
    lock->reported = 1;
    lock->kind = kind;
    lock->owner = (uintptr_t)t->rec;
    lock->owner_task = t->untracked ? 0 : t->rec->task;
    lock->owner_task_id = t->untracked ? 0 : t->rec->task_id;
    lock->count = 1;
    lock->codeptr = place.codeptr;
    lock->frame = place.frame;
    publish_order();
    lock->owner_id = t->id;
}

void lock_nested(const struct thread *t, uintptr_t address)
{
    struct rec_lock *lock = lock_find(address);
    if (lock && lock->owner_id == t->id)
        lock->count++;
}

static void release_record(struct rec_lock *lock)
{
    __atomic_add_fetch(&releasing, 1, __ATOMIC_SEQ_CST);
    clear(lock);
    unlink_record(lock);
    lock->address = 0;
    __atomic_store_n(&lock->next, (uintptr_t)free_locks, __ATOMIC_RELEASE);
    free_locks = lock;
    __atomic_store_n(&exhausted, false, __ATOMIC_RELEASE);
    __atomic_add_fetch(&releasing, 1, __ATOMIC_RELEASE);
}

/* Ring buffer of destroyed locks. The record that leaves it is released, unless the lock
 * has been initialized again, which changes the id, or acquired. */
static struct {
    struct rec_lock *lock;
    uint64_t id;
} remembered[LOCKS_REMEMBERED];
static unsigned next_remembered;

static void remember(struct rec_lock *lock)
{
    unsigned at = next_remembered++ % LOCKS_REMEMBERED;
    struct rec_lock *oldest = remembered[at].lock;
    if (oldest && oldest->id == remembered[at].id && !oldest->owner_id)
        release_record(oldest);
    remembered[at].lock = lock;
    remembered[at].id = lock->id;
}

void lock_destroyed(uintptr_t address)
{
    hooks_lock();
    struct rec_lock *lock = lock_find(address);
    if (lock && lock->life != LOCK_DESTROYED) {
        lock_clear_owner(lock);
        lock->life = LOCK_DESTROYED;
        remember(lock);
    }
    hooks_unlock();
}
