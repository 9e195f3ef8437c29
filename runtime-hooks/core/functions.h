/* SPDX-License-Identifier: MIT
 *
 * The functions of functions.def as an object exports them, and what stands for them where
 * there is no runtime.
 */
#ifndef OMPD_HOOKS_FUNCTIONS_H
#define OMPD_HOOKS_FUNCTIONS_H

#include "core/hooks.h"
#include "core/images.h"

#pragma GCC visibility push(hidden)

/* For images_visit(). The runtime of a scope is its first object that has all functions;
 * what stands before it and has some, as profilers do, is called in its place. False if there
 * is none. */
bool functions_find(struct runtime *real, const struct image_scope *scope);

/* For callers that nothing binds to a runtime. Without the hooks a weak reference would be
 * NULL, so its call returns 0 and does no more than to run a body that it was given; a
 * strong one would end the program at the latest when it is called, and does. */
extern const struct runtime functions_none;

/* The address in user code from which the calling thread has just called a function of
 * functions_none (runtimes.c). */
extern __thread uintptr_t functions_caller;

#pragma GCC visibility pop

#endif
