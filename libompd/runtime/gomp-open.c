/* SPDX-License-Identifier: MIT
 *
 * The state of the reader: made when the libgomp is one that is known, and trusted once
 * the process's threads look as its layout says.
 */
#include <string.h>

#include "libompd/runtime/gomp.h"

struct trial {
    struct instance *instance;
    unsigned members, strangers;
};

/* Is a thread in something that is no team, or in a team that does not list it? One that
 * is leaving a team is not. */
static bool is_stranger(struct instance *instance, const struct gomp_thread *thread)
{
    struct gomp_team team;
    bool listed = false;
    return gomp_read_team(instance, thread->team, &team) != RC_OK ||
           thread->team_id >= team.nthreads ||
           gomp_is_listed(instance, thread, &team, &listed) != RC_OK || !listed;
}

static bool try_thread(void *arg, taddr pthread, uint64_t tid)
{
    struct trial *trial = arg;
    struct gomp_thread thread;
    struct gomp_team team;
    enum gomp_thread_kind kind;
    (void)tid;
    if (gomp_read_thread(trial->instance, pthread, &thread) != RC_OK ||
        gomp_classify_thread(trial->instance, &thread, &kind, &team) != RC_OK)
        return true;
    trial->members += kind == GOMP_MEMBER;
    trial->strangers +=
        kind == GOMP_IN_TRANSITION && is_stranger(trial->instance, &thread);
    return true;
}

/* One thread may be caught while it joins a team or while its team is freed, not several
 * with no member at all. */
enum { STRANGERS_MAX = 1 };

bool gomp_threads_agree(struct instance *instance)
{
    struct trial trial = {.instance = instance};
    gomp_walk_pthreads(instance, try_thread, &trial);
    if (trial.members)
        gomp_state(instance)->proven = true;
    return trial.members || trial.strangers <= STRANGERS_MAX;
}

void gomp_begin(struct instance *instance)
{
    struct gomp_state *state = gomp_state(instance);
    if (query_begin(instance->space, &state->query)) {
        memory_begin_ghosts(&state->ghosts);
        memset(state->runners, 0, sizeof state->runners);
        memset(&state->last_ancestor, 0, sizeof state->last_ancestor);
    }
}

void gomp_end(struct instance *instance)
{
    query_end(&gomp_state(instance)->query);
}

enum rc gomp_open(struct instance *instance)
{
    if (instance->space->sizes.sizeof_pointer != 8 || instance->space->big_endian)
        return RC_INCOMPATIBLE;
    struct gomp_state state;
    memset(&state, 0, sizeof state);
    state.hints = array_of(instance->space->ops, sizeof(struct thread_hint));
    enum rc rc = gomp_recognise(instance, &state);
    if (rc != RC_OK)
        return rc;
    pthreads_find(instance->space, &state.pthreads);
    static const struct thread_hint nobody;
    rc = array_add(&state.hints, &nobody); /* no question allocates what stays */
    if (rc != RC_OK)
        return rc;
    state.hints.count = 0;
    rc = reader_keep_state(instance, &state, sizeof state);
    if (rc != RC_OK) {
        array_free(&state.hints);
        return rc;
    }
    gomp_begin(instance);
    bool agree = gomp_threads_agree(instance);
    gomp_end(instance);
    if (!agree) {
        gomp_close(instance);
        return RC_INCOMPATIBLE;
    }
    return RC_OK;
}

void gomp_close(struct instance *instance)
{
    struct gomp_state *state = gomp_state(instance);
    array_free(&state->hints);
    query_free(instance->space, &state->query);
    instance->space->ops->release(state);
    instance->reader_state = NULL;
}

/* The dynamic linker writes the word before libgomp can have any thread. Thread-local data
 * are below the thread pointer on x86-64 and above it on aarch64, within DISTANCE_MAX. */
static const int64_t DISTANCE_MAX = INT64_C(1) << 32;
enum rc gomp_distance(struct instance *instance, int64_t *out)
{
    struct gomp_state *state = gomp_state(instance);
    if (!state->distance_known) {
        taddr word;
        enum rc rc = gomp_pointer(instance, state->slot, &word);
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
