/* SPDX-License-Identifier: MIT
 *
 * Regions of a stock libgomp: a region is its team.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

uint64_t gomp_make_id(taddr address, uint64_t bits)
{
    return (address & GOMP_ADDRESS_MASK) | bits << GOMP_ADDRESS_BITS;
}

/* The members of a nested team are threads of its own, which come and go with it. */
static enum rc second_tid(const struct space *space, const struct gomp_team *team,
                          uint64_t *out)
{
    struct gomp_thread second;
    taddr at;
    *out = 0;
    if (!team->prev_level || team->nthreads < 2)
        return RC_OK;
    enum rc rc = gomp_team_member_at(space, team, 1, &at);
    if (rc != RC_OK)
        return rc;
    /* What stands there before the thread has begun is anything. */
    if (gomp_read_thread_at(space, at, &second) == RC_OK && second.team == team->address)
        *out = second.tid;
    return RC_OK;
}

enum { BARRIER_FLAG_BITS = 3 };

enum rc gomp_team_bits(const struct space *space, const struct gomp_team *team,
                       uint64_t *out)
{
    uint64_t tid;
    enum rc rc = second_tid(space, team, &tid);
    if (rc != RC_OK)
        return rc;
    uint64_t origin = mix(team->prev_team, team->prev_team_id);
    origin = mix(origin, team->nthreads);
    origin = mix(origin, tid);
    /* Barriers are counted as they are, so that the next ones all differ. */
    *out = ((origin >> 16) + (team->generation >> BARRIER_FLAG_BITS)) & 0xffff;
    return RC_OK;
}

enum rc gomp_team_ref(const struct space *space, const struct gomp_team *team,
                      struct ref *out)
{
    uint64_t bits;
    enum rc rc = gomp_team_bits(space, team, &bits);
    if (rc == RC_OK)
        *out = (struct ref){.address = team->address,
                            .id = gomp_make_id(team->address, bits)};
    return rc;
}

enum rc gomp_read_team_ref(const struct space *space, struct ref ref,
                           struct gomp_team *out)
{
    struct ref now;
    enum rc rc = gomp_read_team(space, ref.address, out);
    if (rc != RC_OK)
        return rc;
    if (!out->sound)
        return RC_STALE_HANDLE;
    rc = gomp_team_ref(space, out, &now);
    if (rc == RC_OK && now.id != ref.id)
        return RC_STALE_HANDLE;
    return rc;
}

/* Is a thread a member with this number, perhaps in a team that is nested in this one? */
static enum rc is_member(const struct space *space, const struct gomp_thread *thread,
                         const struct gomp_team *team, uint32_t number, bool *out)
{
    taddr at = thread->team;
    uint32_t team_id = thread->team_id, level = thread->level;
    *out = false;
    for (uint32_t depth = 0; at && level && depth < GOMP_LEVELS_MAX; depth++) {
        if (at == team->address) {
            *out = team_id == number;
            return RC_OK;
        }
        struct gomp_team outer;
        if (at % 16 || team_id) /* only the first thread came from the outer team */
            return RC_OK;
        enum rc rc = gomp_read_team(space, at, &outer);
        if (rc != RC_OK)
            return rc;
        if (!outer.sound)
            return RC_OK;
        at = outer.prev_team;
        team_id = outer.prev_team_id;
        level = outer.prev_level;
    }
    return RC_OK;
}

struct first_search {
    struct space *space;
    const struct gomp_team *team;
    struct gomp_thread found;
    bool done;
    enum rc rc;
};

static bool try_first(void *arg, taddr pthread, uint64_t tid)
{
    struct first_search *search = arg;
    struct gomp_thread thread;
    (void)tid;
    enum rc rc = gomp_read_thread(search->space, pthread, &thread);
    if (rc == RC_UNAVAILABLE)
        return true;
    if (rc == RC_OK)
        rc = is_member(search->space, &thread, search->team, 0, &search->done);
    search->rc = rc;
    if (search->done)
        search->found = thread;
    return rc == RC_OK && !search->done;
}

