/* SPDX-License-Identifier: MIT
 *
 * Waits and mutexes, as OMPT reports them. What reports a wait is user code, so that a task
 * goes on working where a wait of it ends.
 */
#include "core/call-site.h"
#include "core/images.h"
#include "ompt-source/source.h"
#include "state/waits.h"

/* What a wait of the current task ends with. */
static struct wait working(const struct thread *t)
{
    uint64_t region = STATUS_REGION(t->rec->status);
    return (struct wait){.outer.status =
                             STATUS(region, region ? STATE_WORK_PARALLEL : STATE_WORK_SERIAL)};
}

/* Up to LLVM 16 the last barrier of a region is an implicit one like those within; its
 * place is that of the region, or on workers none. */
static bool is_last_barrier(const struct thread *t, ompt_sync_region_t kind, uintptr_t codeptr)
{
    const struct rec_task *task = current_task(t);
    if (!t->region || task->kind != TASK_IMPLICIT)
        return false;
    return kind == ompt_sync_region_barrier_implicit_parallel ||
           (kind == ompt_sync_region_barrier_implicit &&
            (!codeptr || codeptr == t->region->rec.codeptr));
}

static void wait_for(struct thread *t, ompt_sync_region_t kind, struct place place)
{
    struct wait w;
    if (is_last_barrier(t, kind, place.codeptr)) {
        place.codeptr = t->region->rec.codeptr;
        implicit_end(t, t->region, place);
    } else if (kind == ompt_sync_region_taskwait) {
        sync_begin(&w, t, SYNC_TASKWAIT, STATE_WAIT_TASKWAIT, task_wait_id(t), place);
    } else if (kind == ompt_sync_region_taskgroup) {
        sync_begin(&w, t, SYNC_TASKGROUP, STATE_WAIT_TASKGROUP, task_wait_id(t), place);
    } else {
        bool is_explicit = kind == ompt_sync_region_barrier_explicit;
        sync_begin(&w, t, is_explicit ? SYNC_BARRIER_EXPLICIT : SYNC_BARRIER_WORKSHARE,
                   is_explicit ? STATE_WAIT_BARRIER : STATE_WAIT_BARRIER_IMPLICIT,
                   region_wait_id(t), place);
    }
}

static enum sync_kind kind_of_wait(ompt_sync_region_t kind)
{
    return kind == ompt_sync_region_taskwait           ? SYNC_TASKWAIT
           : kind == ompt_sync_region_taskgroup        ? SYNC_TASKGROUP
           : kind == ompt_sync_region_barrier_explicit ? SYNC_BARRIER_EXPLICIT
                                                       : SYNC_BARRIER_WORKSHARE;
}

/* After the last barrier, which the region ends for all, the task is over. */
void source_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                             ompt_data_t *parallel_data, ompt_data_t *task_data,
                             const void *codeptr)
{
    (void)parallel_data, (void)task_data;
    struct thread *t = thread_known();
    struct place place = {(uintptr_t)codeptr, 0};
    const struct rec_task *task = t ? current_task(t) : NULL;
    if (!task || task->state != TASK_RUNNING)
        return;
    if (endpoint == ompt_scope_begin) {
        wait_for(t, kind, place);
    } else {
        struct wait w = working(t);
        sync_end(&w, t, kind_of_wait(kind), place);
    }
}

static enum thread_state state_of(ompt_mutex_t kind)
{
    switch (kind) {
    case ompt_mutex_nest_lock:
        return STATE_WAIT_NEST_LOCK;
    case ompt_mutex_critical:
        return STATE_WAIT_CRITICAL;
    case ompt_mutex_atomic:
        return STATE_WAIT_ATOMIC;
    case ompt_mutex_ordered:
        return STATE_WAIT_ORDERED;
    default:
        return STATE_WAIT_LOCK;
    }
}

static uint32_t lock_kind(ompt_mutex_t kind)
{
    switch (kind) {
    case ompt_mutex_nest_lock:
    case ompt_mutex_test_nest_lock:
        return LOCK_NEST;
    case ompt_mutex_critical:
        return LOCK_CRITICAL;
    default:
        return LOCK_SIMPLE;
    }
}

/* Up to LLVM 16 a test is reported as the acquisition of a lock: the call tells. */
static bool calls_test(uintptr_t codeptr)
{
    const struct runtime *real = hooks_reporting;
    struct image caller;
    uintptr_t callee;
    if (!real || !image_at(codeptr, &caller) ||
        call_site(codeptr, caller.start, &callee) != CALL_TARGET)
        return false;
    int (*const tests[])(void *) = {
        real->omp_test_lock,  omp_test_lock,  real->omp_test_nest_lock,  omp_test_nest_lock,
        real->omp_test_lock_, omp_test_lock_, real->omp_test_nest_lock_, omp_test_nest_lock_,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        if (callee == (uintptr_t)tests[i])
            return true;
    return false;
}

static bool is_test(ompt_mutex_t kind, uintptr_t codeptr)
{
    return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock ||
           ((kind == ompt_mutex_lock || kind == ompt_mutex_nest_lock) && calls_test(codeptr));
}

/* Of threads whose regions have no records, as in a league, those of locks are kept all the same: others
 * would have the owner before.
 *
 * The end of a test that fails is not reported, nor whether a mutex is contended: that a test has
 * failed is known when the next one begins. */
void source_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation,
                          ompt_wait_id_t wait_id, const void *codeptr)
{
    (void)hint, (void)implementation;
    struct thread *t = hooks_self;
    struct wait w;
    if (!t)
        return;
    if (is_test(kind, (uintptr_t)codeptr)) {
        lock_tested(t, wait_id, 0);
        return;
    }
    mutex_begin(&w, t, (enum mutex_kind)kind, state_of(kind),
                kind == ompt_mutex_ordered ? region_wait_id(t) : wait_id,
                (struct place){(uintptr_t)codeptr, 0});
    wait_contended(t);
}

/* The end of an atomic is not seen. */
static bool has_owner(ompt_mutex_t kind)
{
    return kind != ompt_mutex_ordered && kind != ompt_mutex_atomic;
}

/* Releases are not asked for: up to LLVM 19 the runtime takes the place of a critical
 * section's from its thread 0, without which it crashes. The wrappers see those of locks that
 * code of gcc calls for; of others its memory shows what is held. */
void source_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr)
{
    struct thread *t = hooks_self;
    if (!t)
        return;
    struct wait w = working(t);
    wait_end(&w, t);
    t->rec->tested = 0;
    if (has_owner(kind))
        lock_acquired_reported(t, wait_id, lock_kind(kind), (struct place){(uintptr_t)codeptr, 0});
    event_mutex_acquired(t, (enum mutex_kind)kind, wait_id, (uintptr_t)codeptr);
}

/* Of the inner releases the wrappers learn as of the last one. */
void source_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr)
{
    struct thread *t = hooks_self;
    if (!t || endpoint != ompt_scope_begin)
        return;
    struct wait w = working(t);
    wait_end(&w, t);
    t->rec->tested = 0;
    lock_nested(t, wait_id);
    event_nest_lock(t, EVENT_BEGIN, wait_id, (uintptr_t)codeptr);
}

void source_lock_init(ompt_mutex_t kind, unsigned hint, unsigned implementation,
                      ompt_wait_id_t wait_id, const void *codeptr)
{
    (void)hint, (void)implementation, (void)codeptr;
    if (hooks_reporting)
        lock_initialized(wait_id, lock_kind(kind), true);
}

void source_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr)
{
    (void)kind, (void)codeptr;
    if (hooks_reporting)
        lock_destroyed(wait_id);
}
