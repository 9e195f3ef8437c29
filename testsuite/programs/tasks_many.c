/* SPDX-License-Identifier: MIT
 *
 * Thousands of tasks: recursion with taskwait, a deep chain of undeferred tasks, a flat
 * burst that is longer than any queue, tasks made by tasks after their parent has ended.
 */
#include <omp.h>
#include "check.h"

static int fib(int n)
{
    if (n < 2)
        return n;
    int a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

/* Undeferred, so each level stands on the stack of the one before. */
static int depth_now(int depth)
{
    int below = 0;
    if (depth == 0)
        return 0;
#pragma omp task if (0) shared(below)
    below = depth_now(depth - 1);
    return below + 1;
}

/* The outermost may be deferred; those inside a final task are not. */
static int depth_included(int depth)
{
    int below = 0;
    if (depth == 0)
        return 0;
#pragma omp task final(1) shared(below)
    below = depth_included(depth - 1);
    if (!omp_in_final()) {
#pragma omp taskwait
    }
    return below + 1;
}

static int depth_deferred(int depth)
{
    int below = 0;
    if (depth == 0)
        return 0;
#pragma omp task shared(below)
    below = depth_deferred(depth - 1);
#pragma omp taskwait
    return below + 1;
}

static int orphans;

static void plant(int height)
{
    __atomic_add_fetch(&orphans, 1, __ATOMIC_RELAXED);
    if (height == 0)
        return;
#pragma omp task
    plant(height - 1);
#pragma omp task
    plant(height - 1);
}

int main(void)
{
    int f = 0, now = 0, included = 0, deferred = 0, burst = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        f = fib(16);
        now = depth_now(3000);
        included = depth_included(3000);
        deferred = depth_deferred(1000);
    }
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 20000; i++)
#pragma omp task shared(burst)
        __atomic_add_fetch(&burst, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(3)
#pragma omp single
    plant(10);
    CHECK(f == 987 && now == 3000 && included == 3000 && deferred == 1000);
    CHECK(burst == 20000 && orphans == 2047);
    printf("%d %d %d %d\n", f, now, burst, orphans);
    return check_result("tasks_many");
}
