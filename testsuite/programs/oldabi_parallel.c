/* SPDX-License-Identifier: MIT
 *
 * Regions opened the way binaries of GCC before 4.9 do: GOMP_parallel*_start, the body
 * called by hand on the master, GOMP_parallel_end.
 */
#include <omp.h>
#include "check.h"
#include "oldabi.h"

enum { N = 200 };

struct body {
    int threads, iterations, sections;
    bool (*next)(long *, long *);
};

static void count_threads(void *data)
{
    struct body *b = data;
    CHECK(omp_get_level() >= 1);
    __atomic_add_fetch(&b->threads, 1, __ATOMIC_RELAXED);
}

/* The loop's work share exists already: its first iterations come from the next call. */
static void share_loop(void *data)
{
    struct body *b = data;
    long from, to;
    while (b->next(&from, &to))
        __atomic_add_fetch(&b->iterations, (int)(to - from), __ATOMIC_RELAXED);
    GOMP_loop_end_nowait();
    count_threads(data);
}

static void share_sections(void *data)
{
    struct body *b = data;
    for (unsigned s = GOMP_sections_next(); s; s = GOMP_sections_next())
        __atomic_add_fetch(&b->sections, 1 << (4 * (s - 1)), __ATOMIC_RELAXED);
    GOMP_sections_end_nowait();
    count_threads(data);
}

static void nested_inside(void *data)
{
    struct body *b = data;
    struct body inner = {0};
    GOMP_parallel_start(count_threads, &inner, 2);
    CHECK(omp_get_level() == 2);
    count_threads(&inner);
    GOMP_parallel_end();
    CHECK(omp_get_level() == 1);
    CHECK(inner.threads == 2);
    count_threads(b);
}

static void many_things(void *data)
{
    struct body *b = data;
    GOMP_barrier();
    GOMP_critical_start();
    b->sections++;
    GOMP_critical_end();
    GOMP_barrier();
    CHECK(b->sections == 3);
    if (GOMP_single_start())
        b->iterations++;
    GOMP_barrier();
    CHECK(b->iterations == 1);
    GOMP_atomic_start();
    b->threads++;
    GOMP_atomic_end();
}

#define LOOP_REGION(kind, next_kind, ...)                                              \
    do {                                                                               \
        struct body b = {.next = GOMP_loop_##next_kind##_next};                        \
        GOMP_parallel_loop_##kind##_start(share_loop, &b, 3, 0, N, 1, ##__VA_ARGS__);  \
        share_loop(&b);                                                                \
        GOMP_parallel_end();                                                           \
        CHECK(b.iterations == N && b.threads == 3);                                    \
    } while (0)

#define NEW_LOOP_REGION(kind, next_kind, ...)                                          \
    do {                                                                               \
        struct body b = {.next = GOMP_loop_##next_kind##_next};                        \
        GOMP_parallel_loop_##kind(share_loop, &b, 3, 0, N, 1, ##__VA_ARGS__, 0);       \
        CHECK(b.iterations == N && b.threads == 3);                                    \
    } while (0)

int main(void)
{
    omp_set_max_active_levels(3);
    for (int round = 0; round < 100; round++) {
        struct body b = {0};
        GOMP_parallel_start(count_threads, &b, 3);
        CHECK(omp_get_level() == 1 && omp_get_num_threads() == 3);
        CHECK(omp_get_thread_num() == 0);
        count_threads(&b);
        GOMP_parallel_end();
        CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1);
        CHECK(b.threads == 3);

        struct body one = {0};
        GOMP_parallel_start(count_threads, &one, 1);
        count_threads(&one);
        GOMP_parallel_end();
        CHECK(one.threads == 1);

        struct body some = {0};
        GOMP_parallel_start(count_threads, &some, 0);
        count_threads(&some);
        GOMP_parallel_end();
        CHECK(some.threads == omp_get_max_threads());
    }

    LOOP_REGION(static, static, 0);
    LOOP_REGION(static, static, 9);
    LOOP_REGION(dynamic, dynamic, 7);
    LOOP_REGION(guided, guided, 2);
    LOOP_REGION(runtime, runtime);
    NEW_LOOP_REGION(static, static, 9);
    NEW_LOOP_REGION(dynamic, dynamic, 7);
    NEW_LOOP_REGION(guided, guided, 2);
    NEW_LOOP_REGION(nonmonotonic_dynamic, nonmonotonic_dynamic, 7);
    NEW_LOOP_REGION(nonmonotonic_guided, nonmonotonic_guided, 7);
    NEW_LOOP_REGION(runtime, runtime);
    NEW_LOOP_REGION(nonmonotonic_runtime, nonmonotonic_runtime);
    NEW_LOOP_REGION(maybe_nonmonotonic_runtime, maybe_nonmonotonic_runtime);

    struct body sections = {0};
    GOMP_parallel_sections_start(share_sections, &sections, 2, 3);
    share_sections(&sections);
    GOMP_parallel_end();
    CHECK(sections.sections == 0x111 && sections.threads == 2);

    struct body nested = {0};
    GOMP_parallel_start(nested_inside, &nested, 2);
    nested_inside(&nested);
    GOMP_parallel_end();
    CHECK(nested.threads == 2);

    struct body many = {0};
    GOMP_parallel_start(many_things, &many, 3);
    many_things(&many);
    GOMP_parallel_end();
    CHECK(many.threads == 3);
    return check_result("oldabi_parallel");
}
