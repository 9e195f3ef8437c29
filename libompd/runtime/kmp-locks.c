/* SPDX-License-Identifier: MIT
 *
 * Locks and critical sections of LLVM's runtime. Those of the default kind (queuing) are in a
 * table, with the queue of their waiters: head and tail are gtids plus one, each waiter has the
 * next one. A plain lock does not keep its owner. The word of an omp_lock_t is twice the
 * lock's index; that of a critical section's name points to the table's row. By KMP_LOCK_KIND or a
 * hint a lock or a section may be of another kind: of tas and futex it is a word, which has the
 * owner, of ticket and drdpa in the table, which is read of nest locks, as these keep the owner.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

struct table_lock {
    taddr address;
    enum lock_kind kind;
    uint32_t head, tail; /* of the queue, if it has one */
    uint32_t owner;      /* a gtid plus 1, 0: it is not kept */
    uint32_t count;      /* 0: free */
};

/* Of a word: the low byte is its kind, the rest its owner. RC_UNSUPPORTED: it is no such word. */
static enum rc decode_owner(uint32_t word, uint32_t *out)
{
    uint32_t tag = word & 0xff;
    if (tag != KMP_LOCK_TAG_TAS && tag != KMP_LOCK_TAG_FUTEX)
        return RC_UNSUPPORTED;
    *out = word >> 8 >> (tag == KMP_LOCK_TAG_FUTEX);
    return RC_OK;
}

/* Of a nest lock an owner, and behind it how often the lock is held. */
static enum rc read_owner(const struct instance *instance, taddr address, uint32_t *owner,
                          uint32_t *depth)
{
    unsigned char bytes[8];
    enum rc rc = memory_read(instance, address, sizeof bytes, bytes);
    *owner = (uint32_t)target_decode(instance->space, bytes, 4);
    *depth = (uint32_t)target_decode(instance->space, bytes + 4, 4);
    return rc;
}

/* A nest lock without a queue that is kept, by its kind on x86. */
static enum rc read_nested(const struct instance *instance, taddr address, uint64_t kind,
                           struct table_lock *out)
{
    uint32_t owner, depth;
    enum rc rc = RC_UNAVAILABLE;
    if (kind == KMP_LOCK_NESTED_TAS || kind == KMP_LOCK_NESTED_FUTEX) {
        rc = read_owner(instance, address, &owner, &depth);
        if (rc == RC_OK && decode_owner(owner, &owner) != RC_OK)
            rc = RC_UNAVAILABLE; /* it was destroyed */
    } else if (kind == KMP_LOCK_NESTED_TICKET || kind == KMP_LOCK_NESTED_DRDPA) {
        bool is_ticket = kind == KMP_LOCK_NESTED_TICKET;
        taddr self;
        rc = memory_pointer(instance, address + (is_ticket ? KMP_LOCK_TICKET_SELF : 0), &self);
        if (rc == RC_OK && self != address)
            rc = RC_UNAVAILABLE;
        if (rc == RC_OK)
            rc = read_owner(instance,
                            address + (is_ticket ? KMP_LOCK_TICKET_OWNER : KMP_LOCK_DRDPA_OWNER),
                            &owner, &depth);
    }
    if (rc == RC_OK)
        *out = (struct table_lock){
            .address = address,
            .kind = LOCK_KIND_NEST,
            .owner = owner,
            .count = owner ? depth : 0,
        };
    return rc;
}

static enum rc read_queuing(const struct instance *instance, taddr address, bool is_nested,
                            struct table_lock *out)
{
    struct kmp_bytes object;
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_base_queuing_lock, address, &object);
    if (rc != RC_OK)
        return rc;
