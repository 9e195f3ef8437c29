/* SPDX-License-Identifier: MIT
 *
 * The OpenMP runtimes of this process, and which of them a caller is bound to.
 *
 * A process may hold several: the system's libgomp, the copies that Python packages bring,
 * LLVM's. Each object refers to one of them, and that one gets the calls from its code.
 */
#ifndef OMPD_HOOKS_RUNTIMES_H
#define OMPD_HOOKS_RUNTIMES_H

#include "core/hooks.h"
#include "core/images.h"

#pragma GCC visibility push(hidden)

/* At start-up, under the loader's lock: remembers the global scope. */
void runtimes_start(void);

/* The runtime that the whole process is described by: the first one that can be recorded, of
 * those that were there at the start or have been called. NULL while there is none. */
const struct runtime *runtime_first(void);

/* The calling thread runs code for this runtime: where a call of its does not tell whose it
 * is, it is that one's. */
void runtime_entered(const struct runtime *real);

/* Looks through the constants of the runtime's object; `visit` must not call the loader. */
void runtime_constants(const struct runtime *real, constants_visitor *visit, void *arg);

/* The address of a symbol that some other object of the process exports, or NULL. The second
 * finds it in the global scope; the loader is asked only where there is such an object. */
void *runtimes_symbol(const char *name);
void *runtimes_global_symbol(const char *name);

/* Around dlclose(): no call is routed by what was remembered of the objects. */
void runtimes_unloading(void);
void runtimes_unloaded(void);

#pragma GCC visibility pop

#endif
