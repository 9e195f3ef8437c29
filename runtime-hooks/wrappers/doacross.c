/* SPDX-License-Identifier: MIT
 *
 * Doacross loops: `ordered(n)` with `depend(sink: …)`. The wait takes one argument for
 * each of the n loops, a number that it does not get told. It is said at the start of the
 * loop, so the largest one seen says how many to hand on; the runtime ignores the rest.
 */
#include "state/work.h"

#include <stdarg.h>

/* Counted in all modes: tracking may begin inside a loop. */
static unsigned most_counts = 1;

static inline void count(unsigned ncounts)
{
    if (unlikely(ncounts > __atomic_load_n(&most_counts, __ATOMIC_RELAXED)))
        __atomic_store_n(&most_counts, ncounts, __ATOMIC_RELAXED);
}

/* The outermost loop is the one that is shared out. */
static NOINLINE void told_loop(unsigned ncounts, uint64_t iterations, uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (t && ncounts)
        work_begin(t, WORK_LOOP, iterations, codeptr);
}

#define START(name, parameters, ...)                                                     \
    bool name parameters                                                                 \
    {                                                                                    \
        ROUTE_CALL;                                                                      \
        count(ncounts);                                                                  \
        if (event_wanted(EVENT_BIT(work)))                                               \
            told_loop(ncounts, (uint64_t)counts[0], HERE.codeptr);                       \
        return real->name(ncounts, counts, __VA_ARGS__);                                 \
    }

typedef unsigned long long ull;
START(GOMP_loop_doacross_static_start,
      (unsigned ncounts, long *counts, long chunk, long *start, long *end), chunk, start,
      end)
START(GOMP_loop_doacross_dynamic_start,
      (unsigned ncounts, long *counts, long chunk, long *start, long *end), chunk, start,
      end)
START(GOMP_loop_doacross_guided_start,
      (unsigned ncounts, long *counts, long chunk, long *start, long *end), chunk, start,
      end)
START(GOMP_loop_doacross_runtime_start,
      (unsigned ncounts, long *counts, long *start, long *end), start, end)
START(GOMP_loop_doacross_start,
      (unsigned ncounts, long *counts, long sched, long chunk, long *start, long *end,
       uintptr_t *reductions, void **mem),
      sched, chunk, start, end, reductions, mem)
START(GOMP_loop_ull_doacross_static_start,
      (unsigned ncounts, ull *counts, ull chunk, ull *start, ull *end), chunk, start, end)
START(GOMP_loop_ull_doacross_dynamic_start,
      (unsigned ncounts, ull *counts, ull chunk, ull *start, ull *end), chunk, start, end)
START(GOMP_loop_ull_doacross_guided_start,
      (unsigned ncounts, ull *counts, ull chunk, ull *start, ull *end), chunk, start, end)
START(GOMP_loop_ull_doacross_runtime_start,
      (unsigned ncounts, ull *counts, ull *start, ull *end), start, end)
START(GOMP_loop_ull_doacross_start,
      (unsigned ncounts, ull *counts, long sched, ull chunk, ull *start, ull *end,
       uintptr_t *reductions, void **mem),
      sched, chunk, start, end, reductions, mem)

#define FEW 8
#define MANY 64
#define UP_TO_8(a) a[1], a[2], a[3], a[4], a[5], a[6], a[7]
#define EIGHT(a, n)                                                                      \
    a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5], a[n + 6], a[n + 7]
#define UP_TO_64(a)                                                                      \
    UP_TO_8(a), EIGHT(a, 8), EIGHT(a, 16), EIGHT(a, 24), EIGHT(a, 32), EIGHT(a, 40),     \
        EIGHT(a, 48), EIGHT(a, 56)

/* Of several loops the outermost one's iteration is recorded. */
static inline void doacross_wait_begin(struct wait *w, struct thread *t, uint64_t first,
                                       struct place place)
{
    t->rec->awaited = first + 1;
    wait_begin(w, t, STATE_WAIT_ORDERED, region_wait_id(t), place);
}

static inline void doacross_wait_end(const struct wait *w, struct thread *t)
{
    wait_end(w, t);
    t->rec->awaited = 0;
}

/* Arguments beyond those that the program passed are whatever stands in their place. The
 * bound of `argument` keeps a loop of more than 64 dimensions, of which no compiler is
 * known, from more than a wrong wait. */
#define WAIT(name, type)                                                                 \
    static NOINLINE void many_##name(const struct runtime *real, type first,             \
                                     va_list list)                                       \
    {                                                                                    \
        type argument[MANY] = {first};                                                   \
        unsigned n = most_counts < MANY ? most_counts : MANY;                            \
        for (unsigned i = 1; i < n; i++)                                                 \
            argument[i] = va_arg(list, type);                                            \
        real->name(first, UP_TO_64(argument));                                           \
    }                                                                                    \
                                                                                         \
    void name(type first, ...)                                                           \
    {                                                                                    \
        ROUTE_CALL;                                                                      \
        va_list list;                                                                    \
        struct thread *t = hooks_off() ? NULL : tracked_thread(real);                    \
        struct wait w = {0};                                                             \
        if (t)                                                                           \
            doacross_wait_begin(&w, t, (uint64_t)first, HERE);                           \
        va_start(list, first);                                                           \
        if (likely(most_counts <= FEW)) {                                                \
            type argument[FEW] = {first};                                                \
            for (unsigned i = 1; i < FEW; i++)                                           \
                argument[i] = i < most_counts ? va_arg(list, type) : 0;                  \
            real->name(first, UP_TO_8(argument));                                        \
        } else {                                                                         \
            many_##name(real, first, list);                                              \
        }                                                                                \
        va_end(list);                                                                    \
        if (t)                                                                           \
            doacross_wait_end(&w, t);                                                    \
    }

WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, ull)
