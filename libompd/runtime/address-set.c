/* SPDX-License-Identifier: MIT
 *
 * The set: an array, and a hash table of its indices.
 */
#include <string.h>

#include "libompd/runtime/address-set.h"

enum { ROOM_FIRST = 64, PROBES_PER_STEP = 16 };

static taddr address_of(const struct address_set *set, uint32_t index)
{
    taddr address;
    memcpy(&address, address_set_at(set, index), sizeof address);
    return address;
}

/* A target can choose addresses that collide: probing takes steps of the query. NULL: none
 * are left. */
static uint32_t *slot_of(const struct address_set *set, taddr address)
{
    uint32_t mask = 2 * set->room - 1;
    uint32_t at = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
    for (uint32_t i = 1; set->slot[at] && address_of(set, set->slot[at] - 1) != address; i++) {
        at = (at + 1) & mask;
        if (i % PROBES_PER_STEP == 0 && query_take_steps(set->query, 1) != RC_OK)
            return NULL;
    }
    return &set->slot[at];
}

void address_set_free(struct address_set *set)
{
    if (set->elements) {
        set->ops->release(set->elements);
        set->ops->release(set->slot);
    }
    set->elements = NULL;
    set->count = set->room = 0;
}

void address_set_clear(struct address_set *set)
{
    if (set->count)
        memset(set->slot, 0, 2 * set->room * sizeof *set->slot);
    set->count = 0;
}

static enum rc grow(struct address_set *set)
{
    struct address_set larger = *set;
    void *elements, *slots;
    larger.room = set->room ? 2 * set->room : ROOM_FIRST;
    if (larger.room > set->max)
        return RC_NONSENSE;
    enum rc rc = set->ops->alloc(larger.room * set->size, &elements);
    if (rc != RC_OK)
        return rc;
    rc = set->ops->alloc(2 * larger.room * sizeof *larger.slot, &slots);
    if (rc != RC_OK) {
        set->ops->release(elements);
        return rc;
    }
    larger.elements = elements;
    larger.slot = slots;
    memset(slots, 0, 2 * larger.room * sizeof *larger.slot);
    if (set->count)
        memcpy(elements, set->elements, set->count * set->size);
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t *slot = slot_of(&larger, address_of(set, i));
        if (!slot) {
            address_set_free(&larger);
            return RC_INCOMPLETE;
        }
        *slot = i + 1;
    }
    address_set_free(set);
    *set = larger;
    return RC_OK;
}

enum rc address_set_add(struct address_set *set, taddr address, void **out)
{
    if (set->count == set->room) {
        enum rc rc = grow(set);
        if (rc != RC_OK)
            return rc;
    }
    uint32_t *slot = slot_of(set, address);
    if (!slot)
        return RC_INCOMPLETE;
    if (!*slot) {
        memset(address_set_at(set, set->count), 0, set->size);
        memcpy(address_set_at(set, set->count), &address, sizeof address);
        *slot = ++set->count;
    }
    *out = address_set_at(set, *slot - 1);
    return RC_OK;
}

void *address_set_find(const struct address_set *set, taddr address)
{
    uint32_t *slot = set->room ? slot_of(set, address) : NULL;
    return slot && *slot ? address_set_at(set, *slot - 1) : NULL;
}
