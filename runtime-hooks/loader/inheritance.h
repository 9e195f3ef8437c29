/* SPDX-License-Identifier: MIT
 *
 * Restores the environment that children inherit; see inheritance.c.
 */
#ifndef OMPD_HOOKS_INHERITANCE_H
#define OMPD_HOOKS_INHERITANCE_H

#pragma GCC visibility push(hidden)

/* From the constructor: prepares the strings and the array, if there is a mark. */
void inheritance_start(void);

/* The process has an OpenMP runtime: restores the environment that it would have without
 * ompd-run. Does nothing when called again. */
void inheritance_end(void);

#pragma GCC visibility pop

#endif
