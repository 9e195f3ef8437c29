/* SPDX-License-Identifier: MIT
 *
 * The teams construct on the host. Outside of target regions the runtime calls the
 * outlined function once for each team of the league, on the encountering thread. The
 * host version of a target region calls GOMP_teams4() before each team, until that
 * returns false, or up to GCC 11 GOMP_teams() once, for a league of one team.
 * omp_get_level() does not change.
 */
#include "wrappers/league.h"

/* Without a num_teams clause the runtime uses nteams-var, or 3 if that is not set. */
static unsigned league_limit(const struct runtime *real, unsigned num_teams)
{
    if (num_teams)
        return num_teams;
    int icv = real->omp_get_max_teams ? real->omp_get_max_teams() : 0;
    return icv > 3 ? (unsigned)icv : 3;
}

WRAPPER_OF_BODY(void, GOMP_teams_reg,
                (body_fn fn, void *data, unsigned num_teams, unsigned thread_limit, unsigned flags),
                (fn, data, num_teams, thread_limit, flags))
{
    ROUTE_BODY(fn);
    TRACKED_OR_FORWARD(t, real->GOMP_teams_reg(fn, data, num_teams, thread_limit, flags));
    struct region *r = region_begin(t, real, REGION_TEAMS, fn, data, num_teams,
                                    league_limit(real, num_teams), HERE);
    if (!r)
        return real->GOMP_teams_reg(fn, data, num_teams, thread_limit, flags);
    real->GOMP_teams_reg(ompd_hooks_teams, &r->arg, num_teams, thread_limit, flags);
    region_end(t, r);
}

/* The user's frame executes the teams: it is enter and exit frame. */
static struct region *league_begin(struct thread *t, const struct runtime *real, unsigned num_teams,
                                   unsigned capacity, struct place here)
{
    return region_begin(t, real, REGION_TEAMS | REGION_OLD_STYLE, t->target_body, NULL, num_teams,
                        capacity ? capacity : 1, here);
}

static void team_begin(struct thread *t, struct region *r, struct place here)
{
    unsigned num = (unsigned)r->arg.real->omp_get_team_num();
    if (likely(num < r->arg.capacity))
        implicit_begin(t, r, num, here.frame);
}

static void team_end(struct thread *t, struct region *r)
{
    struct rec_task *encountering = (struct rec_task *)r->rec.encountering_task;
    if (current_task(t) != encountering)
        implicit_end(t, r, (struct place){r->arg.codeptr, encountering->enter_frame});
}

/* The league of such a loop, if it is the thread's innermost region. */
static struct region *league_of(const struct thread *t)
{
    struct region *r = t->region;
    bool own = r && !t->untracked && r->rec.kind == REGION_TEAMS && r->old_style &&
               r->rec.master_id == t->id;
    return own ? r : NULL;
}

WRAPPER(bool, GOMP_teams4, (unsigned least, unsigned most, unsigned thread_limit, bool first),
        (least, most, thread_limit, first))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_teams4(least, most, thread_limit, first));
    struct place here = HERE;
    struct region *r =
        first ? league_begin(t, real, most, least > most ? least : most, here) : league_of(t);
    if (!r)
        return real->GOMP_teams4(least, most, thread_limit, first);
    if (!first)
        team_end(t, r);
    bool more = real->GOMP_teams4(least, most, thread_limit, first);
    if (first)
        region_announce(t, r);
    if (more)
        team_begin(t, r, here);
    else
        region_end(t, r);
    return more;
}

/* The league ends with the target region. */
WRAPPER(void, GOMP_teams, (unsigned num_teams, unsigned thread_limit), (num_teams, thread_limit))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_teams(num_teams, thread_limit));
    struct place here = HERE;
    struct region *r =
        t->target_body && !league_of(t) ? league_begin(t, real, num_teams, num_teams, here) : NULL;
    real->GOMP_teams(num_teams, thread_limit);
    if (!r)
        return;
    region_announce(t, r);
    team_begin(t, r, here);
}

void league_end(struct thread *t, const struct region *outer, struct place here)
{
    struct region *r = league_of(t);
    if (!r || r == outer)
        return;
    struct rec_task *encountering = (struct rec_task *)r->rec.encountering_task;
    encountering->enter_frame = here.frame; /* that of the teams construct has returned */
    team_end(t, r);
    region_end(t, r);
}
