/* SPDX-License-Identifier: MIT
 *
 * Finds and starts a tool (OpenMP 5.2, "Tool Initialization").
 */
#ifndef OMPD_HOOKS_TOOLS_H
#define OMPD_HOOKS_TOOLS_H

#include "core/hooks.h"

#pragma GCC visibility push(hidden)

/* Prints an error if the value of OMP_TOOL is illegal, and then ends the process if the
 * program was linked to the hooks. */
void tools_check(void);

/* True if a symbol or OMP_TOOL_LIBRARIES offers a tool. Loads nothing. */
bool tools_may_exist(void);

/* At the first use of the runtime, once in each process: searches for a tool and starts
 * the first that accepts. True if one is active and needs the records. */
bool tools_register(const struct runtime *real);

/* True if that search found a tool, even if the tool declined, or a library to open. */
bool tools_found(void);

#pragma GCC visibility pop

#endif
