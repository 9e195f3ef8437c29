/* SPDX-License-Identifier: MIT
 *
 * A set of objects of the target by address, in the order in which they were added.
 */
#ifndef LIBOMPD_ADDRESS_SET_H
#define LIBOMPD_ADDRESS_SET_H

#include "libompd/runtime/query.h"

struct address_set {
    const struct target_ops *ops;
    struct query *query;
    size_t size; /* of an element, which begins with its address */
    uint32_t max;
    uint32_t count, room;
    unsigned char *elements;
    uint32_t *slot; /* hash table of indices + 1, 0: free; twice as large as room */
};

static inline void *address_set_at(const struct address_set *set, uint32_t index)
{
    return set->elements + index * set->size;
}

/* Finds an element, or adds one with this address, and zeros. It stays where it is until
 * another one is added. RC_NOMEM; RC_NONSENSE: more than `max`; RC_INCOMPLETE: the query has
 * taken all its steps. */
enum rc address_set_add(struct address_set *set, taddr address, void **out);

/* NULL: it is not there, or the query has taken all its steps. */
void *address_set_find(const struct address_set *set, taddr address);
/* Takes out all, and keeps the memory. */
void address_set_clear(struct address_set *set);
void address_set_free(struct address_set *set);

#endif
