/* SPDX-License-Identifier: MIT
 *
 * A lock by its address: libgomp has no list of locks. A simple lock, a critical section and
 * the lock of atomics are a word, 0 when free and 1 or -1 when held, without an owner. A
 * nest lock also has a count and, as owner, the address of the ICVs of the owner task.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

struct owner_search {
    struct instance *instance;
    taddr task;
    struct lock_facts *facts;
    enum rc rc;
};

/* The thread that has begun the task need not be the one on which it was found. */
static enum rc fill_owner(struct owner_search *search, const struct gomp_thread *thread,
                          struct ref task)
{
    struct gomp_located located;
    enum rc rc = gomp_locate_task(search->instance, task, &located);
    if (rc == RC_OK)
        rc = gomp_locate_thread(search->instance, &located);
    if (rc != RC_OK)
        return rc;
    bool certain = located.has_thread && located.is_certain;
    search->facts->owner = (struct ref_fact){
        .known = certain ? KNOWN : NEEDS_TRACKING,
        .ref = gomp_thread_ref(search->instance, certain ? &located.thread : thread)};
    search->facts->owner_task = (struct ref_fact){.known = KNOWN, .ref = task};
    return RC_OK;
}

/* A begun task is an ancestor of a thread's current task. An idle thread still has its
 * last one. A thread that cannot be read is not the owner as far as is known. */
static bool try_owner(void *arg, const struct gomp_thread *thread)
{
    struct owner_search *search = arg;
    struct ref task;
    struct gomp_team team;
    enum gomp_thread_kind kind;
    enum rc rc = gomp_classify_thread(search->instance, thread, &kind, &team);
    if (rc == RC_OK)
        rc = kind == GOMP_MEMBER || kind == GOMP_INITIAL
                 ? gomp_begun_task_ref(search->instance, thread, search->task, &task)
                 : RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = fill_owner(search, thread, task);
    if (rc == RC_OK)
        return false;
    if (rc_is_damage(rc))
        search->facts->owner.known = search->facts->owner_task.known = memory_mark(rc);
    else if (rc != RC_STALE_HANDLE && rc != RC_UNAVAILABLE)
        search->rc = rc;
    return search->rc == RC_OK;
}

/* A task that ended while it held the lock is on no thread. */
static enum rc fill_nest(struct instance *instance, const unsigned char *bytes,
                         struct lock_facts *facts)
{
    uint64_t count = target_decode(instance->space, bytes + GOMP_NEST_LOCK_COUNT, 4);
    taddr owner = target_decode(instance->space, bytes + GOMP_NEST_LOCK_OWNER, 8);
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
    uint32_t icv = gomp_offset(instance, GOMP_gomp_task_icv);
    if (owner < icv || owner % GOMP_ALIGNMENT)
        return RC_BAD_INPUT;
    struct owner_search search = {.instance = instance, .task = owner - icv, .facts = facts};
    bool part = false;
    enum rc rc = gomp_walk_known(instance, try_owner, &search, &part);
    if (part && facts->owner.known == NONE_HERE)
        facts->owner.known = facts->owner_task.known = UNREADABLE;
    return rc == RC_OK ? search.rc : rc;
}

enum rc gomp_lock(struct instance *instance, taddr address, enum lock_kind kind,
                  struct lock_facts *out)
{
    unsigned char bytes[GOMP_NEST_LOCK_BYTES];
    bool nest = kind == LOCK_KIND_NEST;
    if (address % (nest ? GOMP_NEST_LOCK_OWNER : GOMP_LOCK_BYTES))
        return RC_BAD_INPUT;
    enum rc rc =
        memory_read(instance, address, nest ? GOMP_NEST_LOCK_BYTES : GOMP_LOCK_BYTES, bytes);
    if (rc != RC_OK)
        return rc;
    uint32_t word = (uint32_t)target_decode(instance->space, bytes, GOMP_LOCK_BYTES);
    if (word > 1 && word != UINT32_MAX)
        return RC_BAD_INPUT;
    struct lock_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.address = (struct fact){KNOWN, address};
    facts.kind = (struct fact){KNOWN, kind};
    facts.count = (struct fact){KNOWN, word != 0};
    facts.hint.known = facts.codeptr.known = facts.frame.known = facts.life.known = NEEDS_TRACKING;
    facts.owner.known = facts.owner_task.known = word ? NEEDS_TRACKING : NONE_HERE;
    if (nest)
        rc = fill_nest(instance, bytes, &facts);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
