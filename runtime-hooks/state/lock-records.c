/* SPDX-License-Identifier: MIT
 *
 * Records of locks: their slabs, and the hash chains by which they are found; see
 * lock-records.h.
 *
 * A record given up goes to another lock, and so to another chain. A walk that meets it
 * may then end in the wrong chain and miss its lock: that is why a lock which was not
 * found is looked for once more under the lock of the hooks.
 */
#include "state/lock-records.h"
#include "core/lock.h"
#include "records/memory.h"

#define PER_SLAB 64
#define MOST_LOCKS (64 * 1024)

uintptr_t lock_buckets[1 << LOCK_BITS];

static struct rec_lock *free_locks; /* linked by next */
static uint64_t last_id;
static unsigned count;

/* Holders of different locks do not share a cache line. */
struct lock_slab {
    struct rec_slab head;
    struct {
        struct rec_lock rec __attribute__((aligned(64)));
    } locks[PER_SLAB];
};

void lock_records_start(void)
{
    ompd_hooks_root.lock_bits = LOCK_BITS;
    publish_order();
    ompd_hooks_root.lock_buckets = (uintptr_t)lock_buckets;
}

static void add_slab(void)
{
    struct lock_slab *slab = count < MOST_LOCKS ? memory_piece(sizeof(*slab)) : NULL;
    if (!slab)
        return;
    count += PER_SLAB;
    memory_publish(&slab->head, &ompd_hooks_root.lock_slab, slab->locks,
                   sizeof(slab->locks[0]), PER_SLAB);
    for (unsigned i = PER_SLAB; i-- > 0;) {
        slab->locks[i].rec.next = (uintptr_t)free_locks;
        free_locks = &slab->locks[i].rec;
    }
}

static struct rec_lock *make(uintptr_t address, uint32_t kind)
{
    if (!free_locks)
        add_slab();
    struct rec_lock *lock = free_locks;
    if (!lock)
        return NULL;
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

static void clear_owner(struct rec_lock *lock)
{
    lock->owner_id = 0;
    publish_order();
    lock->owner = 0;
    lock->owner_task = 0;
    lock->owner_task_id = 0;
    lock->count = 0;
    lock->codeptr = 0;
    lock->frame = 0;
}

/* All but its place in the chain. */
static void clear(struct rec_lock *lock)
{
    lock->id = 0;
    publish_order();
    clear_owner(lock);
    lock->hint = 0;
    lock->life = LOCK_UNSEEN;
}

static void unlink_lock(const struct rec_lock *lock)
{
    uintptr_t *link = &lock_buckets[records_hash(lock->address, LOCK_BITS)];
    while (*link && *link != (uintptr_t)lock)
        link = &((struct rec_lock *)*link)->next;
    if (*link)
        __atomic_store_n(link, lock->next, __ATOMIC_RELEASE);
}

struct rec_lock *lock_find_slowly(uintptr_t address, uint32_t kind)
{
    hooks_lock();
    struct rec_lock *lock = lock_find(address);
    if (!lock)
        lock = make(address, kind);
    hooks_unlock();
    return lock;
}

/* Another lock may have stood here before, destroyed or not. */
void lock_made(uintptr_t address, uint32_t kind)
{
    hooks_lock();
    struct rec_lock *lock = lock_find(address);
    if (lock) {
        clear(lock);
        lock->kind = kind;
        publish_order();
        lock->id = ++last_id;
    } else {
        lock = make(address, kind);
    }
    if (lock)
        lock->life = LOCK_MADE;
    hooks_unlock();
}

static void give_up(struct rec_lock *lock)
{
    clear(lock);
    unlink_lock(lock);
    lock->address = 0;
    __atomic_store_n(&lock->next, (uintptr_t)free_locks, __ATOMIC_RELEASE);
    free_locks = lock;
}

/* The destroyed locks, the oldest of which makes room. One that was made again since has
 * another id; one that somebody has set since stays. */
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
        give_up(oldest);
    remembered[at].lock = lock;
    remembered[at].id = lock->id;
}

void lock_destroyed(uintptr_t address)
{
    hooks_lock();
    struct rec_lock *lock = lock_find(address);
    if (lock && lock->life != LOCK_DESTROYED) {
        clear_owner(lock);
        lock->life = LOCK_DESTROYED;
        remember(lock);
    }
    hooks_unlock();
}
