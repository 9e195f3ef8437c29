/* SPDX-License-Identifier: MIT
 *
 * Everything that threads of LLVM's runtime can be in at once, at rest: who runs it attaches
 * to it or takes a core.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

omp_lock_t grid_lock;
omp_nest_lock_t tree_lock;
static int first, then;
static atomic_int here;

static void work(void)
{
    for (;;)
        usleep(1000); /* mark: work */
}

static void nested(void)
{
#pragma omp parallel num_threads(2) /* mark: inner */
    if (omp_get_thread_num())
        work();
}

static void tasks(void)
{
#pragma omp task depend(out : first) /* mark: running */
    work();
#pragma omp task depend(in : first) depend(out : then) /* mark: waiting */
    work();
#pragma omp task /* mark: ready */
    work();
#pragma omp taskwait
}

static void update(int how)
{
    if (how)
        usleep(200000);
#pragma omp critical(update) /* mark: critical */
    work();
}

int main(void)
{
    alarm(120);
    omp_set_max_active_levels(2);
    omp_init_lock(&grid_lock);
    omp_init_nest_lock(&tree_lock);
    omp_set_lock(&grid_lock);
    omp_set_nest_lock(&tree_lock);
#pragma omp parallel num_threads(8) /* mark: outer */
    switch (here++, omp_get_thread_num()) {
    case 0:
        while (here < 8)
            usleep(1000);
        tasks(); /* it may not be the only one that could run them */
        break;
    case 1:
        omp_set_lock(&grid_lock); /* mark: lock */
        break;
    case 2:
        nested();
        break;
    case 3:
    case 4:
        update(omp_get_thread_num() - 3);
        break;
    case 5:
        omp_set_nest_lock(&tree_lock); /* mark: nest */
        break;
    case 6:
#pragma omp parallel num_threads(1) /* mark: alone */
#pragma omp parallel if (first < 0)
        work();
        break;
    default:
        work();
    }
}
