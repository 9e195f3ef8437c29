/* SPDX-License-Identifier: MIT
 *
 * The runtimes that have recorded regions, as the root lists them.
 */
#ifndef OMPD_HOOKS_RUNTIME_LIST_H
#define OMPD_HOOKS_RUNTIME_LIST_H

#include <stdint.h>

/* Adds the runtime, named by the address of its omp_get_thread_num(), unless it is
 * listed. */
void runtime_list_add(uintptr_t runtime) __attribute__((visibility("hidden")));

#endif
