/* SPDX-License-Identifier: MIT
 *
 * The parallel constructs: one call that runs the body on every thread of a team.
 */
#include "state.h"

/* Each wrapper is the same but for the arguments it hands on behind `data`. */
#define PARALLEL(name, parameters, ...)                                                  \
    SECOND_HALF void track_##name parameters                                             \
    {                                                                                    \
        TRACKED_OR_FORWARD(t, real.name(fn, data, __VA_ARGS__));                         \
        struct region *r = region_begin(t, REGION_PARALLEL, fn, data, num_threads,       \
                                        team_limit(num_threads), HERE);                  \
        if (!r)                                                                          \
            return real.name(fn, data, __VA_ARGS__);                                     \
        real.name(region_trampoline, &r->arg, __VA_ARGS__);                              \
        region_end(t, r);                                                                \
    }                                                                                    \
                                                                                         \
    void name parameters                                                                 \
    {                                                                                    \
        FORWARD_IF_OFF(real.name(fn, data, __VA_ARGS__));                                \
        track_##name(fn, data, __VA_ARGS__);                                             \
    }

PARALLEL(GOMP_parallel, (body_fn fn, void *data, unsigned num_threads, unsigned flags),
         num_threads, flags)

#define LOOP_PARAMETERS                                                                  \
    (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr,      \
     long chunk, unsigned flags)
#define LOOP_ARGUMENTS num_threads, start, end, incr, chunk, flags
PARALLEL(GOMP_parallel_loop_static, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_dynamic, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_guided, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_nonmonotonic_dynamic, LOOP_PARAMETERS, LOOP_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_nonmonotonic_guided, LOOP_PARAMETERS, LOOP_ARGUMENTS)

#define RUNTIME_PARAMETERS                                                               \
    (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr,      \
     unsigned flags)
#define RUNTIME_ARGUMENTS num_threads, start, end, incr, flags
PARALLEL(GOMP_parallel_loop_runtime, RUNTIME_PARAMETERS, RUNTIME_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_nonmonotonic_runtime, RUNTIME_PARAMETERS, RUNTIME_ARGUMENTS)
PARALLEL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, RUNTIME_PARAMETERS,
         RUNTIME_ARGUMENTS)

PARALLEL(GOMP_parallel_sections,
         (body_fn fn, void *data, unsigned num_threads, unsigned count, unsigned flags),
         num_threads, count, flags)

/* The runtime looks for the reductions behind the first word of the argument. */
SECOND_HALF unsigned track_reductions(body_fn fn, void *data, unsigned num_threads,
                                      unsigned flags)
{
    TRACKED_OR_FORWARD(t, real.GOMP_parallel_reductions(fn, data, num_threads, flags));
    struct region *r = region_begin(t, REGION_PARALLEL, fn, data, num_threads,
                                    team_limit(num_threads), HERE);
    if (!r)
        return real.GOMP_parallel_reductions(fn, data, num_threads, flags);
    r->arg.first_word = *(uintptr_t *)data;
    unsigned result =
        real.GOMP_parallel_reductions(region_trampoline, &r->arg, num_threads, flags);
    region_end(t, r);
    return result;
}

unsigned GOMP_parallel_reductions(body_fn fn, void *data, unsigned num_threads,
                                  unsigned flags)
{
    FORWARD_IF_OFF(real.GOMP_parallel_reductions(fn, data, num_threads, flags));
    return track_reductions(fn, data, num_threads, flags);
}

/* From here on the region's tasks may be discarded without having run. */
bool GOMP_cancel(int which, bool do_cancel)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_cancel(which, do_cancel));
    if (do_cancel && !t->untracked && t->region)
        __atomic_store_n(&t->region->cancelled, 1, __ATOMIC_RELAXED);
    return real.GOMP_cancel(which, do_cancel);
}
