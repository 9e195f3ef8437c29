/* SPDX-License-Identifier: MIT
 *
 * What ompd-routines.h has of either interface.
 */
#include <string.h>

#include "ompd-routines.h"

enum { PATTERN = 0x5A };

const struct routine *routine_named(const char *name)
{
    for (unsigned i = 0; i < routine_count; i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    return NULL;
}

const struct routine *routine_of_handles(enum kind takes, enum gives gives)
{
    for (unsigned i = 0; i < routine_count; i++)
        if (routines[i].takes == takes && routines[i].gives == gives)
            return &routines[i];
    return NULL;
}

int release_handle(enum kind kind, void *handle)
{
    struct args args = {.h = handle};
    struct outs outs;
    return routine_of_handles(kind, GIVES_RELEASE)->call(&args, &outs);
}

void outs_clear(struct outs *outs)
{
    memset(outs, PATTERN, sizeof *outs);
}

bool outs_untouched(const void *part, size_t bytes)
{
    static struct outs clear;
    static bool is_clear;
    if (!is_clear)
        outs_clear(&clear);
    is_clear = true;
    return memcmp(part, &clear, bytes) == 0;
}
