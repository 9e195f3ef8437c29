/* SPDX-License-Identifier: MIT
 *
 * The threads of a process that libgomp knows.
 */
#include "libompd/runtime/gomp.h"

static bool find_known(void *arg, taddr pthread, uint64_t tid)
{
    struct instance *instance = arg;
    (void)pthread;
    return memory_has_thread(instance, tid) == RC_UNAVAILABLE;
}

/* *searched: those aside need not be looked for. */
static bool is_openmp(struct instance *instance, const struct gomp_thread *thread, bool *searched)
{
    struct gomp_thread member;
    struct gomp_team team;
    if (thread->team || thread->task || thread->pool)
        return true;
    if (!*searched)
        gomp_find_asides(instance);
    *searched = true;
    return gomp_is_aside(instance, thread, &member, &team);
}

struct openmp_walk {
    struct instance *instance;
    gomp_thread_visitor *visit;
    void *arg;
    bool is_any; /* one could be read */
    bool searched;
    enum rc rc;
};

static bool visit_openmp(void *arg, taddr pthread, uint64_t tid)
{
    struct openmp_walk *walk = arg;
    struct gomp_thread thread;
    memory_keep_hint(walk->instance, tid, pthread);
    enum rc rc = gomp_read_thread(walk->instance, pthread, &thread);
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
    if (!is_openmp(walk->instance, &thread, &walk->searched) ||
        memory_is_ghost(walk->instance, thread.tid))
        return true;
    return walk->visit(walk->arg, &thread);
}

enum rc gomp_walk_known(struct instance *instance, gomp_thread_visitor *visit, void *arg,
                        bool *part)
{
    struct openmp_walk walk = {.instance = instance, .visit = visit, .arg = arg};
    enum rc rc = RC_OK;
    memory_of(instance)->hints.count = 0;
    if (instance->space->ops->has_thread && !memory_of(instance)->ghosts.debugger_answers)
        rc = gomp_walk_pthreads(instance, find_known, instance);
    if (rc == RC_OK)
        rc = gomp_walk_pthreads(instance, visit_openmp, &walk);
    if (rc == RC_OK && walk.is_any && rc_is_damage(walk.rc)) {
        *part = true;
        return RC_OK;
    }
    return rc == RC_OK ? walk.rc : rc;
}

struct search {
    struct instance *instance;
    enum os_thread_kind kind;
    uint64_t os_id;
    taddr found;
};

static bool compare(void *arg, taddr pthread, uint64_t tid)
{
    struct search *search = arg;
    memory_keep_hint(search->instance, tid, pthread);
    if ((search->kind == OS_THREAD_LWP ? tid : pthread) == search->os_id)
        search->found = pthread;
    return true; /* to the end: the next search has all hints */
}

static taddr hinted(const struct array *known, enum os_thread_kind kind, uint64_t os_id)
{
    const struct thread_hint *hints = known->elements;
    for (size_t i = 0; i < known->count; i++) {
        if ((kind == OS_THREAD_LWP ? hints[i].tid : hints[i].at) == os_id)
            return hints[i].at;
    }
    return 0;
}

enum rc gomp_find_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                         struct ref *out)
{
    struct gomp_thread thread;
    int64_t distance;
    enum rc rc = gomp_distance(instance, &distance);
    if (rc != RC_OK)
        return rc;
    taddr pthread = hinted(&memory_of(instance)->hints, kind, os_id);
    rc = pthread ? gomp_read_thread(instance, pthread, &thread) : RC_UNAVAILABLE;
    bool is_hinted = rc == RC_OK && (kind != OS_THREAD_LWP || thread.tid == os_id);
    if (!is_hinted) {
        struct search search = {.instance = instance, .kind = kind, .os_id = os_id};
        memory_of(instance)->hints.count = 0;
        rc = gomp_walk_pthreads(instance, compare, &search);
        if (rc == RC_UNSUPPORTED && kind == OS_THREAD_PTHREAD)
            search.found = os_id; /* without a list: believe the address */
        else if (rc != RC_OK)
            return rc;
        if (!search.found)
            return RC_UNAVAILABLE;
        rc = gomp_read_thread(instance, search.found, &thread);
        if (rc != RC_OK)
            return rc;
    }
    if (!is_openmp(instance, &thread, &is_hinted))
        return RC_UNAVAILABLE;
    *out = gomp_thread_ref(instance, &thread);
    return RC_OK;
}
