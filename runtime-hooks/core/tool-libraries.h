/* SPDX-License-Identifier: MIT
 *
 * The search for a tool (OpenMP 5.2, "Tool Initialization"), with a log.
 */
#ifndef OMPD_HOOKS_TOOL_LIBRARIES_H
#define OMPD_HOOKS_TOOL_LIBRARIES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Called with an ompt_start_tool; true if it accepts, which ends the search. */
typedef bool tool_starter(void *start_tool, void *arg);

/* That of the address space, but ours. *any: there is one. */
bool tool_global_start(tool_starter *start, void *arg, bool *any);

/* Opens a library, and closes it unless it has a tool that accepts. */
bool tool_library_start(const char *path, tool_starter *start, void *arg);

/* The same for each that the variable names, in order. *any_named: it names one. */
bool tool_libraries_start(tool_starter *start, void *arg, bool *any_named);

#pragma GCC visibility pop

#endif
