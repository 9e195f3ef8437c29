/* SPDX-License-Identifier: MIT
 *
 * The environment that the children of a program get; see inheritance.c.
 */
#ifndef OMPD_HOOKS_INHERITANCE_H
#define OMPD_HOOKS_INHERITANCE_H

#pragma GCC visibility push(hidden)

/* From the constructor, before any other use. */
void inheritance_start(void);

/* The process has an OpenMP runtime: what it starts from now on gets the environment that
 * it would have had without ompd-run. */
void inheritance_end(void);

#pragma GCC visibility pop

#endif
