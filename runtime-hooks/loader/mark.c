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
    {"LD_PRELOAD", "libompd-hooks.so", ": "},
    {"LD_LIBRARY_PATH", "./.", ":;"}, /* the directory, so that it is known for ours */
    {"OMP_OMPD", NULL, ": "},
    {"ASAN_OPTIONS", "verify_asan_link_order=0", ": "},
};

const char *const mark_kept[KEEPS_ALL + 1] = {
    "on",     "history",        "sums",        "history+sums",
    "orders", "history+orders", "sums+orders", "history+sums+orders",
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

const char *mark_socket(const char *mark, const char *prefix)
{
    const char *found = strstr(mark, prefix);
    return found ? found + strlen(prefix) : NULL;
}

static bool is_kept(const char *element, size_t length)
{
    bool found = false;
    for (unsigned i = 0; i <= KEEPS_ALL; i++)
        found |= length == strlen(mark_kept[i]) && memcmp(element, mark_kept[i], length) == 0;
    return found;
}

static bool ends_with(const char *element, size_t length, const char *added)
{
    size_t tail = strlen(added);
    return length >= tail && memcmp(element + length - tail, added, tail) == 0 &&
           (length == tail || element[length - tail - 1] == '/');
}

void mark_remove(const struct mark_variable *variable, char *value)
{
    for (char *element = value; *element;) {
        char *end = element + strcspn(element, variable->separators);
        char *next = *end ? end + 1 : end;
        size_t length = (size_t)(end - element);
        if (variable->added ? ends_with(element, length, variable->added)
                            : is_kept(element, length)) {
            if (!*next && element > value)
                element--; /* the separator before the last one */
            memmove(element, next, strlen(next) + 1);
            return;
        }
        element = next;
    }
}
