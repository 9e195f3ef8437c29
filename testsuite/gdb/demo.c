/* SPDX-License-Identifier: MIT
 *
 * The program of the demo: a team of four, caught at a moment when one thread works and
 * holds what two others want, while the fourth is through and waits for them all. With
 * HEAT_DIES in its environment it aborts at that moment.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

omp_lock_t grid_lock;
static double total;
static atomic_int held, on_their_way;

static void exchange(double share)
{
#pragma omp critical(update)
    total += share;
}

static void store(double share)
{
    omp_set_lock(&grid_lock);
    total += share;
    omp_unset_lock(&grid_lock);
}

static double relax(int row)
{
    double heat = 0;
    held = 1;
    while (on_their_way < 3)
        usleep(1000);
    usleep(200000); /* by now the others stand in their queues */
    for (int i = 1; i < 100; i++)
        heat += (double)row / i;
    if (getenv("HEAT_DIES") != NULL)
        abort();
    return heat; /* stop here */
}

static void compute(void)
{
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        while (me != 0 && !held)
            usleep(1000);
        on_their_way += me != 0;
        if (me == 0) {
            omp_set_lock(&grid_lock);
#pragma omp critical(update)
            total += relax(7);
            omp_unset_lock(&grid_lock);
        } else if (me == 1) {
            exchange(me);
        } else if (me == 2) {
            store(me);
        }
#pragma omp barrier
        if (me == 0)
            printf("%.2f\n", total);
    }
}

int main(void)
{
    omp_init_lock(&grid_lock);
    compute();
    return 0;
}
