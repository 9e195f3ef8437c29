/* SPDX-License-Identifier: MIT
 *
 * Beginnings of loops, sections, single and scope: events only. The calls for further
 * chunks are not wrapped, as all programs would pay for that.
 */
#include "state/work.h"

typedef unsigned long long ull;

#define WORK EVENT_BIT(work)

#define LOOP(name, iterations, parameters, arguments)                                              \
    WRAPPER(bool, name, parameters, arguments)                                                     \
    {                                                                                              \
        FORWARD_UNLESS_WANTED(t, WORK, real->name arguments);                                      \
        work_begin(t, WORK_LOOP, iterations, HERE.codeptr);                                        \
        return real->name arguments;                                                               \
    }

#define BOUNDS_long long start, long end, long incr
#define BOUNDS_ull bool up, ull start, ull end, ull incr
#define ARGUMENTS_long start, end, incr
#define ARGUMENTS_ull up, start, end, incr
#define ITERATIONS_long loop_iterations(start, end, incr)
#define ITERATIONS_ull loop_iterations_ull(up, start, end, incr)

#define CHUNK(name, type)                                                                          \
    LOOP(name, ITERATIONS_##type, (BOUNDS_##type, type chunk, type * first, type * last),          \
         (ARGUMENTS_##type, chunk, first, last))
#define RUNTIME(name, type)                                                                        \
    LOOP(name, ITERATIONS_##type, (BOUNDS_##type, type * first, type * last),                      \
         (ARGUMENTS_##type, first, last))
#define GENERAL(name, type)                                                                        \
    LOOP(name, ITERATIONS_##type,                                                                  \
         (BOUNDS_##type, long sched, type chunk, type *first, type *last, uintptr_t *reductions,   \
          void **mem),                                                                             \
         (ARGUMENTS_##type, sched, chunk, first, last, reductions, mem))

#define LOOPS(prefix, type)                                                                        \
    CHUNK(prefix##_static_start, type)                                                             \
    CHUNK(prefix##_dynamic_start, type)                                                            \
    CHUNK(prefix##_guided_start, type)                                                             \
    CHUNK(prefix##_nonmonotonic_dynamic_start, type)                                               \
    CHUNK(prefix##_nonmonotonic_guided_start, type)                                                \
    CHUNK(prefix##_ordered_static_start, type)                                                     \
    CHUNK(prefix##_ordered_dynamic_start, type)                                                    \
    CHUNK(prefix##_ordered_guided_start, type)                                                     \
    RUNTIME(prefix##_runtime_start, type)                                                          \
    RUNTIME(prefix##_nonmonotonic_runtime_start, type)                                             \
    RUNTIME(prefix##_maybe_nonmonotonic_runtime_start, type)                                       \
    RUNTIME(prefix##_ordered_runtime_start, type)                                                  \
    GENERAL(prefix##_start, type)                                                                  \
    GENERAL(prefix##_ordered_start, type)

LOOPS(GOMP_loop, long)
LOOPS(GOMP_loop_ull, ull)

WRAPPER(unsigned, GOMP_sections_start, (unsigned count), (count))
{
    FORWARD_UNLESS_WANTED(t, WORK, real->GOMP_sections_start(count));
    work_begin(t, WORK_SECTIONS, count, HERE.codeptr);
    return real->GOMP_sections_start(count);
}

WRAPPER(unsigned, GOMP_sections2_start, (unsigned count, uintptr_t *reductions, void **mem),
        (count, reductions, mem))
{
    FORWARD_UNLESS_WANTED(t, WORK, real->GOMP_sections2_start(count, reductions, mem));
    work_begin(t, WORK_SECTIONS, count, HERE.codeptr);
    return real->GOMP_sections2_start(count, reductions, mem);
}

WRAPPER(void, GOMP_loop_end_nowait, (void), ())
{
    FORWARD_UNLESS_WANTED(t, WORK, real->GOMP_loop_end_nowait());
    real->GOMP_loop_end_nowait();
    work_end(t, WORK_LOOP, HERE.codeptr);
}

WRAPPER(void, GOMP_sections_end_nowait, (void), ())
{
    FORWARD_UNLESS_WANTED(t, WORK, real->GOMP_sections_end_nowait());
    real->GOMP_sections_end_nowait();
    work_end(t, WORK_SECTIONS, HERE.codeptr);
}

WRAPPER(bool, GOMP_single_start, (void), ())
{
    FORWARD_UNLESS_WANTED(t, WORK, real->GOMP_single_start());
    bool executes = real->GOMP_single_start();
    if (executes) {
        work_begin_open(t, WORK_SINGLE_EXECUTOR, 1, HERE.codeptr);
    } else {
        work_begin(t, WORK_SINGLE_OTHER, 1, HERE.codeptr);
        work_end(t, WORK_SINGLE_OTHER, HERE.codeptr);
    }
    return executes;
}

/* Called for a scope with task reductions only. */
WRAPPER(void, GOMP_scope_start, (uintptr_t * reductions), (reductions))
{
    FORWARD_UNLESS_WANTED(t, WORK, real->GOMP_scope_start(reductions));
    work_begin_open(t, WORK_SCOPE, 1, HERE.codeptr);
    real->GOMP_scope_start(reductions);
}
