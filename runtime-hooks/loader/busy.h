/* SPDX-License-Identifier: MIT
 *
 * Tests if another thread holds the loader lock.
 */
#ifndef OMPD_HOOKS_BUSY_H
#define OMPD_HOOKS_BUSY_H

#include <stdbool.h>

/* True while a thread is inside dlopen() or dlclose(), perhaps in a constructor that
 * waits for the calling thread. Creates a thread unless that of an earlier call still
 * waits for the lock. */
bool loader_is_busy(void) __attribute__((visibility("hidden")));

#endif
