/* SPDX-License-Identifier: MIT
 *
 * The log that OMP_TOOL_VERBOSE_INIT requests: the search for a tool, on stdout, stderr
 * or in a file.
 */
#ifndef OMPD_HOOKS_VERBOSE_H
#define OMPD_HOOKS_VERBOSE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* `held`: the runtime is writing that file, so that it is continued later. */
void verbose_start(bool held);
void verbose_stop(void);
void verbose_write_held(void);
void verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop

#endif
