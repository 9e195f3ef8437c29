/* SPDX-License-Identifier: MIT
 *
 * The debugger's allocator. Every block is a block of malloc of exactly its size, so that
 * AddressSanitizer sees one byte too many. A freed block stays until the end of the input
 * with its first eight bytes readable, for a released handle may be passed again and is
 * told by them; who touches more of it is reported. Large blocks are kept for inputs to come: the
 * system would map and clear their pages each time. Behind the first bytes they have what an
 * earlier input left.
 */
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { LEFT_ALONE = 8, LARGE = 1 << 14, KEPT_FILLED = 1 << 13, KEPT_MAX = 256 };

/* Beside the block, not in it: its header would hide what runs in front of it. */
struct block {
    void *memory;
    size_t bytes;
    uint32_t *place; /* in the table */
    bool freed;
};

static struct block *blocks;
static size_t count;
static size_t capacity;
static long alive;

/* Open addressing over the blocks' addresses; values are indices + 1. */
static uint32_t *table;
static size_t table_size;

static struct {
    void *memory;
    size_t bytes;
} kept[KEPT_MAX];
static unsigned kept_count;

static void *take_kept(size_t bytes)
{
    for (unsigned i = 0; bytes >= LARGE && i < kept_count; i++)
        if (kept[i].bytes == bytes) {
            void *memory = kept[i].memory;
            kept[i] = kept[--kept_count];
            return memory;
        }
    return NULL;
}

static void keep_or_free(const struct block *block)
{
    if (block->bytes < LARGE || kept_count == KEPT_MAX) {
        free(block->memory);
        return;
    }
    kept[kept_count].memory = block->memory;
    kept[kept_count++].bytes = block->bytes;
}

static uint32_t *place_of(const void *memory)
{
    size_t i = (size_t)(((uintptr_t)memory >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20);
    for (;; i++) {
        uint32_t *place = &table[i & (table_size - 1)];
        if (!*place || blocks[*place - 1].memory == memory)
            return place;
    }
}

static void grow(void)
{
    capacity = capacity ? capacity * 2 : 256;
    blocks = realloc(blocks, capacity * sizeof *blocks);
    free(table);
    table_size = capacity * 4;
    table = calloc(table_size, sizeof *table);
    for (size_t i = 0; i < count; i++) {
        blocks[i].place = place_of(blocks[i].memory);
        *blocks[i].place = (uint32_t)i + 1;
    }
}

void *allocator_get(size_t bytes)
{
    if (count == capacity)
        grow();
    void *memory = take_kept(bytes);
    size_t filled = memory ? KEPT_FILLED : bytes;
    if (!memory)
        memory = malloc(bytes ? bytes : 1);
    memset(memory, 0xA5, filled);
    blocks[count] = (struct block){memory, bytes, place_of(memory), false};
    *blocks[count].place = (uint32_t)count + 1;
    count++;
    alive++;
    return memory;
}

void allocator_free(void *memory)
{
    uint32_t place = count ? *place_of(memory) : 0;
    if (!place)
        fuzz_fail("free of what was not allocated");
    struct block *block = &blocks[place - 1];
    if (block->freed)
        fuzz_fail("free of what has been freed");
    block->freed = true;
    if (block->bytes > LEFT_ALONE)
        ASAN_POISON_MEMORY_REGION((char *)memory + LEFT_ALONE, block->bytes - LEFT_ALONE);
    alive--;
}

long allocator_alive(void)
{
    return alive;
}

void allocator_end(void)
{
    for (size_t i = 0; i < count; i++) {
        ASAN_UNPOISON_MEMORY_REGION(blocks[i].memory, blocks[i].bytes);
        *blocks[i].place = 0;
        keep_or_free(&blocks[i]);
    }
    count = 0;
    alive = 0;
}
