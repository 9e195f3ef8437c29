/* SPDX-License-Identifier: MIT
 *
 * The league of a target region that the host runs.
 */
#ifndef OMPD_HOOKS_LEAGUE_H
#define OMPD_HOOKS_LEAGUE_H

#include "state/state.h"

#pragma GCC visibility push(hidden)

/* The target region at `here` is over, and with it a league of one team whose end is no call.
 * `outer` is the region that the thread was in before. */
void league_end(struct thread *t, const struct region *outer, struct place here);

#pragma GCC visibility pop

#endif
