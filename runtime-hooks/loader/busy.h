/* SPDX-License-Identifier: MIT
 *
 * Whether the dynamic linker can be called without waiting for another thread.
 */
#ifndef OMPD_HOOKS_BUSY_H
#define OMPD_HOOKS_BUSY_H

#include <stdbool.h>

/* True while some thread is inside dlopen() or dlclose(), perhaps in a constructor that
 * waits for the calling thread. Costs a thread the first time. */
bool loader_is_busy(void) __attribute__((visibility("hidden")));

#endif