#define FIELD(field) kmp_field(instance, object.bytes, KMP_kmp_base_queuing_lock_##field)
    if (FIELD(self) != address)
        return RC_UNAVAILABLE;
    uint32_t head = (uint32_t)FIELD(head); /* 0: free, UINT32_MAX: held without waiters */
    *out = (struct table_lock){
        .address = address,
        .kind = is_nested         ? LOCK_KIND_NEST
                : FIELD(location) ? LOCK_KIND_CRITICAL
                                  : LOCK_KIND_SIMPLE,
        .head = head != UINT32_MAX ? head : 0,
        .tail = (uint32_t)FIELD(tail),
        .owner = (uint32_t)FIELD(owner),
        .count = !head       ? 0
                 : is_nested ? (uint32_t)FIELD(depth)
                             : 1,
    };
#undef FIELD
    return RC_OK;
}

/* RC_UNAVAILABLE: there is no lock of a kind that is known, or none that lives. */
static enum rc read_entry(const struct instance *instance, taddr entry, struct table_lock *out)
{
    struct kmp_bytes object;
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_indirect_lock_t, entry, &object);
    if (rc != RC_OK)
        return rc;
    taddr address = kmp_field(instance, object.bytes, KMP_kmp_indirect_lock_t_lock);
    uint64_t kind = kmp_field(instance, object.bytes, KMP_kmp_indirect_lock_t_kind);
    if (!address)
        return RC_UNAVAILABLE;
    if (kind == KMP_LOCK_QUEUING)
        return read_queuing(instance, address, false, out);
    if (kmp_state(instance)->layout->machine == PROBE_AARCH64)
        kind += KMP_LOCKS_OF_X86;
    if (kind == KMP_LOCK_NESTED_QUEUING)
        return read_queuing(instance, address, true, out);
    return read_nested(instance, address, kind, out);
}

struct cursor {
    struct kmp_bytes table;
    uint32_t index, used; /* in this table */
    uint32_t total;
};

/* The address of the next row's entry, 0: there is none. Tables after the first hold what it
 * has no room for. */
static enum rc next_entry(const struct instance *instance, struct cursor *at, taddr *out)
{
    *out = 0;
    while (at->index >= at->used) {
        taddr next = at->total || at->used ? kmp_field(instance, at->table.bytes,
                                                       KMP_kmp_indirect_lock_table_next_table)
                                           : kmp_state(instance)->lock_table;
        if (!next)
            return RC_OK;
        if (at->total++ >= KMP_LOCKS_MAX)
            return RC_NONSENSE;
        enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_indirect_lock_table, next, &at->table);
        if (rc != RC_OK)
            return rc;
        uint64_t rows = kmp_field(instance, at->table.bytes, KMP_kmp_indirect_lock_table_row_count);
        at->index = 0;
        at->used = (uint32_t)kmp_field(instance, at->table.bytes, KMP_kmp_indirect_lock_table_used);
        if (at->used > rows * KMP_LOCK_ROW)
            return RC_NONSENSE;
    }
    if (at->total++ >= KMP_LOCKS_MAX)
        return RC_NONSENSE;
    taddr row, rows = kmp_field(instance, at->table.bytes, KMP_kmp_indirect_lock_table_rows);
    enum rc rc =
        memory_pointer(instance, rows + (taddr)(at->index / KMP_LOCK_ROW) * sizeof row, &row);
    if (rc == RC_OK)
        *out = row + (taddr)(at->index++ % KMP_LOCK_ROW) *
                         kmp_size(instance, KMP_STRUCT_kmp_indirect_lock_t);
    return rc == RC_OK && !row ? RC_NONSENSE : rc;
}

