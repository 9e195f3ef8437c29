/* SPDX-License-Identifier: MIT
 *
 * Parallel constructs as compiled by GCC before 4.9: the encountering thread calls a
 * start function, the outlined function and GOMP_parallel_end().
 */
#include "state/work.h"

/* The user's frame calls the body: it is enter and exit frame. */
static void enter_old_style(struct thread *t, struct region *r, uintptr_t frame)
{
    region_announce(t, r);
    implicit_begin(t, r, 0, frame);
}

#define START(name, work_kind, work_count, parameters, ...)                                        \
    WRAPPER_OF_BODY(void, name, parameters, (fn, data, __VA_ARGS__))                               \
    {                                                                                              \
        ROUTE_BODY(fn);                                                                            \
        TRACKED_OR_FORWARD(t, real->name(fn, data, __VA_ARGS__));                                  \
        struct place here = HERE;                                                                  \
        struct region *r = region_begin(t, real, REGION_PARALLEL | REGION_OLD_STYLE, fn, data,     \
                                        num_threads, team_limit(real, num_threads), here);         \
        if (!r)                                                                                    \
            return real->name(fn, data, __VA_ARGS__);                                              \
        if (work_kind && event_wanted(EVENT_BIT(work)))                                            \
            region_works(r, work_kind, work_count);                                                \
        real->name(ompd_hooks_region, &r->arg, __VA_ARGS__);                                       \
        enter_old_style(t, r, here.frame);                                                         \
    }

START(GOMP_parallel_start, 0, 0, (body_fn fn, void *data, unsigned num_threads), num_threads)

#define ITERATIONS loop_iterations(start, end, incr)
#define LOOP_PARAMETERS                                                                            \
    (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr, long chunk)
#define LOOP_ARGUMENTS num_threads, start, end, incr, chunk
START(GOMP_parallel_loop_static_start, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS, LOOP_ARGUMENTS)
START(GOMP_parallel_loop_dynamic_start, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS, LOOP_ARGUMENTS)
START(GOMP_parallel_loop_guided_start, WORK_LOOP, ITERATIONS, LOOP_PARAMETERS, LOOP_ARGUMENTS)
START(GOMP_parallel_loop_runtime_start, WORK_LOOP, ITERATIONS,
      (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr), num_threads,
      start, end, incr)
START(GOMP_parallel_sections_start, WORK_SECTIONS, count,
      (body_fn fn, void *data, unsigned num_threads, unsigned count), num_threads, count)

/* The region that ends, found by its level, as its start may have been untracked. */
static struct region *region_to_end(const struct thread *t, const struct runtime *real)
{
    struct region *r = t->region;
    if (t->untracked || !r || !r->old_style || r->rec.master != (uintptr_t)t->rec ||
        (uint32_t)real->omp_get_level() != r->rec.level)
        return NULL;
    return r;
}

WRAPPER(void, GOMP_parallel_end, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_parallel_end());
    struct region *r = region_to_end(t, real);
    if (!r)
        return real->GOMP_parallel_end();
    implicit_end(t, r, HERE);
    real->GOMP_parallel_end();
    region_end(t, r);
}
