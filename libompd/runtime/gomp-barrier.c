/* SPDX-License-Identifier: MIT
 *
 * Barriers of a team. libgomp counts down who has yet to come, for the end of the region
 * apart from all other barriers, and does not say who has come.
 *
 *   awaited_final < nthreads   so many stand at the end of the region
 *   awaited < nthreads         so many stand in another barrier, explicit or implied by a
 *                              construct inside of the region
 *   "waits for tasks" is set   all have come to one of the two and now run what tasks are
 *                              left; the counts have been set back
 *
 * In the moment between the arrival of the last thread and the next step of that thread
 * the counts are back and nothing else is written: nobody seems to wait then. A region
 * that was cancelled leaves a count that says nothing. A nested team comes together in
 * the first generation of its barrier before any thread has begun its part.
 */
#include "libompd/runtime/gomp.h"

enum { WAITS_FOR_TASKS = 2, CANCELLED = 4, GENERATION_SHIFT = 3 };

static void add(struct barrier_facts *out, unsigned *count, uint32_t arrived,
                enum state state)
{
    if (arrived)
        out[(*count)++] = (struct barrier_facts){arrived, state};
}

enum rc gomp_barriers(struct space *space, struct ref region,
                      struct barrier_facts out[BARRIERS_MAX], unsigned *count)
{
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(space, region, &team);
    if (rc != RC_OK)
        return rc;
    bool cancelled = team.generation & CANCELLED;
    if ((!cancelled && team.awaited > team.nthreads) ||
        team.awaited_final > team.nthreads)
        return RC_NONSENSE;
    *count = 0;
    if (team.generation & WAITS_FOR_TASKS) {
        add(out, count, team.nthreads, STATE_wait_barrier);
        return RC_OK;
    }
    bool begun = !team.prev_level || team.generation >> GENERATION_SHIFT;
    if (begun && !cancelled)
        add(out, count, team.nthreads - team.awaited, STATE_wait_barrier);
    add(out, count, team.nthreads - team.awaited_final, STATE_wait_barrier_implicit);
    return RC_OK;
}