struct pthread_search {
    taddr pthread;
    bool found;
};

static bool compare_pthread(void *arg, taddr pthread, uint64_t tid)
{
    struct pthread_search *search = arg;
    (void)tid;
    search->found = pthread == search->pthread;
    return !search->found;
}

/* Does a thread stand where something was read that looks like one? */
static bool is_a_thread(struct space *space, const struct gomp_thread *thread)
{
    struct pthread_search search = {.pthread = thread->pthread};
    enum rc rc = gomp_walk_pthreads(space, compare_pthread, &search);
    return search.found || rc == RC_UNSUPPORTED;
}

/* The pool's first thread leads its outermost teams. False: it has to be searched. */
static bool first_of_pool(struct space *space, const struct gomp_team *team,
                          struct gomp_thread *out)
{
    taddr at, threads;
    struct gomp_thread second, first;
    bool member = false;
    if (team->prev_level || team->nthreads < 2 ||
        gomp_team_member_at(space, team, 1, &at) != RC_OK ||
        gomp_read_thread_at(space, at, &second) != RC_OK || !second.pool ||
        gomp_pointer(space,
                     second.pool + gomp_offset(space, GOMP_gomp_thread_pool_threads),
                     &threads) != RC_OK ||
        !threads || gomp_pointer(space, threads, &at) != RC_OK ||
        gomp_read_thread_at(space, at, &first) != RC_OK)
        return false;
    /* While it runs a target region on the host its own data are put aside; that it leads
     * this pool says enough then. While the pool's array is made longer anything may
     * stand in its place. */
    if (first.pool == second.pool
            ? is_member(space, &first, team, 0, &member) != RC_OK || !member
            : !is_a_thread(space, &first))
        return false;
    *out = first;
    return true;
}

/* The first thread of a nested team is a member of a team around it: of the nearest one
 * in which it is not the first, or else it is the first of the outermost. */
static bool first_from_outside(struct space *space, const struct gomp_team *team,
                               struct gomp_thread *out)
{
    struct gomp_team outer = *team;
    taddr at = 0;
    bool member = false;
    for (uint32_t depth = 0; !at && depth < GOMP_LEVELS_MAX && gomp_has_outer(&outer);
         depth++) {
        uint32_t number = outer.prev_team_id;
        if (outer.prev_team % 16 ||
            gomp_read_team(space, outer.prev_team, &outer) != RC_OK || !outer.sound ||
            number >= outer.nthreads ||
            (number && gomp_team_member_at(space, &outer, number, &at) != RC_OK))
            return false;
    }
    if (at ? gomp_read_thread_at(space, at, out) != RC_OK
           : !first_of_pool(space, &outer, out))
        return false;
    return is_member(space, out, team, 0, &member) == RC_OK && member;
}

static enum rc first_member(struct space *space, const struct gomp_team *team,
                            struct gomp_thread *out)
{
    if (team->prev_level ? first_from_outside(space, team, out)
                         : first_of_pool(space, team, out))
        return RC_OK;
    struct first_search search = {.space = space, .team = team};
    enum rc rc = gomp_walk_pthreads(space, try_first, &search);
    if (rc == RC_OK)
        rc = search.rc;
    if (rc == RC_OK && !search.done)
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        *out = search.found;
    return rc;
}

enum rc gomp_member(struct space *space, const struct gomp_team *team, uint32_t number,
                    struct gomp_thread *out)
{
    if (number >= team->nthreads)
        return RC_BAD_INPUT;
    if (number == 0)
        return first_member(space, team, out);
    taddr at;
    bool member = false;
    enum rc rc = gomp_team_member_at(space, team, number, &at);
    if (rc != RC_OK)
        return rc;
    /* Before a thread has begun, what stands in its place is whatever the memory held. */
    rc = at ? gomp_read_thread_at(space, at, out) : RC_UNAVAILABLE;
    if (rc == RC_READ_ERROR || rc == RC_NONSENSE)
        return RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = is_member(space, out, team, number, &member);
    if (rc == RC_OK && !member && (out->team || out->task || out->pool))
        rc = RC_UNAVAILABLE;
    return rc;
}