/* Each waiter of a lock. The queue may be mid-update: what is not in it is left out. */
static enum rc add_waiters(const struct instance *instance, const struct table_lock *lock)
{
    struct kmp_state *state = kmp_state(instance);
    uint32_t next = lock->head;
    for (unsigned i = 0; next && next <= KMP_THREADS_MAX && i < KMP_TEAM_MAX; i++) {
        struct kmp_waiter waiter = {next - 1, lock->kind, lock->address};
        struct kmp_thread thread;
        taddr at;
        enum rc rc = kmp_thread_of_gtid(instance, next - 1, &at);
        if (rc == RC_OK)
            rc = kmp_read_thread_part(instance, at, &thread);
        if (rc != RC_OK)
            return rc_is_damage(rc) || rc == RC_UNAVAILABLE ? RC_OK : rc;
        if (!thread.spins)
            return RC_OK;
        rc = array_add_within(&state->waiters, KMP_THREADS_MAX, &waiter);
        if (rc != RC_OK || next == lock->tail)
            return rc == RC_INCOMPLETE ? RC_NONSENSE : rc;
        next = thread.next_waiting;
    }
    return RC_OK;
}

static bool comes_before(const void *left, const void *right)
{
    const struct kmp_waiter *a = left, *b = right;
    return a->gtid < b->gtid;
}

/* All queues are followed once in a query. */
static enum rc find_waiters(struct instance *instance)
{
    struct kmp_state *state = kmp_state(instance);
    struct cursor at = {.index = 0};
    enum rc rc = RC_OK;
    state->waiters.count = 0;
    while (rc == RC_OK) {
        taddr entry;
        struct table_lock lock;
        rc = next_entry(instance, &at, &entry);
        if (rc != RC_OK || !entry)
            break;
        rc = read_entry(instance, entry, &lock);
        if (rc == RC_OK)
            rc = add_waiters(instance, &lock);
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
    }
    array_sort(&state->waiters, comes_before);
    state->waiters_known = rc == RC_OK;
    return rc;
}

enum rc kmp_find_waiter(struct instance *instance, uint32_t gtid, const struct kmp_waiter **out)
{
    struct kmp_state *state = kmp_state(instance);
    enum rc rc = state->waiters_known ? RC_OK : find_waiters(instance);
    *out = NULL;
    if (rc != RC_OK)
        return rc_is_damage(rc) ? RC_OK : rc;
    const struct kmp_waiter *all = state->waiters.elements;
    size_t at = array_lower(&state->waiters, &(struct kmp_waiter){.gtid = gtid}, comes_before);
    if (at < state->waiters.count && all[at].gtid == gtid)
        *out = &all[at];
    return RC_OK;
}

static void fill_facts(const struct instance *instance, const struct table_lock *lock,
                       struct lock_facts *out)
{
    struct kmp_thread thread;
    taddr at;
    memset(out, 0, sizeof *out);
    out->address = (struct fact){KNOWN, lock->address};
    out->kind = (struct fact){KNOWN, lock->kind};
    out->count = (struct fact){lock->count > INT32_MAX ? IMPOSSIBLE : KNOWN, lock->count};
    out->hint.known = out->codeptr.known = out->owner_task.known = NEEDS_TRACKING;
    out->owner.known = lock->count ? NEEDS_TRACKING : NONE_HERE;
    if (!lock->count || !lock->owner)
        return;
    enum rc rc = kmp_thread_of_gtid(instance, lock->owner - 1, &at);
    if (rc == RC_OK)
        rc = kmp_read_thread(instance, at, &thread);
    out->owner.known = memory_mark(rc);
    if (rc == RC_OK)
        out->owner.ref = kmp_thread_ref(instance, &thread);
}

enum rc kmp_each_lock(struct instance *instance, lock_visitor *visit, void *arg)
{
    struct cursor at = {.index = 0};
    bool part = false;
    if (!kmp_state(instance)->lock_table)
        return RC_UNSUPPORTED;
    for (;;) {
        taddr entry;
        struct table_lock lock;
        struct lock_facts facts;
        enum rc rc = next_entry(instance, &at, &entry);
        if (rc != RC_OK)
            return rc == RC_NONSENSE ? RC_INCOMPLETE : rc;
        if (!entry)
            return part ? RC_INCOMPLETE : RC_OK;
        rc = read_entry(instance, entry, &lock);
        if (rc == RC_OK) {
            fill_facts(instance, &lock, &facts);
            struct ref ref = {lock.address, memory_id(instance, lock.address, 0)};
            if (!visit(arg, ref, &facts))
                return RC_OK;
        }
        part |= rc_is_damage(rc);
        if (rc != RC_OK && rc != RC_UNAVAILABLE && !rc_is_damage(rc))
            return rc;
    }
}

