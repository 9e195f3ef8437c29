/* SPDX-License-Identifier: MIT
 *
 * Finds and starts a tool of OpenMP 5.x.
 */
#ifndef OMPD_HOOKS_OMPT_START_H
#define OMPD_HOOKS_OMPT_START_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* For the list in tools.c. */
unsigned ompt_register(bool *found);

#pragma GCC visibility pop

#endif
