/* SPDX-License-Identifier: MIT
 *
 * Barriers of a team. libgomp keeps the number of threads that have not arrived, not their
 * identities, with a count of its own for the end of the region.
 *
 *   awaited_final < nthreads   the difference has arrived at the end of the region
 *   awaited < nthreads         the difference has arrived at another barrier, explicit or
 *                              implied by a construct in the region
 *   "waiting for task" is set  all have arrived at one of the two and run the remaining
 *                              tasks; the counts are reset
 *
 * When the last thread has arrived, the counts are reset one step before anything else is
 * written: until then no thread seems to wait. After cancellation the count has no meaning.
 * A nested team uses the first generation of its barrier to start its threads.
 *
 * Between two regions the threads of a pool wait in its dock, a barrier at which the thread that
 * begins the next region arrives last. It counts likewise.
 */
#include "libompd/runtime/gomp.h"

static void add(const struct gomp_team *team, struct barrier_facts *out, unsigned *count,
                uint32_t arrived, enum barrier_kind kind)
{
    if (arrived)
        out[(*count)++] = (struct barrier_facts){
            .arrived = arrived,
            .state = kind == BARRIER_END ? STATE_wait_barrier_implicit : STATE_wait_barrier,
            .kind = kind,
            .generation = {KNOWN, team->generation >> GOMP_BARRIER_GENERATION_SHIFT},
        };
}

enum rc gomp_barriers(struct instance *instance, struct ref region,
                      struct barrier_facts out[BARRIERS_MAX], unsigned *count)
{
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(instance, region, &team);
    if (rc != RC_OK)
        return rc;
    bool cancelled = team.generation & GOMP_BARRIER_CANCELLED;
    if ((!cancelled && team.awaited > team.nthreads) || team.awaited_final > team.nthreads)
        return RC_NONSENSE;
    *count = 0;
    if (team.generation & GOMP_BARRIER_WAITING_FOR_TASK) {
        add(&team, out, count, team.nthreads, BARRIER_NONE);
        return RC_OK;
    }
    bool begun = !team.prev_level || team.generation >> GOMP_BARRIER_GENERATION_SHIFT;
    if (begun && !cancelled)
        add(&team, out, count, team.nthreads - team.awaited, BARRIER_WITHIN);
    add(&team, out, count, team.nthreads - team.awaited_final, BARRIER_END);
    return RC_OK;
}

enum rc gomp_dock(const struct instance *instance, taddr pool, struct thread_facts *facts)
{
    struct gomp_bytes bytes;
    enum rc rc = gomp_fetch(instance, GOMP_STRUCT_gomp_thread_pool, pool, &bytes);
    if (rc != RC_OK)
        return rc;
    uint64_t total = gomp_field(instance, bytes.bytes, GOMP_gomp_thread_pool_dock_total);
    uint64_t awaited = gomp_field(instance, bytes.bytes, GOMP_gomp_thread_pool_dock_awaited);
    /* Before its first region a pool has none; it is mid-update while the team shrinks. */
    if (!total || awaited > total)
        return RC_OK;
    facts->dock_word =
        (struct fact){KNOWN, pool + gomp_offset(instance, GOMP_gomp_thread_pool_dock_generation)};
    facts->docked = (struct fact){KNOWN, total - awaited};
    return RC_OK;
}
