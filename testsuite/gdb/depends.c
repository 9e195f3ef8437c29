/* SPDX-License-Identifier: MIT
 *
 * Tasks of every state at `here`: one that is detached, one that runs, two that wait for
 * it, and one that waits in a taskwait for a child which its own thread runs.
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../common/rest.h"

#if defined __clang__ || __GNUC__ > 10 /* GCC 10 knows no such clause */
#define DETACH
#endif

static int left, right;
static int grid[4];
static atomic_int begun, go;
static int hits;
#ifdef DETACH
int detaches = 1;
#endif

static void work(int n)
{
    begun++;
    while (!go)
        usleep(1000);
    hits += n;
}

static void tick(void)
{
    hits++;
}

int main(void)
{
#ifdef DETACH
    omp_event_handle_t event;
#endif
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#ifdef DETACH
#pragma omp task detach(event) /* mark: detached */
        tick();
#endif
#pragma omp task depend(out : left, grid[1]) /* mark: first */
        work(1);
#pragma omp task depend(in : left) depend(out : right) /* mark: second */
        work(2);
#pragma omp task depend(in : right, grid[1]) /* mark: third */
        work(3);
#pragma omp task /* mark: outer */
        {
#pragma omp task /* mark: inner */
            work(4);
#pragma omp taskwait
        }
        while (begun < 2)
            usleep(1000);
        until_others_rest();
        hits++; /* mark: here */
        go = 1;
#ifdef DETACH
        omp_fulfill_event(event);
#endif
#pragma omp taskwait
    }
    return 0;
}
