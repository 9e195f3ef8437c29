/* SPDX-License-Identifier: MIT
 *
 * Registration of tools (OpenMP 5.2, "Tool Initialization"; draft chapter "Tool
 * Registration").
 */
#ifndef OMPD_HOOKS_TOOLS_H
#define OMPD_HOOKS_TOOLS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Ends the program when OMP_TOOL holds what it must not. */
void tools_check(void);

/* At the first use of the runtime, once in each process: asks for tools and starts the one
 * that accepts. True when there is one, and the records are to be kept for it. */
bool tools_register(void);

/* Whether there was anybody to ask. */
bool tools_asked(void);

#pragma GCC visibility pop

#endif
