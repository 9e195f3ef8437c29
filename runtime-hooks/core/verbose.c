/* SPDX-License-Identifier: MIT
 *
 * Prints the log of the search for a tool; see verbose.h.
 */
#include "core/verbose.h"
#include "core/environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *to; /* with what the tools themselves print: these are the program's streams */
static char held_text[4096];
static size_t held_size;
static bool is_held;

void verbose_start(bool held)
{
    static const char *const words[] = {"disabled", "stdout", "stderr", NULL};
    const char *value = secure_getenv("OMP_TOOL_VERBOSE_INIT"); /* it may name a file */
    if (!value || !*value)
        return;
    switch (environment_word("OMP_TOOL_VERBOSE_INIT", words, 3)) {
    case 0:
        return;
    case 1:
        to = stdout;
        break;
    case 2:
        to = stderr;
        break;
    default:
        is_held = held;
        if (!held)
            to = fopen(value, "we");
    }
    verbose("----- START LOGGING OF TOOL REGISTRATION -----\n");
}

void verbose_stop(void)
{
    verbose("----- END LOGGING OF TOOL REGISTRATION -----\n");
    if (to && to != stdout && to != stderr)
        fclose(to);
    to = NULL;
    is_held = false;
}

void verbose_write_held(void)
{
    if (!held_size)
        return;
    const char *path = secure_getenv("OMP_TOOL_VERBOSE_INIT");
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (file) {
        fwrite(held_text, 1, held_size, file);
        fclose(file);
    }
    held_size = 0;
}

void verbose(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (to) {
        vfprintf(to, format, list);
    } else if (is_held) {
        size_t left = sizeof(held_text) - held_size;
        int length = vsnprintf(held_text + held_size, left, format, list);
        size_t size = length > 0 ? (size_t)length : 0;
        held_size += size < left ? size : left - 1;
    }
    va_end(list);
}
