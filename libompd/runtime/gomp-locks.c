/* SPDX-License-Identifier: MIT
 *
 * A lock whose address the debugger knows: libgomp has no list of locks. A simple lock, a
 * critical section and that of atomics are a word, 0 when free and 1 or -1 when held, and
 * nobody knows by whom. A nest lock has besides how often it is held and, as owner, the
 * address of the ICVs of the task that holds it.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

/* omp_nest_lock_t; its first word is a simple lock. */
enum { NEST_COUNT = 4, NEST_OWNER = 8, NEST_BYTES = 16, WORD_BYTES = 4 };

struct owner_search {
    struct space *space;
    taddr task;
    struct lock_facts *facts;
    enum rc rc;
};

/* Of which thread the task is need not be that on which it was found. */
static enum rc fill_owner(struct owner_search *search, const struct gomp_thread *thread,
                          struct ref task)
{
    struct gomp_task_stand stand;
    bool certain = true;
    enum rc rc = gomp_stand_task(search->space, task, &stand);
    if (rc != RC_OK)
        return rc;
    stand.thread = *thread;
    if (stand.in_region && stand.task.kind != GOMP_KIND_IMPLICIT)
        rc = gomp_settle_runner(search->space, &stand, &certain);
    if (rc != RC_OK)
        return rc;
    search->facts->owner = (struct ref_fact){.known = certain ? KNOWN : NEEDS_TRACKING,
                                             .ref = gomp_thread_ref(&stand.thread)};
    search->facts->owner_task = (struct ref_fact){.known = KNOWN, .ref = task};
    return RC_OK;
}

/* A task that has begun is on the way from what a thread does to its initial task. What
 * an idle thread did last stands there as well. */
static bool try_owner(void *arg, const struct gomp_thread *thread)
{
    struct owner_search *search = arg;
    struct ref task;
    struct gomp_team team;
    enum gomp_standing standing;
    enum rc rc = gomp_stand(search->space, thread, &standing, &team);
    if (rc == RC_OK)
        rc = standing == GOMP_ACTIVE || standing == GOMP_INITIAL
                 ? gomp_begun_task_ref(search->space, thread, search->task, &task)
                 : RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = fill_owner(search, thread, task);
    if (rc == RC_OK)
        return false;
    if (rc != RC_STALE_HANDLE && rc != RC_NONSENSE)
        search->rc = rc;
    return search->rc == RC_OK;
}

/* A task that was given up with the lock held is found on no thread. */
static enum rc fill_nest(struct space *space, const unsigned char *bytes,
                         struct lock_facts *facts)
{
    uint64_t count = target_decode(space, bytes + NEST_COUNT, 4);
    taddr owner = target_decode(space, bytes + NEST_OWNER, 8);
    bool held = facts->count.value;
    /* Held before it is owned and owned before it is counted, and back in that order. */
    if (count > INT32_MAX || (!held && (count || owner)))
        return RC_BAD_INPUT;
    if (!held) {
        facts->owner.known = facts->owner_task.known = NONE_HERE;
        return RC_OK;
    }
    facts->count = (struct fact){count ? KNOWN : IMPOSSIBLE, count};
    facts->owner.known = facts->owner_task.known = NONE_HERE;
    if (!owner)
        return RC_OK;
    uint32_t icv = gomp_offset(space, GOMP_gomp_task_icv);
    if (owner < icv || owner % 8)
        return RC_BAD_INPUT;
    struct owner_search search = {.space = space, .task = owner - icv, .facts = facts};
    enum rc rc = gomp_walk_openmp(space, try_owner, &search);
    return rc == RC_OK ? search.rc : rc;
}

enum rc gomp_lock(struct space *space, taddr address, enum lock_kind kind,
                  struct lock_facts *out)
{
    unsigned char bytes[NEST_BYTES];
    bool nest = kind == LOCK_KIND_NEST;
    if (address % (nest ? NEST_OWNER : WORD_BYTES))
        return RC_BAD_INPUT;
    enum rc rc = gomp_read(space, address, nest ? NEST_BYTES : WORD_BYTES, bytes);
    if (rc != RC_OK)
        return rc;
    uint32_t word = (uint32_t)target_decode(space, bytes, WORD_BYTES);
    if (word > 1 && word != UINT32_MAX)
        return RC_BAD_INPUT;
    struct lock_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.address = (struct fact){KNOWN, address};
    facts.kind = (struct fact){KNOWN, kind};
    facts.count = (struct fact){KNOWN, word != 0};
    facts.hint.known = facts.codeptr.known = NEEDS_TRACKING;
    facts.owner.known = facts.owner_task.known = word ? NEEDS_TRACKING : NONE_HERE;
    if (nest)
        rc = fill_nest(space, bytes, &facts);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
