/* SPDX-License-Identifier: MIT
 *
 * The debugger's allocator. Every block is a block of malloc of exactly its size, so that
 * AddressSanitizer sees one byte too many. A freed block stays until the end of the input
 * with its first eight bytes readable, for a released handle may be passed again and is
 * told by them; who touches more of it is reported.
 */
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

enum { LEFT_ALONE = 8 };

/* Beside the block, not in it: its header would hide what runs in front of it. */
struct block {
    void *memory;
    size_t bytes;
    bool freed;
};

static struct block *blocks;
static size_t count;
static size_t capacity;
static long alive;

/* Open addressing over the blocks' addresses; values are indices + 1. */
static uint32_t *table;
static size_t table_size;

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
    for (size_t i = 0; i < count; i++)
        *place_of(blocks[i].memory) = (uint32_t)i + 1;
}

void *allocator_get(size_t bytes)
{
    if (count == capacity)
        grow();
    void *memory = malloc(bytes ? bytes : 1);
    memset(memory, 0xA5, bytes);
    blocks[count] = (struct block){memory, bytes, false};
    *place_of(memory) = (uint32_t)++count;
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
        free(blocks[i].memory);
    }
    free(blocks);
    free(table);
    blocks = NULL;
    table = NULL;
    count = 0;
    capacity = 0;
    alive = 0;
}
