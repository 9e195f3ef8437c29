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
void array_free(struct array *array);

/* Sorts in place, in n log n steps whatever order a target chose. Elements are at most
 * ARRAY_ELEMENT_MAX bytes; equal ones end in any order. */
enum { ARRAY_ELEMENT_MAX = 64 };
typedef bool array_order(const void *a, const void *b);
void array_sort(struct array *array, array_order *before);

/* Where the first element stands that does not come before `key`, in an array that is
 * sorted in this order; `count` if there is none. The key is an element of which only
 * what the order looks at need be filled in. */
size_t array_lower(const struct array *array, const void *key, array_order *before);

#endif
