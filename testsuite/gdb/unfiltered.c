/* SPDX-License-Identifier: MIT
 *
 * Comes to `here` in the body of each construct that the runtime calls, and once while
 * the other thread waits at a barrier.
 */
#include <omp.h>
#include <stdatomic.h>

#include "../common/rest.h"

static atomic_int passed;

static void here(void) /* mark: here */
{
    passed++;
}

/* On the worker; the primary thread stays in its body meanwhile. */
static void on_worker(void (*body)(void))
{
    atomic_int done = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        body();
        done = 1;
    } else {
        while (!done)
            usleep(1000);
    }
}

static void nested(void)
{
#pragma omp parallel num_threads(1)
    here();
}

static void reduced(void)
{
    int sum = 0;
#pragma omp parallel num_threads(1) reduction(task, + : sum)
    {
        sum++;
        here();
    }
}

static void looped(void)
{
#pragma omp parallel for num_threads(1) schedule(dynamic)
    for (int i = 0; i < 1; i++)
        here();
}

static void tasks(void)
{
#pragma omp parallel num_threads(1)
    {
#pragma omp task if (0)
        here();
#pragma omp task
        here();
#pragma omp taskwait
#pragma omp taskloop num_tasks(1)
        for (int i = 0; i < 1; i++)
            here();
    }
}

static void league(void)
{
#pragma omp teams num_teams(1)
#pragma omp parallel num_threads(1)
    here();
}

static void barrier(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            until_others_rest();
            here();
        }
#pragma omp barrier
    }
}

int main(void)
{
    on_worker(here);
    on_worker(nested);
    reduced();
    looped();
    tasks();
    league();
    barrier();
    return passed != 9;
}
