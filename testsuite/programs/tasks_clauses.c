/* SPDX-License-Identifier: MIT
 *
 * Tasks with if, final, mergeable, untied and priority, with and without captured data,
 * in and outside of regions, and what the runtime says inside them.
 */
#include <omp.h>
#include "check.h"

enum { THREADS = 3, N = 50 };

static int global;

static void bump(void)
{
    __atomic_add_fetch(&global, 1, __ATOMIC_RELAXED);
}

static void no_data(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task
        bump();
    CHECK(global == N);
    global = 0;
}

static void undeferred(void)
{
    int before = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < N; i++) {
#pragma omp task if (0) shared(before)
            {
                CHECK(omp_get_thread_num() == me);
                CHECK(!omp_in_final());
                before = i + 1;
            }
            CHECK(before == i + 1);
#pragma omp task if (0) mergeable
            bump();
        }
    }
    CHECK(global == N);
    global = 0;
}

static void final_tasks(void)
{
    int inner = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task final(i % 2 == 0) shared(inner) mergeable
    {
        CHECK(omp_in_final() == (i % 2 == 0));
        int step = 0;
        for (int k = 0; k < 3; k++) {
#pragma omp task shared(inner, step)
            {
                __atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
                __atomic_add_fetch(&step, 1, __ATOMIC_RELAXED);
            }
            if (omp_in_final())
                CHECK(step == k + 1);
        }
#pragma omp taskwait
        CHECK(step == 3);
    }
    CHECK(inner == 3 * N);
}

static void untied_and_priority(void)
{
    int order[N], at = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < N; i++)
#pragma omp task untied priority(i) shared(order, at)
    {
        int mine;
#pragma omp taskyield
#pragma omp atomic capture
        mine = at++;
        order[mine] = i;
    }
    int seen[N] = {0};
    for (int i = 0; i < N; i++)
        seen[order[i]]++;
    for (int i = 0; i < N; i++)
        CHECK(seen[i] == 1);
}

/* Outside a region every task is undeferred. */
static void outside(void)
{
    int value = 0;
#pragma omp task shared(value)
    {
        CHECK(!omp_in_parallel());
        value = 1;
#pragma omp task shared(value)
        value++;
#pragma omp taskwait
    }
    CHECK(value == 2);
#pragma omp taskyield
#pragma omp taskwait
#pragma omp task
    bump();
    CHECK(global == 1);
    global = 0;
}

/* A region inside a task, and tasks inside that. */
static void region_in_task(void)
{
    int total = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; i++)
#pragma omp task shared(total)
#pragma omp parallel num_threads(2) shared(total)
    {
        CHECK(omp_get_level() == 2);
#pragma omp task shared(total)
        __atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
    }
    CHECK(total == 8);
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        no_data();
        undeferred();
        final_tasks();
        untied_and_priority();
        outside();
    }
    region_in_task();
    return check_result("tasks_clauses");
}
