/* SPDX-License-Identifier: MIT
 *
 * The work-sharing entry points called by hand, in and outside of a region: every
 * start/next pair for long and unsigned long long, and the three ends.
 */
#include <omp.h>
#include "check.h"
#include "oldabi.h"

enum { N = 120, THREADS = 3 };

static int total;

static void add(long count)
{
    __atomic_add_fetch(&total, (int)count, __ATOMIC_RELAXED);
}

/* The threads of the team (or the one thread outside) have shared N iterations. */
static void expect_all(void)
{
    GOMP_barrier();
    CHECK(total == N);
    GOMP_barrier();
    if (omp_get_thread_num() == 0)
        total = 0;
    GOMP_barrier();
}

#define SHARE(kind, ...)                                                               \
    do {                                                                               \
        long from, to;                                                                 \
        if (GOMP_loop_##kind##_start(0, N, 1, ##__VA_ARGS__, &from, &to))              \
            do                                                                         \
                add(to - from);                                                        \
            while (GOMP_loop_##kind##_next(&from, &to));                               \
        GOMP_loop_end();                                                               \
        expect_all();                                                                  \
        ull ufrom, uto;                                                                \
        if (GOMP_loop_ull_##kind##_start(true, 0, N, 1, ##__VA_ARGS__, &ufrom, &uto))  \
            do                                                                         \
                add((long)(uto - ufrom));                                              \
            while (GOMP_loop_ull_##kind##_next(&ufrom, &uto));                         \
        GOMP_loop_end_nowait();                                                        \
        expect_all();                                                                  \
    } while (0)

#define SHARE_ORDERED(kind, ...)                                                       \
    do {                                                                               \
        long from, to;                                                                 \
        if (GOMP_loop_ordered_##kind##_start(0, N, 1, ##__VA_ARGS__, &from, &to))      \
            do                                                                         \
                for (long i = from; i < to; i++) {                                     \
                    GOMP_ordered_start();                                              \
                    CHECK(total == i);                                                 \
                    total++;                                                           \
                    GOMP_ordered_end();                                                \
                }                                                                      \
            while (GOMP_loop_ordered_##kind##_next(&from, &to));                       \
        GOMP_loop_end();                                                               \
        expect_all();                                                                  \
        ull ufrom, uto;                                                                \
        if (GOMP_loop_ull_ordered_##kind##_start(true, 0, N, 1, ##__VA_ARGS__, &ufrom, \
                                                 &uto))                                \
            do                                                                         \
                for (ull i = ufrom; i < uto; i++) {                                    \
                    GOMP_ordered_start();                                              \
                    CHECK(total == (int)i);                                            \
                    total++;                                                           \
                    GOMP_ordered_end();                                                \
                }                                                                      \
            while (GOMP_loop_ull_ordered_##kind##_next(&ufrom, &uto));                 \
        GOMP_loop_end();                                                               \
        expect_all();                                                                  \
    } while (0)

static void share_everything(void)
{
    SHARE(static, 0);
    SHARE(static, 5);
    SHARE(dynamic, 4);
    SHARE(guided, 4);
    SHARE(runtime);
    SHARE(nonmonotonic_dynamic, 4);
    SHARE(nonmonotonic_guided, 4);
    SHARE(nonmonotonic_runtime);
    SHARE(maybe_nonmonotonic_runtime);
    SHARE_ORDERED(static, 0);
    SHARE_ORDERED(static, 3);
    SHARE_ORDERED(dynamic, 4);
    SHARE_ORDERED(guided, 4);
    SHARE_ORDERED(runtime);

    for (unsigned s = GOMP_sections_start(5); s; s = GOMP_sections_next())
        add(N / 5);
    GOMP_sections_end();
    expect_all();
    for (unsigned s = GOMP_sections_start(5); s; s = GOMP_sections_next())
        add(N / 5);
    GOMP_sections_end_nowait();
    expect_all();
}

int main(void)
{
    share_everything();
#pragma omp parallel num_threads(THREADS)
    share_everything();
    return check_result("oldabi_loops");
}
