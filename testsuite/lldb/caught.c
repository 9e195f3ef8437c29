/* SPDX-License-Identifier: MIT */
/* Each event that "ompd catch" knows, a number of times that catch.py counts. */

#include <omp.h>

static int sum;
static omp_lock_t lock;

static void add(int more)
{
    sum += more;
}

int main(void)
{
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3) /* mark: region */
    {
#pragma omp barrier
#pragma omp critical(both) /* mark: critical */
        add(1);
        omp_set_lock(&lock); /* mark: lock */
        add(2);
        omp_unset_lock(&lock);
#pragma omp for ordered
        for (int i = 0; i < 4; i++) {
#pragma omp ordered
            add(i);
        }
#pragma omp single
        {
#pragma omp task
            add(3); /* mark: task */
#pragma omp task if (0)
            add(4);
#pragma omp task untied
            {
                add(5);
#pragma omp taskyield
                add(6);
            }
#pragma omp taskwait
        }
        omp_get_level(); /* or the barrier is that of the region's end */
    }
    return sum != 0 ? 0 : 1;
}
