/* SPDX-License-Identifier: MIT
 *
 * Finding a tool of OpenMP 5.x and starting it.
 */
#ifndef OMPD_HOOKS_OMPT_START_H
#define OMPD_HOOKS_OMPT_START_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* For the list in tools.c. */
unsigned ompt_register(bool *asked);

#pragma GCC visibility pop

#endif
