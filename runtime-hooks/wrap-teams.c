/* SPDX-License-Identifier: MIT
 *
 * The teams construct on the host: the runtime calls the body once for each team of the
 * league, on the thread that met the construct. omp_get_level() stays as it was.
 */
#include "state.h"

/* Without a num_teams clause the runtime takes its ICV, or 3 when that is not set. */
static unsigned league_limit(unsigned num_teams)
{
    if (num_teams)
        return num_teams;
    int icv = real.omp_get_max_teams ? real.omp_get_max_teams() : 0;
    return icv > 3 ? (unsigned)icv : 3;
}

SECOND_HALF void track_teams(body_fn fn, void *data, unsigned num_teams,
                             unsigned thread_limit, unsigned flags)
{
    TRACKED_OR_FORWARD(t, real.GOMP_teams_reg(fn, data, num_teams, thread_limit, flags));
    struct region *r =
        region_begin(t, REGION_TEAMS, fn, data, num_teams, league_limit(num_teams), HERE);
    if (!r)
        return real.GOMP_teams_reg(fn, data, num_teams, thread_limit, flags);
    real.GOMP_teams_reg(teams_trampoline, &r->arg, num_teams, thread_limit, flags);
    region_end(t, r);
}

void GOMP_teams_reg(body_fn fn, void *data, unsigned num_teams, unsigned thread_limit,
                    unsigned flags)
{
    FORWARD_IF_OFF(real.GOMP_teams_reg(fn, data, num_teams, thread_limit, flags));
    track_teams(fn, data, num_teams, thread_limit, flags);
}
