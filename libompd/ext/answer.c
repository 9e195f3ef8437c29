/* SPDX-License-Identifier: MIT
 *
 * answer.h.
 */
#include <string.h>

#include "libompd/ext/answer.h"

enum { STRUCT_MAX = 512 };
_Static_assert(sizeof(ompd_ext_task_t) <= STRUCT_MAX, "the largest structure");

void ext_give(const struct instance *instance, const void *surveyed, ext_convert *convert,
              size_t ours, ompd_size_t size, void *out)
{
    uint64_t made[STRUCT_MAX / sizeof(uint64_t)];
    memset(made, 0, ours);
    convert(instance, surveyed, made);
    memset(out, 0, size);
    memcpy(out, made, size < ours ? size : ours);
}

static char *give_part(const struct survey_part *part, ext_convert *convert, size_t ours,
                       ompd_size_t size, char *out)
{
    const struct array *surveyed = &part->elements;
    for (size_t i = 0; i < surveyed->count; i++, out += size)
        ext_give(part->instance, (const char *)surveyed->elements + i * surveyed->size, convert,
                 ours, size, out);
    return out;
}

enum rc ext_vector(const struct survey_parts *parts, ext_convert *convert, size_t ours,
                   ompd_size_t size, enum rc rc, void **out, ompd_size_t *count)
{
    if (!rc_is_answer(rc))
        return rc;
    size_t all = 0;
    for (unsigned i = 0; i < parts->count; i++)
        all += parts->part[i].elements.count;
    void *memory = NULL;
    enum rc allocated = all ? abi_ops()->alloc(all * size, &memory) : RC_OK;
    if (allocated != RC_OK)
        return allocated;
    char *end = memory;
    for (unsigned i = 0; i < parts->count; i++)
        end = give_part(&parts->part[i], convert, ours, size, end);
    *out = memory;
    *count = all;
    return rc;
}

enum rc ext_survey(struct space *space, survey_function *survey, ext_convert *convert, size_t ours,
                   ompd_size_t size, void **out, ompd_size_t *count)
{
    struct survey_parts parts;
    enum rc rc = survey_each(space, survey, &parts);
    rc = ext_vector(&parts, convert, ours, size, rc, out, count);
    survey_parts_free(&parts);
    return rc;
}