enum rc gomp_region(struct space *space, struct ref ref, struct region_facts *out)
{
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(space, ref, &team);
    if (rc != RC_OK)
        return rc;
    struct region_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.num_threads = (struct fact){KNOWN, team.nthreads};
    facts.level = (struct fact){KNOWN, team.prev_level + 1};
    facts.active_level =
        (struct fact){KNOWN, team.prev_active_level + (team.nthreads > 1)};
    facts.league = (struct fact){KNOWN, 0};
    facts.function.known = facts.requested.known = facts.codeptr.known = NEEDS_TRACKING;

    facts.enclosing.known = facts.master_num.known = NONE_HERE;
    if (gomp_has_outer(&team)) {
        struct gomp_team outer;
        rc = gomp_read_team(space, team.prev_team, &outer);
        if (rc == RC_OK && outer.sound)
            rc = gomp_team_ref(space, &outer, &facts.enclosing.ref);
        facts.master_num = (struct fact){KNOWN, team.prev_team_id};
        if (rc == RC_OK && (!outer.sound || outer.prev_level >= team.prev_level))
            rc = RC_NONSENSE;
        facts.enclosing.known = gomp_mark(rc);
    }
    rc = gomp_encountering_ref(space, &team, &facts.encountering_task);
    if (rc != RC_OK)
        return rc;
    struct gomp_thread first;
    rc = gomp_member(space, &team, 0, &first);
    facts.master.known = gomp_mark(rc);
    if (rc == RC_OK)
        facts.master.ref = gomp_thread_ref(&first);
    *out = facts;
    return RC_OK;
}

enum rc gomp_walk_team(struct space *space, struct ref region, ref_visitor *visit,
                       void *arg)
{
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(space, region, &team);
    for (uint32_t i = 0; rc == RC_OK && i < team.nthreads; i++) {
        struct gomp_thread member;
        rc = gomp_member(space, &team, i, &member);
        if (rc == RC_OK && !gomp_is_ghost(space, &member) &&
            !visit(arg, gomp_thread_ref(&member)))
            return RC_OK;
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
    }
    return rc;
}

static enum rc implicit_ref(const struct space *space, const struct gomp_team *team,
                            uint32_t number, struct ref *out)
{
    bool begun;
    enum rc rc = gomp_has_begun(space, team, number, &begun);
    if (rc == RC_OK && !begun)
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc =
            gomp_team_task_ref(space, team, gomp_implicit_task(space, team, number), out);
    return rc;
}

enum rc gomp_walk_implicit_tasks(struct space *space, struct ref region,
                                 ref_visitor *visit, void *arg)
{
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(space, region, &team);
    for (uint32_t i = 0; rc == RC_OK && i < team.nthreads; i++) {
        struct gomp_thread member;
        struct ref task;
        rc = gomp_member(space, &team, i, &member);
        if (rc == RC_OK)
            rc = implicit_ref(space, &team, i, &task);
        if (rc == RC_OK && !visit(arg, task))
            return RC_OK;
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
    }
    return rc;
}

static enum rc read_member(struct space *space, struct ref region, uint32_t number,
                           struct gomp_team *team, struct gomp_thread *out)
{
    enum rc rc = gomp_read_team_ref(space, region, team);
    return rc == RC_OK ? gomp_member(space, team, number, out) : rc;
}

enum rc gomp_team_thread(struct space *space, struct ref region, uint32_t number,
                         struct ref *out)
{
    struct gomp_team team;
    struct gomp_thread member;
    enum rc rc = read_member(space, region, number, &team, &member);
    if (rc == RC_OK)
        *out = gomp_thread_ref(&member);
    return rc;
}

enum rc gomp_team_task(struct space *space, struct ref region, uint32_t number,
                       struct ref *out)
{
    struct gomp_team team;
    struct gomp_thread member;
    enum rc rc = read_member(space, region, number, &team, &member);
    return rc == RC_OK ? implicit_ref(space, &team, number, out) : rc;
}
