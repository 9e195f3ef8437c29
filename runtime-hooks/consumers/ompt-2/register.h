/* SPDX-License-Identifier: MIT
 *
 * How tools.c asks for a tool of report version 2.
 */
#ifndef OMPD_HOOKS_OMPT_2_REGISTER_H
#define OMPD_HOOKS_OMPT_2_REGISTER_H

#include <stdbool.h>

/* Starts the tool that ompt_tool() offers, if there is one; see tools.c. */
unsigned ompt_2_register(bool *asked) __attribute__((visibility("hidden")));

#endif
