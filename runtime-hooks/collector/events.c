/* SPDX-License-Identifier: MIT
 *
 * From the events of the seam to those of the Collector.
 */
#include "collector.h"
#include "events.h"

__thread const struct region *collector_forking
    __attribute__((tls_model("initial-exec")));

/* The lock that is being taken was waited for; when it is only tested it is not. */
static __thread bool lock_wait __attribute__((tls_model("initial-exec")));

/* Also when the callback throws. */
static void forked(const struct region *const *outer)
{
    collector_forking = *outer;
}

static void on_parallel_begin(struct thread *t, struct region *r)
{
    (void)t;
    const struct region *const outer __attribute__((cleanup(forked))) = collector_forking;
    collector_forking = r;
    collector_raise(OMP_EVENT_FORK);
}

static void on_parallel_end(struct thread *t, struct region *r)
{
    (void)t;
    (void)r;
    collector_raise(OMP_EVENT_JOIN);
}

static void on_idle(struct thread *t, enum endpoint endpoint)
{
    (void)t;
    collector_raise(endpoint == EVENT_BEGIN ? OMP_EVENT_THR_BEGIN_IDLE
                                            : OMP_EVENT_THR_END_IDLE);
}

static void on_sync_wait(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                         uintptr_t codeptr)
{
    (void)t;
    (void)codeptr;
    bool begin = endpoint == EVENT_BEGIN;
    switch (kind) {
    case SYNC_BARRIER_EXPLICIT:
        collector_raise(begin ? OMP_EVENT_THR_BEGIN_EBAR : OMP_EVENT_THR_END_EBAR);
        break;
    case SYNC_BARRIER_WORKSHARE:
    case SYNC_BARRIER_PARALLEL:
        collector_raise(begin ? OMP_EVENT_THR_BEGIN_IBAR : OMP_EVENT_THR_END_IBAR);
        break;
    default:
        break;
    }
}

static void on_mutex_acquire(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                             uintptr_t codeptr)
{
    (void)t;
    (void)wait_id;
    (void)codeptr;
    switch (kind) {
    case MUTEX_LOCK:
    case MUTEX_NEST_LOCK:
        lock_wait = true;
        collector_raise(OMP_EVENT_THR_BEGIN_LKWT);
        break;
    case MUTEX_CRITICAL:
        collector_raise(OMP_EVENT_THR_BEGIN_CTWT);
        break;
    case MUTEX_ATOMIC:
        collector_raise(OMP_EVENT_THR_BEGIN_ATWT);
        break;
    case MUTEX_ORDERED:
        collector_raise(OMP_EVENT_THR_BEGIN_ODWT);
        break;
    case MUTEX_TEST_LOCK:
    case MUTEX_TEST_NEST_LOCK:
        lock_wait = false;
        break;
    }
}

static void end_lock_wait(void)
{
    if (!lock_wait)
        return;
    lock_wait = false;
    collector_raise(OMP_EVENT_THR_END_LKWT);
}

static void on_mutex_acquired(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    (void)t;
    (void)wait_id;
    (void)codeptr;
    switch (kind) {
    case MUTEX_LOCK:
    case MUTEX_NEST_LOCK:
        end_lock_wait();
        break;
    case MUTEX_CRITICAL:
        collector_raise(OMP_EVENT_THR_END_CTWT);
        break;
    case MUTEX_ATOMIC:
        collector_raise(OMP_EVENT_THR_END_ATWT);
        break;
    case MUTEX_ORDERED:
        collector_raise(OMP_EVENT_THR_END_ODWT);
        collector_raise(OMP_EVENT_THR_BEGIN_ORDERED);
        break;
    default:
        break;
    }
}

static void on_nest_lock(struct thread *t, enum endpoint endpoint, uint64_t wait_id,
                         uintptr_t codeptr)
{
    (void)t;
    (void)wait_id;
    (void)codeptr;
    if (endpoint == EVENT_BEGIN)
        end_lock_wait();
}

static void on_mutex_released(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    (void)t;
    (void)wait_id;
    (void)codeptr;
    if (kind == MUTEX_ORDERED)
        collector_raise(OMP_EVENT_THR_END_ORDERED);
}

static void on_work(struct thread *t, enum work_kind kind, enum endpoint endpoint,
                    uint64_t count, uintptr_t codeptr)
{
    (void)t;
    (void)count;
    (void)codeptr;
    if (kind == WORK_SINGLE_EXECUTOR)
        collector_raise(endpoint == EVENT_BEGIN ? OMP_EVENT_THR_BEGIN_SINGLE
                                                : OMP_EVENT_THR_END_SINGLE);
}

struct consumer consumer_collector = {
    .forked = collector_listen,
    .parallel_begin = on_parallel_begin,
    .parallel_end = on_parallel_end,
    .idle = on_idle,
    .sync_wait = on_sync_wait,
    .mutex_acquire = on_mutex_acquire,
    .mutex_acquired = on_mutex_acquired,
    .mutex_released = on_mutex_released,
    .nest_lock = on_nest_lock,
    .work = on_work,
};
