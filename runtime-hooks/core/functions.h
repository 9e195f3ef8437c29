/* SPDX-License-Identifier: MIT
 *
 * Resolves the functions of functions.def in a scope, and defines those of a caller that
 * has no runtime.
 */
#ifndef OMPD_HOOKS_FUNCTIONS_H
#define OMPD_HOOKS_FUNCTIONS_H

#include "core/hooks.h"
#include "core/images.h"

#pragma GCC visibility push(hidden)

/* Fills `real` for the first runtime of a scope: the objects of the list from this library to
 * `last`, then `map` and its dependencies; each may be NULL. False if there is none. A wrapped
 * function that an earlier object of the scope defines, as profilers do, interposes the
 * runtime's. Called from an image_visitor. */
bool functions_find(struct runtime *real, const struct link_map *last, const struct link_map *map);

/* For callers whose references no runtime defines. A weak reference would be NULL without
 * the hooks: its call returns 0 and does nothing, but GOMP_parallel and GOMP_task run the
 * outlined function. The call of a strong one ends the process, as lazy binding would. */
extern const struct runtime functions_none;

/* The address that the calling thread last had resolved (runtimes.c): a function of
 * functions_none finds the object of its caller by it. */
extern __thread uintptr_t functions_caller;

#pragma GCC visibility pop

#endif
