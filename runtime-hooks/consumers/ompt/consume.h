/* SPDX-License-Identifier: MIT
 *
 * The functions that events are dispatched to.
 */
#ifndef OMPD_HOOKS_OMPT_CONSUME_H
#define OMPD_HOOKS_OMPT_CONSUME_H

#include "consumers/ompt/ompt.h"

#pragma GCC visibility push(hidden)

#define EVENT(name, parameters, arguments) void ompt_on_##name parameters;
#include "state/events.def"
#undef EVENT

#pragma GCC visibility pop

#endif
