/* SPDX-License-Identifier: MIT
 *
 * A region whose threads open regions of their own: `deep` is reached by one thread when
 * all are inside. `idle` is in serial code afterwards, with idle workers.
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int arrived, released;
static int hits;

static void relax(int outer)
{
#pragma omp parallel num_threads(2) if (outer != 0) /* mark: inner */
    {
        arrived++;
        if (outer == 2 && omp_get_thread_num() == 1) {
            while (arrived < 5)
                usleep(1000);
            hits++; /* mark: deep */
            released = 1;
        }
        while (!released)
            usleep(1000);
    }
}

static void tick(void)
{
    hits++;
}

int main(void)
{
    tick(); /* mark: call */
    omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(3) /* mark: outer */
    relax(omp_get_thread_num());
    until_others_rest();
    hits++; /* mark: idle */
    return 0;
}
