/* SPDX-License-Identifier: MIT
 *
 * What a thread of LLVM's runtime waits for:
 *
 *   lock          it is in the queue of one
 *   taskwait      its task has its gtid as that of the thread that waits in it, and children, but it
 *                 may be in a taskyield
 *   barrier       it has counted one arrival more than its team, or sleeps; both while it
 *                 runs no explicit task
 *
 * th_reap_state would mark threads that wait and do not sleep yet, but is not always reset when
 * they leave the barrier.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

/* In which of its team's barriers a thread has arrived. */
enum arrival {
    NOT_ARRIVED,
    RELEASED,   /* and has not run since */
    IN_BARRIER, /* explicit, or of a construct within the region */
    AT_END,     /* of the region */
    IN_SOME_BARRIER
};

static enum arrival of_barrier(unsigned barrier)
{
    return barrier == KMP_BARRIER_FORK_JOIN ? AT_END : IN_BARRIER;
}

/* Is a word one of a thread's barriers? */
static bool find_barrier(const struct instance *instance, taddr word, taddr thread, unsigned *out)
{
    uint32_t stride = kmp_size(instance, KMP_STRUCT_kmp_barrier_union);
    taddr first = thread + kmp_offset(instance, KMP_kmp_base_info_bar);
    if (word < first || (word - first) / stride >= KMP_BARRIERS)
        return false;
    *out = (unsigned)((word - first) / stride);
    return true;
}

/* A release counts above the bit that marks a sleeper, and wakes it then. */
static bool is_released(const struct instance *instance, taddr word)
{
    taddr value;
    return memory_pointer(instance, word, &value) == RC_OK && value >> KMP_BARRIER_SHIFT;
}

/* The barrier of the word that a thread sleeps on. That is a teammate's while it waits for those
 * to arrive. One that has arrived itself sleeps on its own until it is released: all may have
 * arrived, and have tasks to wait for. Behind the end of a region it sleeps until the next one;
 * when its count is its team's again, that may have begun. */
static enum arrival sleeps_in(const struct instance *instance, const struct kmp_thread *thread,
                              const struct kmp_team *team)
{
    taddr word, other;
    unsigned barrier;
    bool is_counted = thread->number && !team->serialized; /* and was not found ahead */
    if (memory_pointer(instance, thread->sleeps_on + KMP_FLAG_WORD, &word) != RC_OK)
        return IN_SOME_BARRIER;
    if (find_barrier(instance, word, thread->address, &barrier))
        return is_released(instance, word) || (barrier == KMP_BARRIER_FORK_JOIN && is_counted)
                   ? RELEASED
                   : of_barrier(barrier);
    for (uint32_t i = 1; i < team->nproc; i++) {
        uint32_t number = (thread->number + i) % team->nproc; /* children are near */
        if (kmp_listed(instance, team, number, &other) == RC_OK &&
            find_barrier(instance, word, other, &barrier))
            return of_barrier(barrier);
    }
    return IN_SOME_BARRIER;
}

/* Inner nodes of the barrier's tree count when their children have arrived, the primary thread
 * does not: these are known to wait when they sleep, which all do after KMP_BLOCKTIME (0.2 s)
 * unless their team has tasks. */
static enum arrival arrival_of(const struct instance *instance, const struct kmp_thread *thread,
                               const struct kmp_team *team)
{
    if (thread->number && !team->serialized)
        for (unsigned i = 0; i < KMP_BARRIERS; i++)
            if (thread->arrived[i] == team->arrived[i] + 1)
                return of_barrier(i);
    return thread->sleeps_on ? sleeps_in(instance, thread, team) : NOT_ARRIVED;
}

static const enum state lock_states[] = {
    [LOCK_KIND_SIMPLE] = STATE_wait_lock,
    [LOCK_KIND_NEST] = STATE_wait_nest_lock,
    [LOCK_KIND_CRITICAL] = STATE_wait_critical,
};

/* One that is about to be in a queue is in none. */
static enum rc wait_for_lock(struct instance *instance, const struct kmp_thread *thread,
                             struct thread_facts *facts)
{
    const struct kmp_waiter *waiter;
    enum rc rc = kmp_find_waiter(instance, thread->gtid, &waiter);
    if (rc != RC_OK || !waiter)
        return rc;
    facts->state.value = lock_states[waiter->kind];
    facts->wait_id.value = waiter->lock;
    return RC_OK;
}

/* The primary thread of a league, which has no level, sleeps until all its teams are over. Outside of
 * regions nothing else makes a thread sleep on a flag. */
static bool is_at_end_of_league(const struct instance *instance, const struct kmp_thread *thread,
                                const struct kmp_team *team)
{
    return !team->level && !team->serialized && thread->sleeps_on &&
           sleeps_in(instance, thread, team) == AT_END;
}

/* One that runs a task in a barrier has arrived there. */
enum rc kmp_wait(struct instance *instance, const struct kmp_thread *thread,
                 const struct kmp_team *team, bool is_member, struct thread_facts *facts)
{
    static const enum state states[] = {
        [IN_BARRIER] = STATE_wait_barrier,
        [AT_END] = STATE_wait_barrier_implicit,
        [IN_SOME_BARRIER] = STATE_wait_barrier,
    };
    static const struct fact barriers[] = {
        [NOT_ARRIVED] = {KNOWN, BARRIER_NONE},   [RELEASED] = {KNOWN, BARRIER_NONE},
        [IN_BARRIER] = {KNOWN, BARRIER_WITHIN},  [AT_END] = {KNOWN, BARRIER_END},
        [IN_SOME_BARRIER] = {.known = NOT_HELD},
    };
    struct kmp_task task;
    facts->state = (struct fact){KNOWN, is_member ? STATE_work_parallel : STATE_work_serial};
    facts->wait_id = (struct fact){KNOWN, 0};
    enum arrival arrival = is_member || is_at_end_of_league(instance, thread, team)
                               ? arrival_of(instance, thread, team)
                               : NOT_ARRIVED;
    facts->barrier = barriers[arrival];
    facts->is_released = arrival == RELEASED;
    if (thread->spins)
        return wait_for_lock(instance, thread, facts);
    uint32_t number;
    bool is_implicit = kmp_implicit_index(instance, team, thread->task, &number);
    if (arrival > RELEASED && is_implicit) {
        facts->state.value = states[arrival];
        return RC_OK;
    }
    enum rc rc = kmp_read_task(instance, thread->task, &task);
    /* Within a taskgroup a taskwait and the end of the group leave the same trace. */
    if (rc == RC_OK && task.taskwait_thread == (int64_t)thread->gtid + 1 &&
        (task.children || task.taskgroup))
        facts->state = (struct fact){task.taskgroup ? NEEDS_TRACKING : KNOWN, STATE_wait_taskwait};
    return rc;
}
