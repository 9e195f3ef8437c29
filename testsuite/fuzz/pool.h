/* SPDX-License-Identifier: MIT
 *
 * Every handle that the debugger of one input has been given, living and dead.
 */
#ifndef FUZZ_POOL_H
#define FUZZ_POOL_H

#include "fuzz.h"

struct slot {
    void *handle;
    enum kind kind;
    bool alive;     /* neither it nor its address space has been released */
    unsigned space; /* slot of its address space; for one: its own */
};

enum { SLOTS = 96 };

struct pool {
    struct slot slot[SLOTS];
    unsigned count;
};

/* NULL: the pool is full. */
struct slot *pool_add(struct pool *pool, enum kind kind, void *handle, unsigned space);

/* The slot in which a living handle stands, or NULL. */
struct slot *pool_find(struct pool *pool, const void *handle);

/* How many living handles there are of that address space. */
unsigned pool_count(const struct pool *pool, const void *space);

/* The living handle of that kind with that number, counted round; NULL: there is none. */
struct slot *pool_pick(struct pool *pool, enum kind kind, unsigned number);

/* Any pointer that a confused debugger may pass: handles of every kind, released ones,
 * NULL, one that is not aligned, memory that is no handle. */
void *pool_any(struct pool *pool, unsigned number);

#endif
