/* SPDX-License-Identifier: MIT
 *
 * The threads of a process: glibc's own lists of them, and which of them libgomp knows.
 */
#include "libompd/runtime/gomp.h"

struct ref gomp_thread_ref(const struct gomp_thread *thread)
{
    return (struct ref){.address = thread->address, .id = thread->tid};
}

/* A ring of nodes that begins with a pointer to the next. One that does not come back to
 * its head is found by the node that was kept last, at doubling distances. */
static enum rc walk_ring(struct space *space, taddr head, uint32_t *budget,
                         gomp_pthread_visitor *visit, void *arg, bool *stopped)
{
    const struct gomp_threads_place *place = &gomp_state(space)->threads;
    taddr kept = 0, node;
    uint32_t keep_at = 1;
    enum rc rc = gomp_pointer(space, head, &node);
    /* Both ends of a ring that was not set up yet are 0. */
    for (uint32_t nodes = 1; rc == RC_OK && node && node != head; nodes++) {
        if (node == kept || !*budget || node < place->list_offset)
            return RC_NONSENSE;
        --*budget;
        if (nodes == keep_at) {
            kept = node;
            keep_at *= 2;
        }
        taddr pthread = node - place->list_offset;
        taddr next;
        unsigned char bytes[4];
        rc = gomp_pointer(space, node, &next);
        if (rc == RC_OK)
            rc = gomp_read(space, pthread + place->tid_offset, sizeof bytes, bytes);
        if (rc != RC_OK)
            return rc;
        uint64_t tid = target_decode(space, bytes, sizeof bytes);
        /* A thread that has exited has no kernel id; one in a forked child never ran. */
        if (tid && tid <= INT32_MAX && !visit(arg, pthread, tid)) {
            *stopped = true;
            return RC_OK;
        }
        if (!next) /* memory that a core lacks may read as 0 */
            return RC_NONSENSE;
        node = next;
    }
    return rc;
}

/* Without glibc's descriptors, as in programs that were linked statically: the x86-64
 * struct pthread has its own address in its third word, the ring's node somewhere behind,
 * and the kernel's id after the node. Any one thread shows where. */
static enum rc infer_offsets(struct space *space)
{
    enum { BEFORE = 1024, SELF = 16, NODE = 16 };
    struct gomp_threads_place *place = &gomp_state(space)->threads;
    if (gomp_state(space)->machine != PROBE_X86_64)
        return RC_UNSUPPORTED;
    for (unsigned i = 0; i < place->ring_count; i++) {
        unsigned char bytes[BEFORE];
        taddr node;
        if (gomp_pointer(space, place->ring[i], &node) != RC_OK || !node ||
            node == place->ring[i] || node < BEFORE ||
            gomp_read(space, node - BEFORE, sizeof bytes, bytes) != RC_OK)
            continue;
        for (uint32_t offset = SELF + 8; offset <= BEFORE; offset += 8) {
            uint64_t self = target_decode(space, bytes + BEFORE - offset + SELF, 8);
            if (self != node - offset)
                continue;
            place->list_offset = offset;
            place->tid_offset = offset + NODE;
            return RC_OK;
        }
    }
    return RC_UNSUPPORTED;
}

enum rc gomp_walk_pthreads(struct space *space, gomp_pthread_visitor *visit, void *arg)
{
    const struct gomp_threads_place *place = &gomp_state(space)->threads;
    uint32_t budget = GOMP_THREADS_MAX;
    bool stopped = false;
    int64_t distance;
    enum rc rc = gomp_distance(space, &distance);
    if (rc != RC_OK)
        return rc == RC_UNAVAILABLE ? RC_OK : rc;
    if (!place->ring_count)
        return RC_UNSUPPORTED;
    if (!place->tid_offset)
        rc = infer_offsets(space);
    for (unsigned i = 0; rc == RC_OK && !stopped && i < place->ring_count; i++)
        rc = walk_ring(space, place->ring[i], &budget, visit, arg, &stopped);
    return rc;
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

/* A child that is still inside fork has its parent's list of threads and none of them but
 * one. Only the debugger knows, if it wants to tell. */
bool gomp_is_ghost(const struct space *space, const struct gomp_thread *thread)
{
    return gomp_state(space)->debugger_tells &&
           ask_debugger(space, thread->tid) == RC_UNAVAILABLE;
}

/* A process has a thread; a debugger that knows none does not tell. */
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
    if (rc != RC_OK) {
        walk->rc = rc;
        return false;
    }
    if ((!thread.team && !thread.task && !thread.pool) ||
        gomp_is_ghost(walk->space, &thread))
        return true;
    return walk->visit(walk->arg, &thread);
}

enum rc gomp_walk_openmp(struct space *space, gomp_thread_visitor *visit, void *arg)
{
    struct openmp_walk walk = {.space = space, .visit = visit, .arg = arg};
    enum rc rc = RC_OK;
    gomp_state(space)->hints.count = 0;
    if (space->ops->has_thread && !gomp_state(space)->debugger_tells)
        rc = gomp_walk_pthreads(space, find_known, space);
    if (rc == RC_OK)
        rc = gomp_walk_pthreads(space, visit_openmp, &walk);
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
    return gomp_walk_openmp(space, visit_ref, &walk);
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
    return true; /* to the end, so that the next search has all hints */
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
            search.found = os_id; /* without a list: what stands there must do */
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
