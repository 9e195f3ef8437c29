/* SPDX-License-Identifier: MIT
 *
 * taskloop over long and unsigned long long: grainsize and num_tasks, strict, nogroup,
 * reductions, undeferred with a million tasks, negative steps, large captured data.
 */
#include <limits.h>
#include <omp.h>
#include <string.h>
#include "check.h"

enum { N = 300 };

static int hits[N];

static void hit(long i)
{
    __atomic_add_fetch(&hits[i], 1, __ATOMIC_RELAXED);
}

static void expect_hits(int line)
{
    for (int i = 0; i < N; i++) {
        if (hits[i] != 1)
            check_failed(line, "each iteration once");
        hits[i] = 0;
    }
}

/* Unknown to the compiler, or it would count in long. */
static unsigned long long low = ULLONG_MAX - 1000;

#define PRAGMA(x) _Pragma(#x)
#define LOOP(clauses)                                                                  \
    do {                                                                               \
        PRAGMA(omp taskloop clauses)                                                   \
        for (long i = 0; i < N; i++)                                                   \
            hit(i);                                                                    \
        PRAGMA(omp taskwait)                                                           \
        expect_hits(__LINE__);                                                         \
        PRAGMA(omp taskloop clauses)                                                   \
        for (int i = N - 1; i >= 0; i--)                                               \
            hit(i);                                                                    \
        PRAGMA(omp taskwait)                                                           \
        expect_hits(__LINE__);                                                         \
        PRAGMA(omp taskloop clauses)                                                   \
        for (unsigned long long u = low; u < low + N; u++)                             \
            hit((long)(u - low));                                                      \
        PRAGMA(omp taskwait)                                                           \
        expect_hits(__LINE__);                                                         \
    } while (0)

static void forms(void)
{
    LOOP();
    LOOP(grainsize(7));
    LOOP(grainsize(strict : 7));
    LOOP(num_tasks(5));
    LOOP(num_tasks(strict : 7));
    LOOP(num_tasks(1000));
    LOOP(nogroup);
    LOOP(nogroup grainsize(3));
    LOOP(if (0));
    LOOP(if (0) num_tasks(20));
    LOOP(final(1) num_tasks(4));
    LOOP(untied priority(3) mergeable);
}

static void reductions(void)
{
    long sum = 0;
#pragma omp taskloop reduction(+ : sum) grainsize(10)
    for (int i = 0; i < N; i++)
        sum += i;
    CHECK(sum == N * (N - 1) / 2);

    long in = 0;
#pragma omp taskgroup task_reduction(+ : in)
    {
#pragma omp taskloop in_reduction(+ : in) num_tasks(4)
        for (unsigned long long u = low; u < low + N; u++)
            in += (long)(u - low);
    }
    CHECK(in == N * (N - 1) / 2);
    printf("reductions %ld %ld\n", sum, in);
}

static void million(void)
{
    long count = 0;
#pragma omp taskloop if (0) num_tasks(1000000) shared(count)
    for (int i = 0; i < 1000000; i++)
        count++;
    CHECK(count == 1000000);
    count = 0;
#pragma omp taskloop final(1) grainsize(1) shared(count)
    for (unsigned long long u = 1; u <= 100000; u++)
        count++;
    CHECK(count == 100000);
}

struct block {
    unsigned char byte[64 << 10];
};

static void large(void)
{
    struct block block;
    memset(&block, 3, sizeof(block));
    int sum = 0;
#pragma omp taskloop firstprivate(block) num_tasks(10) shared(sum)
    for (int i = 0; i < 10; i++)
        __atomic_add_fetch(&sum, block.byte[i] + block.byte[sizeof(block) - 1 - i],
                           __ATOMIC_RELAXED);
    CHECK(sum == 60);
}

static void last_value(void)
{
    int last = -1;
#pragma omp taskloop lastprivate(last) num_tasks(6)
    for (int i = 0; i < N; i++)
        last = i;
    CHECK(last == N - 1);
}

static void empty(int n)
{
#pragma omp taskloop
    for (int i = 0; i < n; i++)
        hit(i);
#pragma omp taskloop if (0)
    for (int i = 0; i < n; i++)
        hit(i);
}

static void everything(void)
{
    forms();
    reductions();
    million();
    large();
    last_value();
    empty(0);
}

int main(void)
{
    everything();
#pragma omp parallel num_threads(3)
#pragma omp single
    everything();
    return check_result("taskloop");
}
