/* SPDX-License-Identifier: MIT
 *
 * mappings.h.
 */
#include "state/mappings.h"
#include "core/lock.h"
#include "records/memory.h"

enum { MAPPINGS = 1024, ASKED = 64 };

static struct table {
    struct rec_slab head;
    struct rec_mapping mappings[MAPPINGS];
} * table;

/* Under the lock of the hooks. */
static uint64_t last_id, begun;
static uint64_t in_progress;

/* A free place, or that of the oldest one; NULL without memory. */
static struct rec_mapping *place(void)
{
    if (!table && (table = memory_pages(sizeof(*table))))
        memory_publish(&table->head, &ompd_hooks_root.mapping_slab, table->mappings,
                       sizeof(table->mappings[0]), MAPPINGS);
    struct rec_mapping *found = table ? table->mappings : NULL;
    for (unsigned i = 1; found && found->id && i < MAPPINGS; i++)
        if (table->mappings[i].id < found->id)
            found = &table->mappings[i];
    return found;
}

static void forget(struct rec_mapping *mapping)
{
    __atomic_store_n(&mapping->id, 0, __ATOMIC_RELEASE);
    publish_order();
}

static void add(const struct rec_mapping *made)
{
    struct rec_mapping *mapping = place();
    if (!mapping)
        return;
    forget(mapping);
    *mapping = *made;
    publish_order();
    __atomic_store_n(&mapping->id, ++last_id, __ATOMIC_RELEASE);
}

void mapping_reported(const struct rec_mapping *made)
{
    hooks_lock();
    add(made);
    hooks_unlock();
}

void mapping_removed(uint32_t device, uintptr_t copy)
{
    hooks_lock();
    for (unsigned i = 0; table && i < MAPPINGS; i++)
        if (table->mappings[i].copy == copy && table->mappings[i].device == device)
            forget(&table->mappings[i]);
    hooks_unlock();
}

static bool is_of(const struct rec_mapping *mapping, const struct mapping_span *span)
{
    return mapping->id && mapping->device == span->device &&
           mapping->runtime == (uintptr_t)span->real->omp_get_thread_num;
}

/* What starts or ends in a range, or is around it. */
static void forget_range(const struct mapping_span *span, size_t i)
{
    uintptr_t first = (uintptr_t)span->ranges.host[i];
    for (struct rec_mapping *m = table->mappings; m < table->mappings + MAPPINGS; m++)
        if (is_of(m, span) && first < m->host + m->bytes &&
            (first >= m->host || m->host - first < span->ranges.sizes[i]))
            forget(m);
}

static bool is_there(const struct mapping_span *span, size_t i)
{
    return span->real->omp_target_is_present(span->ranges.host[i], (int)span->device);
}

static uint64_t ranges_there(const struct mapping_span *span, uint64_t among, bool wanted)
{
    uint64_t found = 0;
    for (size_t i = 0; i < span->ranges.count && i < ASKED; i++)
        if (among >> i & 1 && span->ranges.host[i] && span->ranges.sizes[i] &&
            is_there(span, i) == wanted)
            found |= UINT64_C(1) << i;
    return found;
}

void mappings_begin(struct mapping_span *span)
{
    if (span->device == TARGET_HOST)
        return;
    hooks_lock();
    bool is_alone = !in_progress++;
    span->number = ++begun;
    if (table && (span->kind & ~(unsigned)TARGET_NOWAIT) == TARGET_EXIT_DATA)
        for (size_t i = 0; i < span->ranges.count; i++)
            forget_range(span, i);
    hooks_unlock();
    if (is_alone && span->kind == TARGET_ENTER_DATA && span->real->omp_target_is_present)
        span->absent = ranges_there(span, ~UINT64_C(0), false);
}

void mappings_end(struct mapping_span *span, uintptr_t codeptr)
{
    if (!span->number || span->kind & TARGET_NOWAIT)
        return;
    uint64_t made = span->absent ? ranges_there(span, span->absent, true) : 0;
    hooks_lock();
    in_progress--;
    span->made.first = last_id + 1;
    for (size_t i = 0; made && begun == span->number && i < ASKED; i++)
        if (made >> i & 1)
            add(&(struct rec_mapping){.runtime = (uintptr_t)span->real->omp_get_thread_num,
                                      .host = (uintptr_t)span->ranges.host[i],
                                      .bytes = span->ranges.sizes[i],
                                      .device = span->device,
                                      .codeptr = codeptr});
    span->made.end = last_id + 1;
    hooks_unlock();
}

void mappings_undo(struct mapping_ids made)
{
    hooks_lock();
    for (unsigned i = 0; table && i < MAPPINGS; i++)
        if (table->mappings[i].id >= made.first && table->mappings[i].id < made.end)
            forget(&table->mappings[i]);
    hooks_unlock();
}
