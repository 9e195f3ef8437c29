/* SPDX-License-Identifier: MIT
 *
 * Members of a team and their implicit tasks. The team lists all threads but the primary
 * one, which is found through the enclosing teams or the pool.
 */
#include "libompd/runtime/gomp-task.h"

struct primary_search {
    struct instance *instance;
    const struct gomp_team *team;
    struct gomp_thread found;
    bool done;
    enum rc rc;
};

static bool try_primary(void *arg, taddr pthread, uint64_t tid)
{
    struct primary_search *search = arg;
    struct gomp_thread thread;
    (void)tid;
    enum rc rc = gomp_read_thread(search->instance, pthread, &thread);
    if (rc == RC_UNAVAILABLE)
        return true;
    if (rc == RC_OK)
        rc = gomp_is_member(search->instance, &thread, search->team, 0, &search->done);
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

/* Is what was read as a thread one of glibc's? */
static bool is_a_thread(struct instance *instance, const struct gomp_thread *thread)
{
    struct pthread_search search = {.pthread = thread->pthread};
    enum rc rc = gomp_walk_pthreads(instance, compare_pthread, &search);
    return search.found || rc == RC_UNSUPPORTED;
}

/* The primary thread of an outermost team is the first of its pool, which the other
 * members lead to. False: it has to be searched for. */
static bool primary_of_pool(struct instance *instance, const struct gomp_team *team,
                            struct gomp_thread *out)
{
    taddr at, threads;
    struct gomp_thread second, primary;
    bool member = false;
    if (team->prev_level || team->nthreads < 2 ||
        gomp_team_member_at(instance, team, 1, &at) != RC_OK ||
        gomp_read_thread_at(instance, at, &second) != RC_OK || !second.pool ||
        memory_pointer(instance, second.pool + gomp_offset(instance, GOMP_gomp_thread_pool_threads),
                       &threads) != RC_OK ||
        !threads || memory_pointer(instance, threads, &at) != RC_OK ||
        gomp_read_thread_at(instance, at, &primary) != RC_OK)
        return false;
    /* While it runs a target region on the host its own data are saved elsewhere: then
     * being the first of this pool is enough, provided that it is a thread at all. The
     * array may be mid-update. */
    if (primary.pool == second.pool
            ? gomp_is_member(instance, &primary, team, 0, &member) != RC_OK || !member
            : !is_a_thread(instance, &primary))
        return false;
    *out = primary;
    return true;
}

static bool known_primary(struct instance *instance, const struct gomp_team *team,
                          struct gomp_thread *out)
{
    struct gomp_team outermost;
    taddr at;
    bool member = !team->prev_level;
    if (gomp_listed_primary(instance, team, &outermost, &at) != RC_OK)
        return false;
    if (at ? gomp_read_thread_at(instance, at, out) != RC_OK
           : !primary_of_pool(instance, &outermost, out))
        return false;
    return member || (gomp_is_member(instance, out, team, 0, &member) == RC_OK && member);
}

static enum rc find_primary(struct instance *instance, const struct gomp_team *team,
                            struct gomp_thread *out)
{
    if (known_primary(instance, team, out))
        return RC_OK;
    struct primary_search search = {.instance = instance, .team = team};
    enum rc rc = gomp_walk_pthreads(instance, try_primary, &search);
    if (rc == RC_OK)
        rc = search.rc;
    if (rc == RC_OK && !search.done)
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        *out = search.found;
    return rc;
}

enum rc gomp_member(struct instance *instance, const struct gomp_team *team, uint32_t number,
                    struct gomp_thread *out)
{
    if (number >= team->nthreads)
        return RC_BAD_INPUT;
    if (number == 0)
        return find_primary(instance, team, out);
    taddr at;
    bool member = false;
    enum rc rc = gomp_team_member_at(instance, team, number, &at);
    if (rc != RC_OK)
        return rc;
    /* Until the thread has begun, its place may hold anything. */
    rc = at ? gomp_read_thread_at(instance, at, out) : RC_UNAVAILABLE;
    if (rc_is_damage(rc))
        return RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = gomp_is_member(instance, out, team, number, &member);
    if (rc == RC_OK && !member && (out->team || out->task || out->pool))
        rc = RC_UNAVAILABLE;
    return rc;
}

static enum rc task_ref(struct instance *instance, const void *team, uint32_t number,
                        struct ref *out)
{
    struct gomp_thread member;
    bool is_made;
    enum rc rc = gomp_member(instance, team, number, &member);
    if (rc == RC_OK)
        rc = gomp_has_implicit_task(instance, team, number, &is_made);
    if (rc == RC_OK && !is_made)
        rc = RC_UNAVAILABLE;
    return rc == RC_OK
               ? gomp_team_task_ref(instance, team, gomp_implicit_task(instance, team, number), out)
               : rc;
}

static uint32_t size_of(const struct gomp_team *team)
{
    return team->nthreads;
}

MEMORY_MEMBERS(gomp, struct gomp_team, gomp_read_team_ref, size_of)
