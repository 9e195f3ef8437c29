/* SPDX-License-Identifier: MIT
 *
 * Parallel constructs: one call that executes the outlined function on a team.
 */
#include "state/work.h"

/* `work_kind` and `work_count` are those of the worksharing construct, if the construct
 * is a combined one; the variable arguments follow `data` in the real call. */
#define PARALLEL(name, work_kind, work_count, parameters, ...)                                     \
    WRAPPER_OF_BODY(void, name, parameters, (fn, data, __VA_ARGS__))                               \
    {                                                                                              \
        ROUTE_BODY(fn);                                                                            \
        TRACKED_OR_FORWARD(t, real->name(fn, data, __VA_ARGS__));                                  \
        struct region *r = region_begin(t, real, REGION_PARALLEL, fn, data, num_threads,           \
                                        team_limit(real, num_threads), HERE);                      \
        if (!r)                                                                                    \
            return real->name(fn, data, __VA_ARGS__);                                              \
        if (work_kind && event_wanted(EVENT_BIT(work)))                                            \
            region_works(r, work_kind, work_count);                                                \
        real->name(ompd_hooks_region, &r->arg, __VA_ARGS__);                                       \
        region_end(t, r);                                                                          \
    }

PARALLEL(GOMP_parallel, 0, 0, (body_fn fn, void *data, unsigned num_threads, unsigned flags),
         num_threads, flags)

#define ITERATIONS loop_iterations(start, end, incr)
#define LOOP_PARAMETERS                                                                            \
    (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr, long chunk,    \
     unsigned flags)
#define LOOP_ARGUMENTS num_threads, start, end, incr, chunk, flags
PARALLEL(GOMP_parallel_loop_static, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_dynamic, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_guided, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS,
         LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS,
         LOOP_ARGUMENTS)

#define RUNTIME_PARAMETERS                                                                         \
    (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr, unsigned flags)
#define RUNTIME_ARGUMENTS num_threads, start, end, incr, flags
PARALLEL(GOMP_parallel_loop_runtime, WORK_LOOP, ITERATIONS, RUNTIME_PARAMETERS, RUNTIME_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, WORK_LOOP, ITERATIONS, RUNTIME_PARAMETERS,
         RUNTIME_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, WORK_LOOP, ITERATIONS, RUNTIME_PARAMETERS,
         RUNTIME_ARGUMENTS)

PARALLEL(GOMP_parallel_sections, WORK_SECTIONS, count,
         (body_fn fn, void *data, unsigned num_threads, unsigned count, unsigned flags),
         num_threads, count, flags)

/* The first word of the argument points to the reductions. */
WRAPPER_OF_BODY(unsigned, GOMP_parallel_reductions,
                (body_fn fn, void *data, unsigned num_threads, unsigned flags),
                (fn, data, num_threads, flags))
{
    ROUTE_BODY(fn);
    TRACKED_OR_FORWARD(t, real->GOMP_parallel_reductions(fn, data, num_threads, flags));
    struct region *r = region_begin(t, real, REGION_PARALLEL, fn, data, num_threads,
                                    team_limit(real, num_threads), HERE);
    if (!r)
        return real->GOMP_parallel_reductions(fn, data, num_threads, flags);
    r->arg.first_word = *(uintptr_t *)data;
    unsigned result =
        real->GOMP_parallel_reductions(ompd_hooks_region, &r->arg, num_threads, flags);
    region_end(t, r);
    return result;
}

/* The argument of GOMP_cancel. */
enum { GOMP_PARALLEL = 1, GOMP_LOOP = 2, GOMP_SECTIONS = 4, GOMP_TASKGROUP = 8 };

static void notify_cancel(struct thread *t, int which, uint32_t how, uintptr_t codeptr)
{
    if (which & GOMP_TASKGROUP && !t->untracked)
        t->cancelled_task = t->rec->task_id;
    if (which & GOMP_PARALLEL && !t->untracked && t->region)
        __atomic_store_n(&t->region->rec.cancelled, 1, __ATOMIC_RELAXED);
    uint32_t what = (which & GOMP_PARALLEL ? CANCEL_PARALLEL : 0) |
                    (which & GOMP_LOOP ? CANCEL_LOOP : 0) |
                    (which & GOMP_SECTIONS ? CANCEL_SECTIONS : 0) |
                    (which & GOMP_TASKGROUP ? CANCEL_TASKGROUP : 0);
    event_cancel(t, what | how, codeptr);
}

/* From here on the region's tasks may be discarded. */
WRAPPER(bool, GOMP_cancel, (int which, bool do_cancel), (which, do_cancel))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_cancel(which, do_cancel));
    if (do_cancel && !t->untracked && t->region)
        __atomic_store_n(&t->region->cancelled, 1, __ATOMIC_RELAXED);
    bool cancelled = real->GOMP_cancel(which, do_cancel);
    if (cancelled)
        notify_cancel(t, which, do_cancel ? CANCEL_ACTIVATED : CANCEL_DETECTED, HERE.codeptr);
    return cancelled;
}

WRAPPER(bool, GOMP_cancellation_point, (int which), (which))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_cancellation_point(which));
    bool cancelled = real->GOMP_cancellation_point(which);
    if (cancelled)
        notify_cancel(t, which, CANCEL_DETECTED, HERE.codeptr);
    return cancelled;
}
