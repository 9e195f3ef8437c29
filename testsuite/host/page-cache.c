/* SPDX-License-Identifier: MIT
 *
 * The page cache: four ways to a set, one target access fills one page. With one way only, two
 * pages of a small walk met now and then, as addresses differ from run to run, and what the walk
 * costs could not be counted.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "page-cache.h"
#include "target.h"

enum {
    PAGE_SIZE_OF_CACHE = 4096,
    SETS = 256,
    WAYS = 4, /* together a page of each thread of a large process */
    /* Longer reads go to the target in one piece: they gain nothing from pages. */
    LONG_READ = 8 * PAGE_SIZE_OF_CACHE,
};

struct page {
    bool valid;
    uint64_t address;
    unsigned char bytes[PAGE_SIZE_OF_CACHE];
};

struct page_cache {
    struct target *target;
    uint64_t accesses;
    struct set {
        unsigned oldest;
        struct page ways[WAYS];
    } sets[SETS];
};

struct page_cache *page_cache_create(struct target *target)
{
    struct page_cache *cache = calloc(1, sizeof *cache);
    if (cache)
        cache->target = target;
    return cache;
}

void page_cache_destroy(struct page_cache *cache)
{
    free(cache);
}

void page_cache_drop(struct page_cache *cache)
{
    for (size_t set = 0; set < SETS; set++)
        for (size_t way = 0; way < WAYS; way++)
            cache->sets[set].ways[way].valid = false;
}

uint64_t page_cache_accesses(const struct page_cache *cache)
{
    return cache->accesses;
}

static int access_target(struct page_cache *cache, uint64_t address, void *buffer, size_t length)
{
    cache->accesses++;
    return cache->target->ops->read(cache->target, address, buffer, length);
}

/* Stacks stand at equal distances: what is at the same place in each must not meet. */
static struct set *set_of(struct page_cache *cache, uint64_t address)
{
    uint64_t number = address / PAGE_SIZE_OF_CACHE;
    return &cache->sets[(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SETS];
}

static struct page *page_at(struct page_cache *cache, uint64_t address)
{
    struct set *set = set_of(cache, address);
    for (size_t way = 0; way < WAYS; way++)
        if (set->ways[way].valid && set->ways[way].address == address)
            return &set->ways[way];
    struct page *page = &set->ways[set->oldest];
    page->valid = false;
    if (access_target(cache, address, page->bytes, sizeof page->bytes))
        return NULL;
    set->oldest = (set->oldest + 1) % WAYS;
    page->address = address;
    page->valid = true;
    return page;
}

int page_cache_read(struct page_cache *cache, uint64_t address, void *buffer, size_t length)
{
    if (length == 0)
        return 0;
    if (address + length < address)
        return EFAULT;
    unsigned char bytes[LONG_READ];
    if (length > sizeof bytes)
        return access_target(cache, address, buffer, length);

    for (size_t done = 0; done < length;) {
        uint64_t at = address + done;
        size_t within = at % PAGE_SIZE_OF_CACHE;
        size_t part = PAGE_SIZE_OF_CACHE - within;
        if (part > length - done)
            part = length - done;
        struct page *page = page_at(cache, at - within);
        if (!page) {
            /* A part of the page may be readable, as at the end of a core's segment. */
            int error = access_target(cache, at, bytes + done, part);
            if (error)
                return error;
        } else {
            memcpy(bytes + done, page->bytes + within, part);
        }
        done += part;
    }
    memcpy(buffer, bytes, length);
    return 0;
}
