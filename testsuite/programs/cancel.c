/* SPDX-License-Identifier: MIT
 *
 * Cancellation of parallel, for, sections and taskgroup, through constructs, cancellation
 * points and barriers. Run with OMP_CANCELLATION true and false; what was discarded must
 * stay so, and nothing may be when it is false.
 */
#include <omp.h>
#include "check.h"

enum { THREADS = 3, N = 300 };

static int on;

static void cancel_parallel(void)
{
    int before = 0, after = 0, past_barrier = 0;
#pragma omp parallel num_threads(THREADS)
    {
        __atomic_add_fetch(&before, 1, __ATOMIC_RELAXED);
        if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
            __atomic_add_fetch(&after, 1, __ATOMIC_RELAXED);
        }
#pragma omp barrier
        __atomic_add_fetch(&past_barrier, 1, __ATOMIC_RELAXED);
#pragma omp cancellation point parallel
    }
    CHECK(before == THREADS);
    CHECK(after == !on);
    CHECK(past_barrier == (on ? 0 : THREADS));
}

/* Loops and sections of a region that may be cancelled end by other entry points. */
static void cancel_at_ends(int what)
{
    int past = 0;
#pragma omp parallel num_threads(THREADS)
    {
        if (what < 0) {
#pragma omp cancel parallel
        }
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < N; i++)
            if (what == 0) {
#pragma omp cancel for
            }
        __atomic_add_fetch(&past, 1, __ATOMIC_RELAXED);
#pragma omp sections
        {
            __atomic_add_fetch(&past, 0, __ATOMIC_RELAXED);
#pragma omp section
            if (what == 1) {
#pragma omp cancel sections
            }
        }
        __atomic_add_fetch(&past, 1, __ATOMIC_RELAXED);
    }
    CHECK(past == (on && what < 0 ? 0 : 2 * THREADS));
}

/* The thread that cancels stands at its last iteration when it does not go on. */
static void cancel_for(void)
{
    int ran = 0, after = 0, reached_end = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < N; i++) {
            __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
            if (i == 5) {
#pragma omp cancel for
                __atomic_add_fetch(&after, 1, __ATOMIC_RELAXED);
            }
#pragma omp cancellation point for
        }
        __atomic_add_fetch(&reached_end, 1, __ATOMIC_RELAXED);
    }
    CHECK(reached_end == THREADS);
    CHECK(after == !on);
    CHECK(on ? ran >= 1 && ran <= N : ran == N);

    ran = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp for
    for (int i = 0; i < N; i++) {
        __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
#pragma omp cancel for if (i >= 0)
    }
    CHECK(on ? ran >= 1 && ran <= THREADS : ran == N);

    ran = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp for schedule(guided)
    for (unsigned long long i = 0; i < N; i++) {
        __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
#pragma omp cancel for
    }
    CHECK(on ? ran >= 1 && ran <= THREADS : ran == N);
}

static void cancel_sections(void)
{
    int ran = 0, reached_end = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp sections
        {
            ran++;
#pragma omp section
            {
                ran++;
#pragma omp cancel sections
                ran++;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
                ran++;
            }
        }
        reached_end++;
    }
    CHECK(reached_end == 1);
    CHECK(ran == (on ? 2 : 4));

    ran = 0;
#pragma omp parallel num_threads(2)
#pragma omp sections
    {
#pragma omp section
        {
            __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
#pragma omp cancel sections
        }
#pragma omp section
        {
            __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
#pragma omp cancel sections
        }
    }
    CHECK(on ? ran >= 1 && ran <= 2 : ran == 2);
}

/* None of the dependent tasks can have begun when the group is cancelled. */
static void cancel_taskgroup(void)
{
    int began = 0, gate = 0, self_after = 0, point = 0, later = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task depend(out : gate) shared(self_after, gate)
            {
                gate = 1;
#pragma omp cancel taskgroup
                self_after = 1;
            }
            for (int i = 0; i < 50; i++)
#pragma omp task depend(in : gate) shared(began, gate) firstprivate(i)
            {
                CHECK(i < 50);
                __atomic_add_fetch(&began, 1, __ATOMIC_RELAXED);
            }
#pragma omp task depend(in : gate) shared(point, gate)
            {
#pragma omp cancellation point taskgroup
                point = 1;
            }
        }
#pragma omp task shared(later)
        later = 1;
#pragma omp taskwait
    }
    CHECK(self_after == !on);
    CHECK(began == (on ? 0 : 50));
    CHECK(point == !on);
    CHECK(later == 1);
}

static void cancel_taskloop(void)
{
    int ran = 0;
#pragma omp parallel num_threads(1)
#pragma omp taskloop num_tasks(10) shared(ran)
    for (int i = 0; i < 10; i++) {
        ran++;
#pragma omp cancel taskgroup
    }
    CHECK(on ? ran >= 1 && ran <= 10 : ran == 10);
}

int main(void)
{
    on = omp_get_cancellation();
    for (int round = 0; round < 50; round++) {
        cancel_parallel();
        cancel_for();
        for (int what = -1; what <= 1; what++)
            cancel_at_ends(what);
        cancel_sections();
        cancel_taskgroup();
        cancel_taskloop();
    }
    /* What comes after a cancelled region is a whole one. */
    int n = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : n)
    {
#pragma omp barrier
        n++;
    }
    CHECK(n == THREADS);
    printf("cancellation %s\n", on ? "on" : "off");
    return check_result("cancel");
}
