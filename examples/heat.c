/* SPDX-License-Identifier: MIT
 *
 * Heat in a rod. In every run its four threads come to the same moment, in relax(): one works
 * in a critical section, one has a lock and waits for the section, one waits for the lock, and
 * one waits for them all at a barrier.
 *
 *   ./heat       runs to its end
 *   ./heat die   dies at that moment
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 400 };

static double rod[CELLS], total;
static omp_lock_t rod_lock;
static atomic_int arrived;
static int dies;

/* The threads arrive in order, so that every run is the same. */
static void wait_for(int others)
{
    while (arrived < others)
        usleep(1000);
}

static double relax(int cell)
{
    double flow = (rod[cell - 1] + rod[cell + 1]) / 2 - rod[cell];
    arrived++;
    wait_for(2);
    usleep(200000); /* by now the others are asleep */
    if (dies)
        abort();
    return flow;
}

static void add(double flow)
{
#pragma omp critical(update)
    total += flow;
}

static void store(int cell, double heat)
{
    omp_set_lock(&rod_lock);
    arrived++;
    rod[cell] += heat;
    add(heat);
    omp_unset_lock(&rod_lock);
}

static void compute(void)
{
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < CELLS; i++)
            rod[i] = i % 10;
        if (me == 1) {
#pragma omp critical(update)
            total += relax(7);
        } else if (me > 1) {
            wait_for(me - 1);
            store(me, 0.5);
        }
#pragma omp barrier
        if (me == 0)
            printf("%.1f\n", total);
    }
}

int main(int argc, char **argv)
{
    dies = argc > 1 && strcmp(argv[1], "die") == 0;
    omp_init_lock(&rod_lock);
    compute();
    omp_destroy_lock(&rod_lock);
    return 0;
}
