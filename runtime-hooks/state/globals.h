/* SPDX-License-Identifier: MIT
 *
 * What holds for the whole process: the ICVs of which there is one, and the settings that
 * the environment made or left as they are.
 */
#ifndef OMPD_HOOKS_GLOBALS_H
#define OMPD_HOOKS_GLOBALS_H

#include "core/hooks.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

extern struct rec_globals globals;

/* The runtime that they are asked of: the first one that can be recorded. NULL while there
 * is none. */
extern const struct runtime *globals_runtime;

/* When tracking begins, or before that when a tool is started. */
void globals_start(const struct runtime *real);

/* A call has set one of them. */
void globals_changed(const struct runtime *real);

/* settings.c: writes the block of settings that the root points to; what is not in the
 * environment is taken from `globals` and `icvs`. */
void settings_start(const struct rec_icvs *icvs);

/* The value in that block of a variable that the environment has set, or 0. Stays. */
uintptr_t settings_value(const char *name);

#pragma GCC visibility pop

#endif
