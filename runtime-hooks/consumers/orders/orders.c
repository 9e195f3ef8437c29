/* SPDX-License-Identifier: MIT
 *
 * OMP_OMPD=orders: which locks a thread holds as it acquires another one, each such order once, and which
 * threads have met it between which barriers.
 *
 * What a thread holds is a path in a tree: a record has its lock, and the record of the lock acquired before.
 * Implicit tasks alone are looked at, and in a region that has an ordered construct nothing from there on: what
 * else orders threads, as dependences and taskwait do, is not known here, and would be a false alarm.
 */
#include "consumers/orders/orders.h"
#include "core/lock.h"
#include "records/memory.h"
#include "state/events.h"
#include "state/lock-records.h"

/* Places in the table that are looked at for a record. */
enum { WINDOW = 16, ORDERS = 1 << ORDER_BITS, MOST_HELD = 8, PER_PHASE = ORDER_MEETINGS / 2 };

/* Bits of the number of a barrier beside that of its region. */
enum { PHASE_BITS = ORDER_PHASE_BITS, REGION_BITS = 64 - PHASE_BITS };

struct order {
    struct rec_order rec;
    struct rec_meeting met[ORDER_MEETINGS];
    uint32_t busy; /* a meeting is being stored */
} __attribute__((aligned(64)));

static struct order_table {
    struct rec_slab head;
    struct order orders[ORDERS + WINDOW];
} * table;

struct held {
    const struct rec_lock *lock;
    uint64_t id;         /* that the lock's record has had */
    struct order *order; /* NULL until another lock is acquired while it is held */
    uintptr_t codeptr;
};

struct held_locks {
    unsigned count;
    bool is_lost; /* it has held more, or such as have no record: others may be guarded by these */
    struct held locks[MOST_HELD];
};

/* The records of locks tell what is held still, and LOCK is not, which is acquired just now. What was acquired
 * after one that has been released is at another place of the tree. */
static unsigned still_held(const struct thread *t, struct held_locks *own,
                           const struct rec_lock *lock)
{
    unsigned count = 0;
    for (unsigned i = 0; i < own->count; i++) {
        struct held *held = &own->locks[i];
        if (held->lock == lock || held->lock->owner_id != t->id || held->lock->id != held->id)
            continue;
        if (count < i) {
            own->locks[count] = *held;
            own->locks[count].order = NULL;
        }
        count++;
    }
    own->count = count;
    return count;
}

static struct order *find(uint64_t lock, uint64_t parent)
{
    struct order *first = &table->orders[records_hash(lock + (parent << 32), ORDER_BITS)];
    for (struct order *order = first; order < first + WINDOW; order++) {
        uint64_t id = __atomic_load_n(&order->rec.id, __ATOMIC_ACQUIRE);
        if (!id || (order->rec.lock == lock && order->rec.parent == parent))
            return order;
    }
    return NULL;
}

static NOINLINE struct order *order_new(const struct held *held, uint64_t parent)
{
    hooks_lock();
    struct order *order = find(held->id, parent);
    if (order && !order->rec.id) {
        order->rec.lock = held->id;
        order->rec.parent = parent;
        order->rec.address = held->lock->address;
        order->rec.kind = held->lock->kind;
        order->rec.codeptr = held->codeptr;
        order->rec.meetings = (uintptr_t)order->met;
        __atomic_store_n(&order->rec.id, (uint64_t)(order - table->orders) + 1, __ATOMIC_RELEASE);
    }
    hooks_unlock();
    return order;
}

static struct order *order_of(struct held *held, uint64_t parent)
{
    if (!held->order) {
        struct order *order = find(held->id, parent);
        held->order = order && !order->rec.id ? order_new(held, parent) : order;
    }
    return held->order;
}

/* Of each of the last two phases the first threads. */
static void meet(struct order *order, uint64_t thread, uint64_t phase)
{
    struct rec_meeting *met = order->met + ((phase ^ phase >> PHASE_BITS) & 1) * PER_PHASE;
    struct rec_meeting *end = met + PER_PHASE;
    for (; met < end && met->thread && met->phase == phase; met++)
        if (met->thread == thread)
            return;
    if (met == end || __atomic_exchange_n(&order->busy, 1, __ATOMIC_ACQUIRE))
        return;
    if (!met->thread || met->phase != phase) {
        met->thread = 0;
        publish_order();
        met->phase = phase;
        publish_order();
        met->thread = thread;
    }
    __atomic_store_n(&order->busy, 0, __ATOMIC_RELEASE);
}

/* By a test it has not waited. False: there is no room. */
static bool acquired_inside(const struct thread *t, struct held_locks *own, bool is_test)
{
    uint64_t region = STATUS_REGION(t->rec->status), barrier = t->rec->barrier >> BARRIER_SHIFT;
    struct order *order = NULL;
    for (unsigned i = 0; i < own->count; i++)
        if (!(order = order_of(&own->locks[i], order ? order->rec.id : 0)))
            return false;
    const struct rec_task *task = current_task(t);
    if (!is_test && task && task->kind == TASK_IMPLICIT && t->ordered_region != region && region &&
        !(region >> REGION_BITS) && !(barrier >> PHASE_BITS))
        meet(order, t->id, region << PHASE_BITS | barrier);
    return true;
}

static void lose(struct held_locks *own)
{
    own->is_lost = true;
    ompd_hooks_root.orders_lost = 1;
}

static void on_mutex_acquired(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    struct held_locks *own = t->held_locks;
    if (unlikely(!own || own->is_lost))
        return;
    if (kind == MUTEX_ORDERED) {
        t->ordered_region = STATUS_REGION(t->rec->status);
        return;
    }
    const struct rec_lock *lock = lock_find((uintptr_t)wait_id);
    unsigned count = still_held(t, own, lock);
    if (unlikely(!lock || count == MOST_HELD)) {
        lose(own);
        return;
    }
    own->locks[own->count++] = (struct held){lock, lock->id, NULL, event_code(t, codeptr)};
    if (count && !acquired_inside(t, own, kind == MUTEX_TEST_LOCK || kind == MUTEX_TEST_NEST_LOCK))
        lose(own);
}

/* That of a thread that has ended is the next one's in its place. */
static void on_thread_begin(struct thread *t)
{
    if (!t->held_locks) {
        hooks_lock();
        t->held_locks = memory_piece(sizeof(*t->held_locks));
        hooks_unlock();
    }
    if (t->held_locks)
        *t->held_locks = (struct held_locks){0};
}

#define WANTED (EVENT_BIT(thread_begin) | EVENT_BIT(mutex_acquired))

static void on_forked(void);

struct consumer consumer_orders = {
    .rank = CONSUMER_ORDERS,
    .forked = on_forked,
    .thread_begin = on_thread_begin,
    .mutex_acquired = on_mutex_acquired,
};

static void on_forked(void)
{
    if (table)
        consumer_wants(&consumer_orders, WANTED);
}

void orders_start(void)
{
    if (table || !(table = memory_pages(sizeof(*table))))
        return;
    memory_publish(&table->head, &ompd_hooks_root.order_slab, table->orders,
                   sizeof(table->orders[0]), ORDERS + WINDOW);
    consumer_wants(&consumer_orders, WANTED);
}