/* A plain lock or a critical section that is a word. */
static enum rc read_direct(const struct instance *instance, taddr address, enum lock_kind kind,
                           struct lock_facts *out)
{
    unsigned char bytes[4];
    struct table_lock lock = {.address = address, .kind = kind};
    enum rc rc =
        address % sizeof bytes ? RC_BAD_INPUT : memory_read(instance, address, sizeof bytes, bytes);
    if (rc == RC_OK)
        rc = decode_owner((uint32_t)target_decode(instance->space, bytes, sizeof bytes),
                          &lock.owner);
    if (rc != RC_OK)
        return rc;
    lock.count = lock.owner != 0;
    fill_facts(instance, &lock, out);
    return RC_OK;
}

/* The row of the table that a lock's word, or a critical section's, leads to. */
static enum rc find_entry(struct instance *instance, taddr address, enum lock_kind kind, taddr *out)
{
    if (kind == LOCK_KIND_CRITICAL) {
        enum rc rc = memory_pointer(instance, address, out);
        if (rc == RC_OK && !*out)
            return RC_UNAVAILABLE; /* it was never entered */
        return rc == RC_OK && *out % 8 ? RC_UNSUPPORTED : rc;
    }
    unsigned char word[4];
    enum rc rc =
        address % sizeof word ? RC_BAD_INPUT : memory_read(instance, address, sizeof word, word);
    if (rc != RC_OK)
        return rc;
    uint64_t value = target_decode(instance->space, word, sizeof word);
    if (value & 1)
        return RC_UNSUPPORTED; /* another kind, by KMP_LOCK_KIND or a hint */
    struct cursor at = {.index = 0};
    uint64_t index = value / 2; /* through all tables, which are full but the last */
    rc = next_entry(instance, &at, out);
    while (rc == RC_OK && *out && index >= at.used) {
        index -= at.used;
        at.index = at.used;
        rc = next_entry(instance, &at, out);
    }
    if (rc == RC_OK && *out && index) {
        at.index = (uint32_t)index;
        rc = next_entry(instance, &at, out);
    }
    return rc == RC_OK && !*out ? RC_BAD_INPUT : rc;
}

static enum rc find_lock(struct instance *instance, taddr address, enum lock_kind kind,
                         struct table_lock *out)
{
    taddr entry;
    if (!kmp_state(instance)->lock_table)
        return RC_UNSUPPORTED;
    enum rc rc = find_entry(instance, address, kind, &entry);
    if (rc == RC_OK)
        rc = read_entry(instance, entry, out);
    bool is_other = rc == RC_UNAVAILABLE || (rc == RC_OK && out->kind != kind);
    return is_other ? RC_BAD_INPUT : rc;
}

enum rc kmp_lock_object(struct instance *instance, taddr address, enum lock_kind kind, taddr *out)
{
    struct table_lock lock;
    enum rc rc = find_lock(instance, address, kind, &lock);
    if (rc == RC_OK)
        *out = lock.address;
    return rc;
}

enum rc kmp_lock(struct instance *instance, taddr address, enum lock_kind kind,
                 struct lock_facts *out)
{
    struct table_lock lock;
    enum rc rc = find_lock(instance, address, kind, &lock);
    if (rc == RC_OK)
        fill_facts(instance, &lock, out);
    else if (rc == RC_UNSUPPORTED && kind != LOCK_KIND_NEST)
        rc = read_direct(instance, address, kind, out);
    return rc;
}
