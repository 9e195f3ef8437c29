/* SPDX-License-Identifier: MIT
 *
 * The league of a target region on the host.
 */
#ifndef OMPD_HOOKS_LEAGUE_H
#define OMPD_HOOKS_LEAGUE_H

#include "state/state.h"

#pragma GCC visibility push(hidden)

/* At the end of a target region, ends a league of GOMP_teams(). `outer` is the thread's
 * region before the target region. */
void league_end(struct thread *t, const struct region *outer, struct place here);

#pragma GCC visibility pop

#endif
