/* SPDX-License-Identifier: MIT
 *
 * ICVs with global scope, and the environment variables in effect.
 */
#ifndef OMPD_HOOKS_GLOBALS_H
#define OMPD_HOOKS_GLOBALS_H

#include "core/hooks.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

extern struct rec_globals globals;

/* The runtime whose ICVs they are: the first that can be recorded, or NULL. */
extern const struct runtime *globals_runtime;

/* When recording starts, or before that when a tool is started. */
void globals_start(const struct runtime *real);

/* After a routine that may have set one. */
void globals_changed(const struct runtime *real);

/* The same of one that reports what it does, of which only the environment's are known here, and the
 * version that it states. */
void globals_start_reported(unsigned openmp);

/* settings.c: fills the block that the root points to; variables that are not set get the
 * values of `values` and `icvs`, where these are not NULL. `openmp`: the version of OpenMP, 0: it is
 * that of the runtime `real`. */
void settings_start(const struct rec_globals *values, const struct runtime *real,
                    const struct rec_icvs *icvs, unsigned openmp);

/* The address of a variable's value in that block, 0 if it is not set. */
uintptr_t settings_value(const char *name);

#pragma GCC visibility pop

#endif
