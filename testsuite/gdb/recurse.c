/* SPDX-License-Identifier: MIT
 *
 * One function is active at three levels of nested regions, in each thread with a variable
 * of its own that the region's body does not name. `deep` is reached when all eight are.
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int arrived, done;
static int hits;

static void descend(int level, int from)
{
    int unseen = 10 * from + level;
#pragma omp parallel num_threads(2)
    {
        int path = 2 * from + omp_get_thread_num();
        if (level < 3) {
            descend(level + 1, path);
        } else if (path == 15) {
            while (arrived < 7)
                usleep(1000);
            until_others_rest();
            hits++; /* mark: deep */
            done = 1;
        } else {
            arrived++;
            while (!done)
                usleep(1000);
        }
    }
    hits += unseen == 0;
}

int main(void)
{
    omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(3);
    descend(1, 1);
    return 0;
}
