/* SPDX-License-Identifier: MIT
 *
 * Memory for records: from the kernel, zeroed, never given back, so that a reader with an
 * old address finds memory there. The program's allocator is left alone.
 */
#ifndef OMPD_HOOKS_MEMORY_H
#define OMPD_HOOKS_MEMORY_H

#include "core/hooks.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

/* Page-aligned, or NULL. Leaves errno alone. */
void *memory_pages(size_t size);

/* Aligned to 64 bytes, or NULL. Small pieces share pages. The hooks' lock must be held.
 */
void *memory_piece(size_t size);

/* Puts a slab, all of whose records a reader may look at, in front of a list. */
static inline void memory_publish(struct rec_slab *slab, rec_addr *list, const void *records,
                                  size_t stride, uint32_t count)
{
    slab->next = *list;
    slab->first = (uintptr_t)records;
    slab->stride = (uint32_t)stride;
    slab->capacity = slab->used = count;
    publish_order();
    *list = (uintptr_t)slab;
}

#pragma GCC visibility pop

#endif
