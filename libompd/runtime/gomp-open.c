/* SPDX-License-Identifier: MIT
 *
 * The state of the reader: made when the libgomp is one that is known, and trusted once
 * the process's threads look as its layout says.
 */
#include <string.h>

#include "libompd/runtime/gomp.h"

struct trial {
    struct space *space;
    unsigned members, strangers;
};

/* Is a thread in something that is no team, or in a team that does not list it? One that
 * is leaving a team is not. */
static bool is_stranger(struct space *space, const struct gomp_thread *thread)
{
    struct gomp_team team;
    bool listed = false;
    return gomp_read_team(space, thread->team, &team) != RC_OK ||
           thread->team_id >= team.nthreads ||
           gomp_is_listed(space, thread, &team, &listed) != RC_OK || !listed;
}

static bool try_thread(void *arg, taddr pthread, uint64_t tid)
{
    struct trial *trial = arg;
    struct gomp_thread thread;
    struct gomp_team team;
    enum gomp_thread_kind kind;
    (void)tid;
    if (gomp_read_thread(trial->space, pthread, &thread) != RC_OK ||
        gomp_classify_thread(trial->space, &thread, &kind, &team) != RC_OK)
        return true;
    trial->members += kind == GOMP_MEMBER;
    trial->strangers += kind == GOMP_IN_TRANSITION && is_stranger(trial->space, &thread);
    return true;
}

/* One thread may be caught while it joins a team or while its team is freed, not several
 * with no member at all. */
enum { STRANGERS_MAX = 1 };

static bool threads_agree(struct space *space)
{
    struct trial trial = {.space = space};
    gomp_walk_pthreads(space, try_thread, &trial);
    if (trial.members)
        gomp_state(space)->proven = true;
    return trial.members || trial.strangers <= STRANGERS_MAX;
}

enum rc gomp_prove(struct space *space)
{
    return gomp_state(space)->proven || threads_agree(space) ? RC_OK : RC_INCOMPATIBLE;
}

enum rc gomp_open(struct space *space)
{
    if (space->sizes.sizeof_pointer != 8 || space->big_endian)
        return RC_INCOMPATIBLE;
    struct gomp_state state;
    memset(&state, 0, sizeof state);
    state.hints = array_of(space->ops, sizeof(struct gomp_hint));
    enum rc rc = gomp_recognise(space, &state);
    if (rc != RC_OK)
        return rc;
    gomp_find_pthreads(space, &state.pthreads);
    void *memory;
    rc = space->ops->alloc(sizeof state, &memory);
    if (rc != RC_OK)
        return rc;
    memcpy(memory, &state, sizeof state);
    space->reader_state = memory;
    gomp_begin(space);
    bool agree = threads_agree(space);
    gomp_end(space);
    if (!agree) {
        gomp_close(space);
        return RC_INCOMPATIBLE;
    }
    return RC_OK;
}

void gomp_close(struct space *space)
{
    struct gomp_state *state = gomp_state(space);
    array_free(&state->hints);
    if (state->pages)
        space->ops->release(state->pages);
    space->ops->release(state);
    space->reader_state = NULL;
}

/* The dynamic linker writes the word before libgomp can have any thread. Thread-local data
 * are below the thread pointer on x86-64 and above it on aarch64, within DISTANCE_MAX. */
static const int64_t DISTANCE_MAX = INT64_C(1) << 32;
enum rc gomp_distance(struct space *space, int64_t *out)
{
    struct gomp_state *state = gomp_state(space);
    if (!state->distance_known) {
        taddr word;
        enum rc rc = gomp_pointer(space, state->slot, &word);
        if (rc != RC_OK)
            return rc;
        int64_t distance = (int64_t)word;
        bool below = state->machine == PROBE_X86_64;
        if (!distance)
            return RC_UNAVAILABLE;
        if (distance % 8 || (below ? distance > 0 || distance < -DISTANCE_MAX
                                   : distance < 0 || distance > DISTANCE_MAX))
            return RC_NONSENSE;
        state->distance = distance;
        state->distance_known = true;
    }
    *out = state->distance;
    return RC_OK;
}
