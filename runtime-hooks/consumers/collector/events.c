/* SPDX-License-Identifier: MIT
 *
 * Translates events of state/events.def to those of the Collector API.
 */
#include "consumers/collector/collector.h"
#include "state/events.h"

__thread const struct region *collector_forking __attribute__((tls_model("initial-exec")));

/* A cleanup function, as the callback may throw. */
static void restore_forking(const struct region *const *outer)
{
    collector_forking = *outer;
}

static void on_parallel_begin(struct thread *t, struct region *r)
{
    (void)t;
    const struct region *const outer __attribute__((cleanup(restore_forking))) = collector_forking;
    collector_forking = r;
    collector_raise(OMP_EVENT_FORK);
}

static void on_parallel_end(struct thread *t, struct region *r)
{
    (void)t;
    (void)r;
    collector_raise(OMP_EVENT_JOIN);
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
    case SYNC_BARRIER_PARALLEL:
    case SYNC_BARRIER_WORKSHARE:
        if (begin) /* the end in a worker is not seen at its time */
            collector_raise(OMP_EVENT_THR_BEGIN_IBAR);
        break;
    default:
        break;
    }
}

static void on_mutex_wait(struct thread *t, enum mutex_kind kind, enum endpoint endpoint)
{
    (void)t;
    bool begin = endpoint == EVENT_BEGIN;
    if (kind == MUTEX_CRITICAL)
        collector_raise(begin ? OMP_EVENT_THR_BEGIN_CTWT : OMP_EVENT_THR_END_CTWT);
    else if (kind == MUTEX_ATOMIC)
        collector_raise(begin ? OMP_EVENT_THR_BEGIN_ATWT : OMP_EVENT_THR_END_ATWT);
    else if (kind == MUTEX_ORDERED)
        collector_raise(begin ? OMP_EVENT_THR_BEGIN_ODWT : OMP_EVENT_THR_END_ODWT);
    else
        collector_raise(begin ? OMP_EVENT_THR_BEGIN_LKWT : OMP_EVENT_THR_END_LKWT);
}

static void on_mutex_acquired(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    (void)t;
    (void)wait_id;
    (void)codeptr;
    if (kind == MUTEX_ORDERED)
        collector_raise(OMP_EVENT_THR_BEGIN_ORDERED);
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

static void on_work(struct thread *t, enum work_kind kind, enum endpoint endpoint, uint64_t count,
                    uintptr_t codeptr)
{
    (void)t;
    (void)count;
    (void)codeptr;
    if (kind == WORK_SINGLE_EXECUTOR)
        collector_raise(endpoint == EVENT_BEGIN ? OMP_EVENT_THR_BEGIN_SINGLE
                                                : OMP_EVENT_THR_END_SINGLE);
}

struct consumer consumer_collector = {
    .rank = CONSUMER_COLLECTOR,
    .wants_reported = true,
    .forked = collector_subscribe,
    .parallel_begin = on_parallel_begin,
    .parallel_end = on_parallel_end,
    .sync_wait = on_sync_wait,
    .mutex_wait = on_mutex_wait,
    .mutex_acquired = on_mutex_acquired,
    .mutex_released = on_mutex_released,
    .work = on_work,
};
