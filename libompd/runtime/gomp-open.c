/* SPDX-License-Identifier: MIT
 *
 * The state of the reader: made when the libgomp is one that is known. What a version that is not
 * known may look like is trusted once the process's threads look as its layout says.
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
    if (gomp_read_thread(trial->instance, pthread, &thread) != RC_OK)
        return true;
    enum rc rc = gomp_classify_thread(trial->instance, &thread, &kind, &team);
    trial->members += rc == RC_OK && kind == GOMP_MEMBER;
    trial->strangers += rc == RC_NONSENSE || (rc == RC_OK && kind == GOMP_IN_TRANSITION &&
                                              is_stranger(trial->instance, &thread));
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
        memory_of(instance)->proven = true;
    return trial.members || trial.strangers <= STRANGERS_MAX;
}

void gomp_begin(struct instance *instance)
{
    struct gomp_state *state = gomp_state(instance);
    if (memory_begin(instance)) {
        memset(state->runners, 0, sizeof state->runners);
        memset(&state->last_ancestor, 0, sizeof state->last_ancestor);
    }
}

enum rc gomp_open(struct instance *instance)
{
    if (instance->space->sizes.sizeof_pointer != 8 || instance->space->big_endian)
        return RC_INCOMPATIBLE;
    struct gomp_state state;
    memset(&state, 0, sizeof state);
    enum rc rc = gomp_recognise(instance, &state);
    if (rc != RC_OK)
        return rc;
    pthreads_find(instance->space, &state.memory.pthreads);
    return memory_open(instance, &state.memory, sizeof state, gomp_threads_agree);
}
