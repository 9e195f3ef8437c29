/* SPDX-License-Identifier: MIT
 *
 * answer.h.
 */
#include <string.h>

#include "libompd/ext/answer.h"

enum { STRUCT_MAX = 512 };
_Static_assert(sizeof(ompd_ext_task_t) <= STRUCT_MAX, "the largest structure");

void ext_give(const void *surveyed, ext_convert *convert, size_t ours, ompd_size_t size,
              void *out)
{
    uint64_t made[STRUCT_MAX / sizeof(uint64_t)];
    memset(made, 0, ours);
    convert(surveyed, made);
    memset(out, 0, size);
    memcpy(out, made, size < ours ? size : ours);
}

enum rc ext_vector(const struct array *surveyed, ext_convert *convert, size_t ours,
                   ompd_size_t size, enum rc rc, void **out)
{
    if (!rc_is_answer(rc))
        return rc;
    if (!surveyed->count) {
        *out = NULL;
        return rc;
    }
    void *memory;
    enum rc allocated = surveyed->ops->alloc(surveyed->count * size, &memory);
    if (allocated != RC_OK)
        return allocated;
    for (size_t i = 0; i < surveyed->count; i++)
        ext_give((const char *)surveyed->elements + i * surveyed->size, convert, ours,
                 size, (char *)memory + i * size);
    *out = memory;
    return rc;
}
