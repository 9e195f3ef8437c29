/* SPDX-License-Identifier: MIT
 *
 * An array that grows: appending, sorting, finding.
 */
#include <string.h>

#include "libompd/array.h"

enum { FIRST_CAPACITY = 64 };

enum rc array_add(struct array *array, const void *element)
{
    if (array->count == array->capacity) {
        size_t capacity = array->capacity ? array->capacity * 2 : FIRST_CAPACITY;
        void *memory;
        enum rc rc = array->ops->alloc(capacity * array->size, &memory);
        if (rc != RC_OK)
            return rc;
        if (array->elements) {
            memcpy(memory, array->elements, array->count * array->size);
            array->ops->release(array->elements);
        }
        array->elements = memory;
        array->capacity = capacity;
    }
    memcpy((char *)array->elements + array->count++ * array->size, element, array->size);
    return RC_OK;
}

void array_free(struct array *array)
{
    if (array->elements)
        array->ops->release(array->elements);
    array->elements = NULL;
    array->count = array->capacity = 0;
}

static void *element(const struct array *array, size_t i)
{
    return (char *)array->elements + i * array->size;
}

static void swap(const struct array *array, size_t a, size_t b)
{
    unsigned char kept[ARRAY_ELEMENT_MAX];
    memcpy(kept, element(array, a), array->size);
    memcpy(element(array, a), element(array, b), array->size);
    memcpy(element(array, b), kept, array->size);
}

static void sift(const struct array *array, size_t root, size_t count, array_order *before)
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && before(element(array, child), element(array, child + 1)))
            child++;
        if (!before(element(array, root), element(array, child)))
            return;
        swap(array, root, child);
        root = child;
    }
}

/* Heap sort: no memory but the array itself. */
void array_sort(struct array *array, array_order *before)
{
    for (size_t i = array->count / 2; i-- > 0;)
        sift(array, i, array->count, before);
    for (size_t end = array->count; end > 1;) {
        swap(array, 0, --end);
        sift(array, 0, end, before);
    }
}

size_t array_lower(const struct array *array, const void *key, array_order *before)
{
    size_t low = 0, high = array->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before(element(array, middle), key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
