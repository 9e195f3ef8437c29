/* SPDX-License-Identifier: MIT
 *
 * An array that grows, in the debugger's memory.
 */
#ifndef LIBOMPD_ARRAY_H
#define LIBOMPD_ARRAY_H

#include "libompd/core.h"

struct array {
    const struct target_ops *ops;
    size_t size; /* of an element */
    size_t count;
    size_t capacity;
    void *elements; /* NULL while empty */
};

static inline struct array array_of(const struct target_ops *ops, size_t size)
{
    return (struct array){.ops = ops, .size = size};
}

/* Appends a copy. RC_NOMEM leaves the array as it was. */
enum rc array_add(struct array *array, const void *element);
/* RC_INCOMPLETE: it has `max` elements. */
static inline enum rc array_add_within(struct array *array, size_t max, const void *element)
{
    return array->count >= max ? RC_INCOMPLETE : array_add(array, element);
}
void array_free(struct array *array);

/* Appends what a visitor is handed. rc: why it stopped. */
struct collector {
    struct array *array;
    size_t max;
    enum rc rc;
};
static inline bool collect(struct collector *collector, const void *element)
{
    collector->rc = array_add_within(collector->array, collector->max, element);
    return collector->rc == RC_OK;
}

/* Sorts in place, in n log n steps whatever order a target chose. Elements are at most
 * ARRAY_ELEMENT_MAX bytes; equal ones end in any order. */
enum { ARRAY_ELEMENT_MAX = 64 };
typedef bool array_order(const void *a, const void *b);
void array_sort(struct array *array, array_order *before);

/* The index of the first element that is not ordered before `key`, in an array that is
 * sorted in this order; `count` if there is none. Of the key only the members that the
 * order compares need be filled in. */
size_t array_lower(const struct array *array, const void *key, array_order *before);

#endif
