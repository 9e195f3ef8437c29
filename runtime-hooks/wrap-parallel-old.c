/* SPDX-License-Identifier: MIT
 *
 * The parallel constructs as GCC compiled them before 4.9: the program calls a start
 * function, then the body, then GOMP_parallel_end. Workers get the body from the runtime;
 * the master's part of it is called by the user's code itself.
 */
#include "state.h"

/* The frame that calls the body is the user's own, so it is entry and exit alike. */
static void enter_old_style(struct thread *t, struct region *r, uintptr_t frame)
{
    r->old_style = true;
    region_announce(t, r);
    implicit_begin(t, r, 0, frame);
}

#define START(name, parameters, ...)                                                     \
    void name parameters                                                                 \
    {                                                                                    \
        struct thread *t = tracked_thread();                                             \
        struct region *r = NULL;                                                         \
        struct place here = HERE;                                                        \
        if (t)                                                                           \
            r = region_begin(                                                            \
                t, REGION_PARALLEL, fn, data, num_threads,                               \
                num_threads ? num_threads : (unsigned)real.omp_get_max_threads(), here); \
        if (!r) {                                                                        \
            real.name(fn, data, __VA_ARGS__);                                            \
            return;                                                                      \
        }                                                                                \
        real.name(region_trampoline, &r->arg, __VA_ARGS__);                              \
        enter_old_style(t, r, here.frame);                                               \
    }

START(GOMP_parallel_start, (body_fn fn, void *data, unsigned num_threads), num_threads)

#define LOOP_PARAMETERS                                                                  \
    (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr, long chunk)
#define LOOP_ARGUMENTS num_threads, start, end, incr, chunk
START(GOMP_parallel_loop_static_start, LOOP_PARAMETERS, LOOP_ARGUMENTS)
START(GOMP_parallel_loop_dynamic_start, LOOP_PARAMETERS, LOOP_ARGUMENTS)
START(GOMP_parallel_loop_guided_start, LOOP_PARAMETERS, LOOP_ARGUMENTS)
START(GOMP_parallel_loop_runtime_start,
      (body_fn fn, void *data, unsigned num_threads, long start, long end, long incr),
      num_threads, start, end, incr)
START(GOMP_parallel_sections_start,
      (body_fn fn, void *data, unsigned num_threads, unsigned count), num_threads, count)

/* The start may have gone untracked; the level tells whose end this is. */
static struct region *region_to_end(const struct thread *t)
{
    struct region *r = t->region;
    if (t->untracked || !r || !r->old_style || r->rec.master != (uintptr_t)t->rec ||
        (uint32_t)real.omp_get_level() != r->rec.level)
        return NULL;
    return r;
}

void GOMP_parallel_end(void)
{
    struct thread *t = tracked_thread();
    struct region *r = t ? region_to_end(t) : NULL;
    if (!r) {
        real.GOMP_parallel_end();
        return;
    }
    implicit_end(t, r, HERE);
    real.GOMP_parallel_end();
    region_end(t, r);
}
