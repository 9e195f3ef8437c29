/* SPDX-License-Identifier: MIT
 *
 * The handles of one input.
 */
#include "pool.h"

struct slot *pool_add(struct pool *pool, enum kind kind, void *handle, unsigned space)
{
    if (pool->count == SLOTS)
        return NULL;
    struct slot *slot = &pool->slot[pool->count];
    *slot = (struct slot){handle, kind, true, kind == KIND_SPACE ? pool->count : space};
    pool->count++;
    return slot;
}

struct slot *pool_find(struct pool *pool, const void *handle)
{
    for (unsigned i = 0; i < pool->count; i++) {
        if (pool->slot[i].handle == handle && pool->slot[i].alive)
            return &pool->slot[i];
    }
    return NULL;
}

unsigned pool_count(const struct pool *pool, const void *space)
{
    unsigned count = 0;
    for (unsigned i = 0; i < pool->count; i++) {
        const struct slot *slot = &pool->slot[i];
        count += slot->alive && slot->kind != KIND_SPACE &&
                 pool->slot[slot->space].handle == space && pool->slot[slot->space].alive;
    }
    return count;
}

struct slot *pool_pick(struct pool *pool, enum kind kind, unsigned number)
{
    unsigned count = 0;
    for (unsigned i = 0; i < pool->count; i++)
        count += pool->slot[i].alive && pool->slot[i].kind == kind;
    number = count ? number % count : 0;
    for (struct slot *slot = pool->slot; count; slot++)
        if (slot->alive && slot->kind == kind && !number--)
            return slot;
    return NULL;
}

void *pool_any(struct pool *pool, unsigned number)
{
    static uint64_t no_handle[64];
    unsigned which = number % (pool->count + 3);
    if (which < pool->count)
        return pool->slot[which].handle;
    switch (which - pool->count) {
    case 0:
        return NULL;
    case 1:
        return no_handle;
    default:
        return (char *)no_handle + 1 + number % 7;
    }
}
