/* SPDX-License-Identifier: MIT
 *
 * String ids: kind_process_id, for instance thread_55d0c0ffee10_12. They hold what
 * handle_compare() compares, in letters, digits and underscores only.
 */
#include <string.h>

#include "libompd/handle/handle.h"

static const char *const kind_name[] = {
    [HANDLE_THREAD] = "thread",
    [HANDLE_PARALLEL] = "parallel",
    [HANDLE_TASK] = "task",
};

enum { STRING_MAX = sizeof "parallel_" + 16 + 1 + 20 };

static char *put_number(char *to, uint64_t value, unsigned base)
{
    char digits[20];
    unsigned n = 0;
    do
        digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n)
        *to++ = digits[--n];
    return to;
}

enum rc handle_string(const struct handle *handle, enum handle_kind kind, char **out)
{
    enum rc rc = handle_check(handle, kind);
    if (rc != RC_OK)
        return rc;
    char text[STRING_MAX];
    size_t length = strlen(kind_name[kind]);
    memcpy(text, kind_name[kind], length);
    char *end = text + length;
    *end++ = '_';
    end = put_number(end, (uintptr_t)handle->space->context, 16);
    *end++ = '_';
    end = put_number(end, handle->ref.id, 10);
    *end++ = '\0';

    void *memory;
    rc = handle->space->ops->alloc((size_t)(end - text), &memory);
    if (rc != RC_OK)
        return rc;
    memcpy(memory, text, (size_t)(end - text));
    *out = memory;
    return RC_OK;
}
