/* SPDX-License-Identifier: MIT
 *
 * Prints the log of the search for a tool; see verbose.h.
 */
#include "core/verbose.h"
#include "core/environment.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int to = -1;
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
        to = STDOUT_FILENO;
        break;
    case 2:
        to = STDERR_FILENO;
        break;
    default:
        is_held = held;
        if (held)
            break;
        to = open(value, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    verbose("OMPT: searching for a tool.\n");
}

void verbose_stop(void)
{
    verbose("OMPT: done.\n");
    if (to > STDERR_FILENO)
        close(to);
    to = -1;
    is_held = false;
}

static void write_all(const char *text, size_t size)
{
    while (size) {
        ssize_t written = write(to, text, size);
        if (written <= 0)
            return;
        text += written;
        size -= (size_t)written;
    }
}

void verbose_write_held(void)
{
    if (!held_size)
        return;
    const char *path = secure_getenv("OMP_TOOL_VERBOSE_INIT");
    to = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (to >= 0) {
        write_all(held_text, held_size);
        close(to);
    }
    held_size = 0;
    to = -1;
}

static void hold(const char *text, size_t size)
{
    size_t left = sizeof(held_text) - held_size;
    size = size < left ? size : left;
    memcpy(held_text + held_size, text, size);
    held_size += size;
}

void verbose(const char *format, ...)
{
    if (to < 0 && !is_held)
        return;
    char line[4096 + 256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    if (length > (int)sizeof(line) - 1)
        length = sizeof(line) - 1;
    if (length <= 0)
        return;
    if (is_held)
        hold(line, (size_t)length);
    else
        write_all(line, (size_t)length);
}
