/* SPDX-License-Identifier: MIT
 *
 * Prints the log of the search for a tool; see verbose.h.
 */
#include "consumers/ompt/verbose.h"
#include "core/environment.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int to = -1;

void verbose_start(void)
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
}

void verbose(const char *format, ...)
{
    if (to < 0)
        return;
    char line[4096 + 256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    if (length > (int)sizeof(line) - 1)
        length = sizeof(line) - 1;
    for (int done = 0; done < length;) {
        ssize_t written = write(to, line + done, (size_t)(length - done));
        if (written <= 0)
            return;
        done += (int)written;
    }
}
