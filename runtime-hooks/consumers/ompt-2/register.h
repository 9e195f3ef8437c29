/* SPDX-License-Identifier: MIT
 *
 * Finds and starts a tool of interface version 2.
 */
#ifndef OMPD_HOOKS_OMPT_2_REGISTER_H
#define OMPD_HOOKS_OMPT_2_REGISTER_H

#include <stdbool.h>

/* For the list in tools.c. */
unsigned ompt_2_register(bool *found) __attribute__((visibility("hidden")));

#endif
