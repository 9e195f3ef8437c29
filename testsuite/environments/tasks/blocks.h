/* SPDX-License-Identifier: MIT
 *
 * What the tasks of the recursions capture: BLOCK bytes, aligned to ALIGN, in C++ with a
 * copy constructor (COPIED). Each block is filled from the slot that it leads to, so that
 * a body can tell whether it got the bytes that its construct captured.
 */
#ifndef TASKS_BLOCKS_H
#define TASKS_BLOCKS_H

#include <stdint.h>
#include <string.h>
#include "check.h"

#ifndef BLOCK
#define BLOCK 24
#endif
#ifndef ALIGN
#define ALIGN 8
#endif

enum { FAN = 8 };

struct slot {
    int left;
    int index;
    long sum;
};

static unsigned char mark_of(const struct slot *slot)
{
    return (unsigned char)(slot->left * FAN + slot->index + 1);
}

struct block {
    struct slot *slot;
#if BLOCK > 8
    unsigned char fill[BLOCK - 8];
#endif
#ifdef COPIED
    static long alive;
    block(struct slot *to);
    block(const block &from);
    ~block();
#endif
} __attribute__((aligned(ALIGN)));

static void fill_block(struct block *block, struct slot *slot)
{
    block->slot = slot;
#if BLOCK > 8
    memset(block->fill, mark_of(slot), sizeof(block->fill));
#endif
}

static void check_block(const struct block *block)
{
    CHECK((uintptr_t)block % ALIGN == 0);
#if BLOCK > 8
    size_t last = sizeof(block->fill) - 1;
    CHECK(block->fill[0] == mark_of(block->slot));
    CHECK(memcmp(block->fill, block->fill + 1, last) == 0);
#endif
}

#ifdef COPIED
long block::alive;
block::block(struct slot *to)
{
    fill_block(this, to);
    __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
}
block::block(const block &from)
{
    fill_block(this, from.slot);
    __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
}
block::~block()
{
    __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
}
#define MAKE_BLOCK(name, slot) block name(slot)
#define BLOCKS_ALIVE block::alive
#else
#define MAKE_BLOCK(name, slot)                                                           \
    struct block name;                                                                   \
    fill_block(&name, slot)
#define BLOCKS_ALIVE 0L
#endif

#endif
