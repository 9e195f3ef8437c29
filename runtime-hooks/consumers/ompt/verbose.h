/* SPDX-License-Identifier: MIT
 *
 * The log that OMP_TOOL_VERBOSE_INIT requests: the search for a tool, on stdout, stderr
 * or in a file.
 */
#ifndef OMPD_HOOKS_OMPT_VERBOSE_H
#define OMPD_HOOKS_OMPT_VERBOSE_H

#pragma GCC visibility push(hidden)

void verbose_start(void);
void verbose_stop(void);
void verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop

#endif
