/* SPDX-License-Identifier: MIT
 *
 * The threads of a process that libgomp knows.
 */
#include "libompd/runtime/gomp.h"

struct ref gomp_thread_ref(const struct gomp_thread *thread)
{
    return (struct ref){.address = thread->address, .id = thread->tid};
}

/* Without memory for it there is one hint less. */
static void keep_hint(struct space *space, taddr pthread, uint64_t tid)
{
    struct gomp_hint hint = {(uint32_t)tid, pthread};
    (void)array_add(&gomp_state(space)->hints, &hint);
}

static enum rc ask_debugger(const struct space *space, uint64_t tid)
{
    unsigned char lwp[8];
    target_encode(space, tid, lwp, sizeof lwp);
    return space->ops->has_thread(space->context, sizeof lwp, lwp);
}

/* A child that is still inside fork has its parent's list of threads, of which only one
 * exists. Only the debugger knows that. */
bool gomp_is_ghost(const struct space *space, const struct gomp_thread *thread)
{
    return gomp_state(space)->debugger_tells &&
           ask_debugger(space, thread->tid) == RC_UNAVAILABLE;
}

/* A debugger that knows none of a process's threads by kernel id is not believed. */
static bool find_known(void *arg, taddr pthread, uint64_t tid)
{
    struct space *space = arg;
    (void)pthread;
    enum rc rc = ask_debugger(space, tid);
    gomp_state(space)->debugger_tells = rc == RC_OK;
    return rc == RC_UNAVAILABLE;
}

struct openmp_walk {
    struct space *space;
    gomp_thread_visitor *visit;
    void *arg;
    bool is_any; /* one could be read */
    enum rc rc;
};

static bool visit_openmp(void *arg, taddr pthread, uint64_t tid)
{
    struct openmp_walk *walk = arg;
    struct gomp_thread thread;
    keep_hint(walk->space, pthread, tid);
    enum rc rc = gomp_read_thread(walk->space, pthread, &thread);
    if (rc == RC_UNAVAILABLE)
        return true;
    if (rc_is_damage(rc)) {
        if (walk->rc == RC_OK)
            walk->rc = rc;
        return true;
    }
    if (rc != RC_OK) {
        walk->rc = rc;
        return false;
    }
    walk->is_any = true;
    if ((!thread.team && !thread.task && !thread.pool) ||
        gomp_is_ghost(walk->space, &thread))
        return true;
    return walk->visit(walk->arg, &thread);
}

enum rc gomp_walk_openmp(struct space *space, gomp_thread_visitor *visit, void *arg,
                         bool *part)
{
    struct openmp_walk walk = {.space = space, .visit = visit, .arg = arg};
    enum rc rc = RC_OK;
    gomp_state(space)->hints.count = 0;
    if (space->ops->has_thread && !gomp_state(space)->debugger_tells)
        rc = gomp_walk_pthreads(space, find_known, space);
    if (rc == RC_OK)
        rc = gomp_walk_pthreads(space, visit_openmp, &walk);
    if (rc == RC_OK && walk.is_any && rc_is_damage(walk.rc)) {
        *part = true;
        return RC_OK;
    }
    return rc == RC_OK ? walk.rc : rc;
}

struct ref_walk {
    ref_visitor *visit;
    void *arg;
};

static bool visit_ref(void *arg, const struct gomp_thread *thread)
{
    struct ref_walk *walk = arg;
    return walk->visit(walk->arg, gomp_thread_ref(thread));
}

enum rc gomp_walk_threads(struct space *space, ref_visitor *visit, void *arg)
{
    struct ref_walk walk = {visit, arg};
    bool part;
    return gomp_walk_openmp(space, visit_ref, &walk, &part);
}

struct search {
    struct space *space;
    enum os_thread_kind kind;
    uint64_t os_id;
    taddr found;
};

static bool compare(void *arg, taddr pthread, uint64_t tid)
{
    struct search *search = arg;
    keep_hint(search->space, pthread, tid);
    if ((search->kind == OS_THREAD_LWP ? tid : pthread) == search->os_id)
        search->found = pthread;
    return true; /* to the end: the next search has all hints */
}

static taddr hinted(const struct gomp_state *state, enum os_thread_kind kind,
                    uint64_t os_id)
{
    const struct gomp_hint *hints = state->hints.elements;
    for (size_t i = 0; i < state->hints.count; i++) {
        if ((kind == OS_THREAD_LWP ? hints[i].tid : hints[i].pthread) == os_id)
            return hints[i].pthread;
    }
    return 0;
}

enum rc gomp_find_thread(struct space *space, enum os_thread_kind kind, uint64_t os_id,
                         struct ref *out)
{
    struct gomp_thread thread;
    int64_t distance;
    enum rc rc = gomp_distance(space, &distance);
    if (rc != RC_OK)
        return rc;
    taddr pthread = hinted(gomp_state(space), kind, os_id);
    rc = pthread ? gomp_read_thread(space, pthread, &thread) : RC_UNAVAILABLE;
    if (rc != RC_OK || (kind == OS_THREAD_LWP && thread.tid != os_id)) {
        struct search search = {.space = space, .kind = kind, .os_id = os_id};
        gomp_state(space)->hints.count = 0;
        rc = gomp_walk_pthreads(space, compare, &search);
        if (rc == RC_UNSUPPORTED && kind == OS_THREAD_PTHREAD)
            search.found = os_id; /* without a list: believe the address */
        else if (rc != RC_OK)
            return rc;
        if (!search.found)
            return RC_UNAVAILABLE;
        rc = gomp_read_thread(space, search.found, &thread);
        if (rc != RC_OK)
            return rc;
    }
    if (!thread.team && !thread.task && !thread.pool)
        return RC_UNAVAILABLE;
    *out = gomp_thread_ref(&thread);
    return RC_OK;
}
