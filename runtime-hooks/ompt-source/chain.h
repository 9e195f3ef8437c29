/* SPDX-License-Identifier: MIT
 *
 * A runtime has one tool. Where the user has one, too, it is chained to ours: it is given each
 * callback that it sets, after ours, with data words of its own (words.h), and the entry points
 * of the runtime. It goes for the runtime's tool; no part of the process learns of ours.
 */
#ifndef OMPD_HOOKS_OMPT_CHAIN_H
#define OMPD_HOOKS_OMPT_CHAIN_H

#include "omp-tools-ompt.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* From the initializer of ours: sets its callbacks, and initializes the tool of the user, which
 * returns whether it is active. */
bool chain_start(ompt_function_lookup_t lookup, int device, ompt_start_tool_result_t *tool);

/* The callbacks of ours for a runtime without another tool. */
void source_set_callbacks(ompt_set_callback_t set);

#pragma GCC visibility pop

#endif
