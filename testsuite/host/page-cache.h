/* SPDX-License-Identifier: MIT
 *
 * A page cache under the reads of a stopped target, and the counters that tests assert.
 *
 * A library that reads a target record by record costs one system call per record without
 * it. The debugger may cache because it knows when the target runs; it drops everything
 * then (target_resume, target_stop, target_write).
 */
#ifndef HOST_PAGE_CACHE_H
#define HOST_PAGE_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct page_cache;
struct target;

struct page_cache *page_cache_create(struct target *target);
void page_cache_destroy(struct page_cache *cache);
void page_cache_drop(struct page_cache *cache);

/* 0 or an errno value; `buffer` changes only on success. */
int page_cache_read(struct page_cache *cache, uint64_t address, void *buffer, size_t length);

/* Accesses that reached the target since the cache was created. */
uint64_t page_cache_accesses(const struct page_cache *cache);

#endif
