/* SPDX-License-Identifier: MIT
 *
 * The beginnings of loops, sections, single and scope, which only tools want to know of:
 * nothing is recorded. Chunks after the first are not told, because a call for each would
 * be paid by all programs.
 */
#include "state/work.h"

typedef unsigned long long ull;

#define WORK EVENT_BIT(work)

#define LOOP(name, parameters, ...)                                                      \
    WRAPPER(bool, name, parameters, (start, end, incr, __VA_ARGS__))                     \
    {                                                                                    \
        FORWARD_UNLESS_TOLD(t, WORK, real->name(start, end, incr, __VA_ARGS__));         \
        work_begin(t, WORK_LOOP, loop_iterations(start, end, incr), HERE.codeptr);       \
        return real->name(start, end, incr, __VA_ARGS__);                                \
    }
#define CHUNK(name)                                                                      \
    LOOP(name, (long start, long end, long incr, long chunk, long *first, long *last),   \
         chunk, first, last)
#define RUNTIME(name)                                                                    \
    LOOP(name, (long start, long end, long incr, long *first, long *last), first, last)
#define GENERAL(name)                                                                    \
    LOOP(name,                                                                           \
         (long start, long end, long incr, long sched, long chunk, long *first,          \
          long *last, uintptr_t *reductions, void **mem),                                \
         sched, chunk, first, last, reductions, mem)

CHUNK(GOMP_loop_static_start)
CHUNK(GOMP_loop_dynamic_start)
CHUNK(GOMP_loop_guided_start)
CHUNK(GOMP_loop_nonmonotonic_dynamic_start)
CHUNK(GOMP_loop_nonmonotonic_guided_start)
CHUNK(GOMP_loop_ordered_static_start)
CHUNK(GOMP_loop_ordered_dynamic_start)
CHUNK(GOMP_loop_ordered_guided_start)
RUNTIME(GOMP_loop_runtime_start)
RUNTIME(GOMP_loop_nonmonotonic_runtime_start)
RUNTIME(GOMP_loop_maybe_nonmonotonic_runtime_start)
RUNTIME(GOMP_loop_ordered_runtime_start)
GENERAL(GOMP_loop_start)
GENERAL(GOMP_loop_ordered_start)

#define LOOP_ULL(name, parameters, ...)                                                  \
    WRAPPER(bool, name, parameters, (up, start, end, incr, __VA_ARGS__))                 \
    {                                                                                    \
        FORWARD_UNLESS_TOLD(t, WORK, real->name(up, start, end, incr, __VA_ARGS__));     \
        work_begin(t, WORK_LOOP, loop_iterations_ull(up, start, end, incr),              \
                   HERE.codeptr);                                                        \
        return real->name(up, start, end, incr, __VA_ARGS__);                            \
    }
#define CHUNK_ULL(name)                                                                  \
    LOOP_ULL(name,                                                                       \
             (bool up, ull start, ull end, ull incr, ull chunk, ull *first, ull *last),  \
             chunk, first, last)
#define RUNTIME_ULL(name)                                                                \
    LOOP_ULL(name, (bool up, ull start, ull end, ull incr, ull *first, ull *last),       \
             first, last)
#define GENERAL_ULL(name)                                                                \
    LOOP_ULL(name,                                                                       \
             (bool up, ull start, ull end, ull incr, long sched, ull chunk, ull *first,  \
              ull *last, uintptr_t *reductions, void **mem),                             \
             sched, chunk, first, last, reductions, mem)

CHUNK_ULL(GOMP_loop_ull_static_start)
CHUNK_ULL(GOMP_loop_ull_dynamic_start)
CHUNK_ULL(GOMP_loop_ull_guided_start)
CHUNK_ULL(GOMP_loop_ull_nonmonotonic_dynamic_start)
CHUNK_ULL(GOMP_loop_ull_nonmonotonic_guided_start)
CHUNK_ULL(GOMP_loop_ull_ordered_static_start)
CHUNK_ULL(GOMP_loop_ull_ordered_dynamic_start)
CHUNK_ULL(GOMP_loop_ull_ordered_guided_start)
RUNTIME_ULL(GOMP_loop_ull_runtime_start)
RUNTIME_ULL(GOMP_loop_ull_nonmonotonic_runtime_start)
RUNTIME_ULL(GOMP_loop_ull_maybe_nonmonotonic_runtime_start)
RUNTIME_ULL(GOMP_loop_ull_ordered_runtime_start)
GENERAL_ULL(GOMP_loop_ull_start)
GENERAL_ULL(GOMP_loop_ull_ordered_start)

WRAPPER(unsigned, GOMP_sections_start, (unsigned count), (count))
{
    FORWARD_UNLESS_TOLD(t, WORK, real->GOMP_sections_start(count));
    work_begin(t, WORK_SECTIONS, count, HERE.codeptr);
    return real->GOMP_sections_start(count);
}

WRAPPER(unsigned, GOMP_sections2_start,
        (unsigned count, uintptr_t *reductions, void **mem), (count, reductions, mem))
{
    FORWARD_UNLESS_TOLD(t, WORK, real->GOMP_sections2_start(count, reductions, mem));
    work_begin(t, WORK_SECTIONS, count, HERE.codeptr);
    return real->GOMP_sections2_start(count, reductions, mem);
}

WRAPPER(void, GOMP_loop_end_nowait, (void), ())
{
    FORWARD_UNLESS_TOLD(t, WORK, real->GOMP_loop_end_nowait());
    real->GOMP_loop_end_nowait();
    work_end(t, WORK_LOOP, HERE.codeptr);
}

WRAPPER(void, GOMP_sections_end_nowait, (void), ())
{
    FORWARD_UNLESS_TOLD(t, WORK, real->GOMP_sections_end_nowait());
    real->GOMP_sections_end_nowait();
    work_end(t, WORK_SECTIONS, HERE.codeptr);
}

WRAPPER(bool, GOMP_single_start, (void), ())
{
    FORWARD_UNLESS_TOLD(t, WORK, real->GOMP_single_start());
    bool executes = real->GOMP_single_start();
    if (executes) {
        work_begin_open(t, WORK_SINGLE_EXECUTOR, 1, HERE.codeptr);
    } else {
        work_begin(t, WORK_SINGLE_OTHER, 1, HERE.codeptr);
        work_end(t, WORK_SINGLE_OTHER, HERE.codeptr);
    }
    return executes;
}

/* Only called for a scope with task reductions. */
WRAPPER(void, GOMP_scope_start, (uintptr_t * reductions), (reductions))
{
    FORWARD_UNLESS_TOLD(t, WORK, real->GOMP_scope_start(reductions));
    work_begin_open(t, WORK_SCOPE, 1, HERE.codeptr);
    real->GOMP_scope_start(reductions);
}
