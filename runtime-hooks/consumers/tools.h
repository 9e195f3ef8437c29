/* SPDX-License-Identifier: MIT
 *
 * Registration of tools (OpenMP 5.2, "Tool Initialization"; draft chapter "Tool
 * Registration").
 */
#ifndef OMPD_HOOKS_TOOLS_H
#define OMPD_HOOKS_TOOLS_H

#include "core/hooks.h"

#pragma GCC visibility push(hidden)

/* Complains when OMP_TOOL holds what it must not, and ends a program that was linked to the
 * hooks. */
void tools_check(void);

/* Whether there is anybody to ask, or a library to look in. */
bool tools_wanted(void);

/* At the first use of the runtime, once in each process: asks for tools and starts the one
 * that accepts. True when there is one, and the records are to be kept for it. */
bool tools_register(const struct runtime *real);

/* Whether there was anybody to ask. */
bool tools_asked(void);

#pragma GCC visibility pop

#endif
