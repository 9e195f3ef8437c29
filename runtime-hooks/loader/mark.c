/* SPDX-License-Identifier: MIT
 *
 * The elements that are added to environment variables, and their removal; see mark.h.
 */
#include "loader/mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* libasan exits if it is not the first library, as its interceptors could be bypassed. Of
 * the functions that it intercepts the hooks define dlclose(), prctl(), sigaction() and signal() only,
 * and call the next. */
const struct mark_variable mark_variables[MARK_VARIABLES] = {
    {"LD_PRELOAD", "libompd-hooks.so", NULL, ": "},
    {"LD_LIBRARY_PATH", "./.", NULL, ":;"}, /* the directory, so that it is known for ours */
    {"OMP_OMPD", "on", HISTORY, ": "},
    {"ASAN_OPTIONS", "verify_asan_link_order=0", NULL, ": "},
};

enum mark_change mark_change(const char *mark, const char *name)
{
    size_t length = strlen(name);
    while ((mark = strchr(mark, ','))) {
        mark++;
        bool extended = *mark == '+';
        mark += extended;
        if (strcspn(mark, ",") == length && strncmp(mark, name, length) == 0)
            return extended ? MARK_EXTENDED : MARK_CREATED;
    }
    return MARK_UNCHANGED;
}

const char *mark_watchdog(const char *mark)
{
    const char *found = strstr(mark, MARK_WATCHDOG);
    return found ? found + strlen(MARK_WATCHDOG) : NULL;
}

static bool ends_with(const char *element, size_t length, const char *added)
{
    size_t tail = added ? strlen(added) : 0;
    return added && length >= tail && memcmp(element + length - tail, added, tail) == 0 &&
           (length == tail || element[length - tail - 1] == '/');
}

void mark_remove(const struct mark_variable *variable, char *value)
{
    for (char *element = value; *element;) {
        char *end = element + strcspn(element, variable->separators);
        char *next = *end ? end + 1 : end;
        size_t length = (size_t)(end - element);
        if (ends_with(element, length, variable->added) ||
            ends_with(element, length, variable->with_history)) {
            if (!*next && element > value)
                element--; /* the separator before the last one */
            memmove(element, next, strlen(next) + 1);
            return;
        }
        element = next;
    }
}
