/* SPDX-License-Identifier: MIT
 *
 * Doacross loops: `ordered(n)` with `depend(sink: …)`. The wait has n variable arguments,
 * but n is an argument of the loop's start only. As many as the largest n so far are
 * forwarded; the runtime ignores the rest.
 */
#include "state/work.h"

#include <stdarg.h>

/* Updated in all modes: recording may start inside a loop. */
static unsigned most_counts = 1;

static inline void count(unsigned ncounts)
{
    if (unlikely(ncounts > __atomic_load_n(&most_counts, __ATOMIC_RELAXED)))
        __atomic_store_n(&most_counts, ncounts, __ATOMIC_RELAXED);
}

/* Only the outermost loop is workshared. */
static NOINLINE void notify_loop(unsigned ncounts, uint64_t iterations, uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (t && ncounts)
        work_begin(t, WORK_LOOP, iterations, codeptr);
}

#define START(name, parameters, ...)                                                               \
    bool name parameters                                                                           \
    {                                                                                              \
        ROUTE_CALL;                                                                                \
        count(ncounts);                                                                            \
        if (event_wanted(EVENT_BIT(work)))                                                         \
            notify_loop(ncounts, (uint64_t)counts[0], HERE.codeptr);                               \
        return real->name(ncounts, counts, __VA_ARGS__);                                           \
    }

#define STARTS(prefix, type)                                                                       \
    START(prefix##_static_start,                                                                   \
          (unsigned ncounts, type *counts, type chunk, type *start, type *end), chunk, start, end) \
    START(prefix##_dynamic_start,                                                                  \
          (unsigned ncounts, type *counts, type chunk, type *start, type *end), chunk, start, end) \
    START(prefix##_guided_start,                                                                   \
          (unsigned ncounts, type *counts, type chunk, type *start, type *end), chunk, start, end) \
    START(prefix##_runtime_start, (unsigned ncounts, type *counts, type *start, type *end), start, \
          end)                                                                                     \
    START(prefix##_start,                                                                          \
          (unsigned ncounts, type *counts, long sched, type chunk, type *start, type *end,         \
           uintptr_t *reductions, void **mem),                                                     \
          sched, chunk, start, end, reductions, mem)

typedef unsigned long long ull;
STARTS(GOMP_loop_doacross, long)
STARTS(GOMP_loop_ull_doacross, ull)

#define FEW 8
#define MANY 64
#define UP_TO_8(a) a[1], a[2], a[3], a[4], a[5], a[6], a[7]
#define EIGHT(a, n) a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5], a[n + 6], a[n + 7]
#define UP_TO_64(a)                                                                                \
    UP_TO_8(a), EIGHT(a, 8), EIGHT(a, 16), EIGHT(a, 24), EIGHT(a, 32), EIGHT(a, 40), EIGHT(a, 48), \
        EIGHT(a, 56)

/* Of the awaited iteration, the outermost loop's number is recorded. */
static inline void doacross_wait_begin(struct wait *w, struct thread *t, uint64_t first,
                                       struct place place)
{
    t->rec->awaited = first + 1;
    t->ordered_region = STATUS_REGION(t->rec->status);
    wait_begin(w, t, STATE_WAIT_ORDERED, region_wait_id(t), clock_now(), place);
}

static inline void doacross_wait_end(const struct wait *w, struct thread *t)
{
    wait_end(w, t);
    t->rec->awaited = 0;
}

/* Surplus arguments are read as garbage, which the runtime ignores. In a loop of more
 * than MANY dimensions, which no compiler is known to emit, the wait is for the wrong
 * iteration. */
#define WAIT(name, type)                                                                           \
    static NOINLINE void ompd_hooks_##name(const struct runtime *real, type first, va_list list)   \
    {                                                                                              \
        type argument[MANY] = {first};                                                             \
        unsigned n = most_counts < MANY ? most_counts : MANY;                                      \
        for (unsigned i = 1; i < n; i++)                                                           \
            argument[i] = va_arg(list, type);                                                      \
        real->name(first, UP_TO_64(argument));                                                     \
    }                                                                                              \
                                                                                                   \
    void name(type first, ...)                                                                     \
    {                                                                                              \
        ROUTE_CALL;                                                                                \
        va_list list;                                                                              \
        struct thread *t = hooks_off() ? NULL : tracked_thread(real);                              \
        struct wait w = {0};                                                                       \
        if (t)                                                                                     \
            doacross_wait_begin(&w, t, (uint64_t)first, HERE);                                     \
        va_start(list, first);                                                                     \
        if (likely(most_counts <= FEW)) {                                                          \
            type argument[FEW] = {first};                                                          \
            for (unsigned i = 1; i < FEW; i++)                                                     \
                argument[i] = i < most_counts ? va_arg(list, type) : 0;                            \
            real->name(first, UP_TO_8(argument));                                                  \
        } else {                                                                                   \
            ompd_hooks_##name(real, first, list);                                                  \
        }                                                                                          \
        va_end(list);                                                                              \
        if (t)                                                                                     \
            doacross_wait_end(&w, t);                                                              \
    }

WAIT(GOMP_doacross_wait, long)
WAIT(GOMP_doacross_ull_wait, ull)
