/* SPDX-License-Identifier: MIT
 *
 * The thread index: a small table that is replaced by a larger one when it is full, so
 * that a reader of few threads reads one page.
 *
 * While threads are being added root.index_overflow makes readers that miss one walk the slabs:
 * a thread is found by each of its keys as soon as its record has an id, and root.index and
 * root.index_bits may change. The old table stays mapped but is emptied: a reader that has
 * cached it reads the root again.
 */
#include "records/thread-index.h"
#include "core/hooks.h"
#include "records/memory.h"

#define WINDOW 16
#define FIRST_BITS 6
#define MAX_BITS 20
#define ENTRIES(bits) (((size_t)1 << (bits)) + WINDOW)

static struct rec_index first_table[ENTRIES(FIRST_BITS)];
static struct rec_index *table;
static unsigned bits;
static size_t used;
static size_t homeless; /* keys for which their window had no room */

static bool put(struct rec_index *to, unsigned to_bits, uint64_t key, uint64_t id, uintptr_t thread)
{
    struct rec_index *entry = &to[records_hash(key, to_bits)];
    for (unsigned i = 0; i < WINDOW; i++, entry++) {
        if (entry->key)
            continue;
        entry->thread = thread;
        entry->thread_id = id;
        publish_order();
        entry->key = key;
        return true;
    }
    return false;
}

static struct rec_index *find(uint64_t key)
{
    if (!table)
        return NULL;
    struct rec_index *entry = &table[records_hash(key, bits)];
    for (unsigned i = 0; i < WINDOW; i++, entry++)
        if (entry->key == key)
            return entry;
    return NULL;
}

static void wipe(struct rec_index *entry)
{
    entry->key = 0;
    publish_order();
    entry->thread_id = 0;
    entry->thread = 0;
}

static void use_table(struct rec_index *to, unsigned to_bits)
{
    struct rec_root *root = &ompd_hooks_root;
    root->index = (uintptr_t)to;
    root->index_window = WINDOW;
    root->index_bits = to_bits;
    publish_order();
    table = to;
    bits = to_bits;
}

/* Threads that found no room stay homeless until they end; the slabs have them. */
static void grow(void)
{
    unsigned to_bits = bits + 2;
    struct rec_index *to = memory_pages(ENTRIES(to_bits) * sizeof(*to));
    if (!to)
        return;
    struct rec_index *from = table;
    size_t from_entries = ENTRIES(bits);
    for (size_t i = 0; i < from_entries; i++)
        if (from[i].key && !put(to, to_bits, from[i].key, from[i].thread_id, from[i].thread))
            homeless++;
    use_table(to, to_bits);
    for (size_t i = 0; i < from_entries; i++)
        wipe(&from[i]);
}

void index_add_begin(void)
{
    ompd_hooks_root.index_overflow = 1;
    publish_order();
}

void index_add_end(void)
{
    publish_order();
    ompd_hooks_root.index_overflow = homeless != 0;
}

void index_add(uint64_t key, const struct rec_thread *thread)
{
    if (!table)
        use_table(first_table, FIRST_BITS);
    if ((used + 1) * 4 > (size_t)1 << bits && bits + 2 <= MAX_BITS)
        grow();
    if (put(table, bits, key, thread->id, (uintptr_t)thread)) {
        used++;
        return;
    }
    homeless++;
}

void index_remove(uint64_t key, const struct rec_thread *thread)
{
    struct rec_index *entry = find(key);
    if (entry && entry->thread == (uintptr_t)thread) {
        wipe(entry);
        used--;
    }
}

struct rec_thread *index_find(uint64_t key)
{
    struct rec_index *entry = find(key);
    return entry ? (struct rec_thread *)entry->thread : NULL;
}

void index_clear(void)
{
    if (!table)
        return;
    for (size_t i = 0; i < ENTRIES(bits); i++)
        wipe(&table[i]);
    used = homeless = 0;
    ompd_hooks_root.index_overflow = 0;
}
