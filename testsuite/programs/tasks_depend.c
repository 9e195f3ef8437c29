/* SPDX-License-Identifier: MIT
 *
 * Tasks ordered by depend clauses of every type, on scalars, array elements, iterators
 * and depend objects, and taskwait that waits for some of them.
 */
#include <omp.h>
#include "check.h"

enum { THREADS = 3, N = 60 };

/* A chain is as good as a sequence: each task sees what the one before left. */
static void chain(void)
{
    int value = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task depend(inout : value) firstprivate(i)
    {
        CHECK(value == i);
        value = i + 1;
    }
    CHECK(value == N);
}

static void diamond(void)
{
    int a = 0, b = 0, c = 0, d = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 1; i <= N; i++) {
#pragma omp task depend(out : a)
        a = i;
#pragma omp task depend(in : a) depend(out : b)
        b = a + 1;
#pragma omp task depend(in : a) depend(out : c)
        c = a + 2;
#pragma omp task depend(in : b, c) depend(inout : d)
        d += b + c - 2 * i;
    }
    CHECK(d == 3 * N);
    printf("diamond %d\n", d);
}

/* Many in one dimension, more dependences than fit in any small buffer. */
static void iterators(void)
{
    int cell[N] = {0}, sum = 0, exclusive = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < N; i++)
#pragma omp task depend(out : cell[i])
            cell[i] = i;
#pragma omp task depend(iterator(int k = 0 : N), in : cell[k])
        for (int i = 0; i < N; i++)
            sum += cell[i];
        for (int i = 0; i < N; i++)
#pragma omp task depend(mutexinoutset : exclusive)
            exclusive++;
    }
    CHECK(sum == N * (N - 1) / 2);
    CHECK(exclusive == N);
}

static void objects(void)
{
    int value = 0;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : value)
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task depend(depobj : object)
        value++;
#pragma omp depobj(object) destroy
    CHECK(value == N);
}

static void wait_for_some(void)
{
    int first = 0, other = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 1; i <= N; i++) {
#pragma omp task depend(out : first) shared(first)
        first = i;
#pragma omp task depend(out : other) shared(other)
        other = i;
#pragma omp taskwait depend(in : first)
        CHECK(first == i);
#pragma omp taskwait
        CHECK(other == i);
    }
}

/* What follows depends on it, and nobody waits (GCC 13). */
static void wait_later(void)
{
#if __GNUC__ >= 13
    int value = 0, seen = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 1; i <= N; i++) {
#pragma omp task depend(out : value) shared(value)
        value = i;
#pragma omp taskwait depend(inout : value) nowait
#pragma omp task depend(in : value) depend(inout : seen) shared(value, seen)
        seen += value == i;
    }
    CHECK(seen == N);
#endif
}

/* An undeferred task waits for what it depends on, in its encountering thread. */
static void undeferred(void)
{
    int value = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 1; i <= N; i++) {
#pragma omp task depend(out : value) shared(value)
        value = i;
#pragma omp task depend(in : value) if (0) shared(value)
        CHECK(value == i);
    }
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        chain();
        iterators();
        objects();
        wait_for_some();
        wait_later();
        undeferred();
    }
    diamond();

    int outside = 0;
#pragma omp task depend(inout : outside) shared(outside)
    outside = 1;
#pragma omp taskwait depend(in : outside)
    CHECK(outside == 1);
    return check_result("tasks_depend");
}
