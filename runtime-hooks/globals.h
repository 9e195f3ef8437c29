/* SPDX-License-Identifier: MIT
 *
 * What holds for the whole process: the ICVs of which there is one, and the settings that
 * the environment made or left as they are.
 */
#ifndef OMPD_HOOKS_GLOBALS_H
#define OMPD_HOOKS_GLOBALS_H

#include "records.h"

#pragma GCC visibility push(hidden)

extern struct rec_globals globals;

/* When tracking begins, after icvs_start(). */
void globals_start(void);

/* A call has set one of them. */
void globals_changed(void);

/* settings.c: writes the block of settings that the root points to; what is not in the
 * environment is taken from `globals` and `icvs`. */
void settings_start(const struct rec_icvs *icvs);

/* The value in that block of a variable that the environment has set, or 0. Stays. */
uintptr_t settings_value(const char *name);

#pragma GCC visibility pop

#endif
