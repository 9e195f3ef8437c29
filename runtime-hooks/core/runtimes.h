/* SPDX-License-Identifier: MIT
 *
 * The OpenMP runtimes of this process, and which of them a caller is bound to.
 *
 * A process may have several: the system's libgomp, copies in Python packages, LLVM's.
 * The calls of an object go to the one that its references are bound to without the
 * hooks.
 */
#ifndef OMPD_HOOKS_RUNTIMES_H
#define OMPD_HOOKS_RUNTIMES_H

#include "core/hooks.h"
#include "core/images.h"

#pragma GCC visibility push(hidden)

/* From the constructor, with the loader lock held: opens the global scope. */
void runtimes_start(void);

/* The runtime that the per-process records describe: the first that can be recorded,
 * among those called so far and those loaded at startup. NULL while there is none. */
const struct runtime *runtime_first(void);

/* The runtime that contains the address and, as one of LLVM, reports by OMPT instead of being
 * wrapped; NULL. */
const struct runtime *runtime_reporting(uintptr_t address);

/* The calling thread runs a task of this runtime: a call whose lookup is inconclusive is
 * routed to it. */
void runtime_entered(const struct runtime *real);

/* Visits the read-only segments of the runtime; `visit` must not call the loader. */
void runtime_constants(const struct runtime *real, constants_visitor *visit, void *arg);

/* The address of a symbol that any other object exports, or NULL. The second is limited
 * to the global scope; it calls dlsym(), but only if some object exports the symbol. */
void *runtimes_symbol(const char *name);
void *runtimes_global_symbol(const char *name);

/* Around dlclose(). Both invalidate the caches of the threads, and these stay empty in
 * between; the second empties the cache of objects. */
void runtimes_unloading(void);
void runtimes_unloaded(void);

#pragma GCC visibility pop

#endif
