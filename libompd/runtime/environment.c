/* SPDX-License-Identifier: MIT
 *
 * The environment of a process whose runtime keeps no settings as text: what is set there for
 * OpenMP, as libc has it.
 */
#include <string.h>

#include "libompd/runtime/memory-reader.h"

enum { VARIABLES_MAX = 1 << 13, BYTES_MAX = 1 << 16, LONGEST = 4096, PREFIX = 5, PAGE = 4096 };

static bool is_setting(const char *text)
{
    return strncmp(text, "OMP_", 4) == 0 || strncmp(text, "KMP_", 4) == 0 ||
           strncmp(text, "GOMP_", 5) == 0;
}

/* No read crosses the end of a page: what lies behind the string may not exist. *length is 0 for
 * what is no setting. */
static enum rc read_setting(const struct instance *instance, taddr at, char text[LONGEST],
                            size_t *length)
{
    size_t done = 0;
    *length = 0;
    while (done < LONGEST) {
        size_t now = PAGE - (at + done) % PAGE;
        size_t wanted = done < PREFIX ? PREFIX - done : LONGEST - done;
        now = now < wanted ? now : wanted;
        enum rc rc = memory_read(instance, at + done, now, text + done);
        if (rc != RC_OK)
            return rc;
        const char *end = memchr(text + done, '\0', now);
        done += now;
        if (done >= PREFIX && !is_setting(text))
            return RC_OK;
        if (end) {
            *length = done < PREFIX ? 0 : (size_t)(end - text) + 1;
            return RC_OK;
        }
    }
    return RC_OK; /* longer than what anybody sets */
}

static enum rc append(struct array *block, const char *text, size_t length)
{
    enum rc rc = block->count + length <= BYTES_MAX ? RC_OK : RC_NONSENSE;
    for (size_t i = 0; rc == RC_OK && i < length; i++)
        rc = array_add(block, &text[i]);
    return rc;
}

static enum rc collect_settings(const struct instance *instance, taddr first, struct array *block)
{
    char text[LONGEST];
    for (unsigned i = 0; i < VARIABLES_MAX; i++) {
        taddr at;
        size_t length;
        enum rc rc = memory_pointer(instance, first + 8 * i, &at);
        if (rc != RC_OK || !at)
            return rc;
        rc = read_setting(instance, at, text, &length);
        if (rc == RC_OK && memchr(text, '=', length))
            rc = append(block, text, length);
        if (rc != RC_OK)
            return rc;
    }
    return RC_NONSENSE;
}

enum rc memory_settings(const struct instance *instance, char **out, size_t *bytes)
{
    taddr variable, first;
    enum rc rc = target_symbol(instance->space, "environ", &variable);
    if (rc == RC_OK)
        rc = memory_pointer(instance, variable, &first);
    if (rc == RC_UNAVAILABLE || (rc == RC_OK && !first))
        return RC_UNSUPPORTED;
    if (rc != RC_OK)
        return rc;
    struct array block = array_of(instance->space->ops, sizeof(char));
    rc = collect_settings(instance, first, &block);
    if (rc == RC_OK)
        rc = append(&block, "", 1);
    if (rc != RC_OK) {
        array_free(&block);
        return rc;
    }
    *out = block.elements;
    *bytes = block.count;
    return RC_OK;
}
