/* SPDX-License-Identifier: MIT
 *
 * Regions three deep: `deep` is reached by one thread when all others have arrived at the
 * innermost barrier they have. `idle` is in serial code afterwards, with idle workers.
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int arrived;
static int hits;

static void relax(int outer)
{
#pragma omp parallel num_threads(2) if (outer != 0) /* mark: inner */
    {
        int me = omp_get_thread_num();
        arrived++;
        if (outer == 2 && me == 1) {
            while (arrived < 5)
                usleep(1000);
            usleep(50000);
            hits++; /* mark: deep */
        }
#pragma omp barrier
        ;
    }
}

int main(void)
{
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(3) /* mark: outer */
    relax(omp_get_thread_num());
    usleep(50000);
    hits++; /* mark: idle */
    return 0;
}
