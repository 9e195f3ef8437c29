/* SPDX-License-Identifier: MIT
 *
 * One region of as many threads as the argument says; the last one stops at `here` when all
 * others are on their way into the barrier, and at `end` when they are at the region's end.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int arrived;
static int hits;

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
#pragma omp parallel num_threads(n) /* mark: region */
    {
        arrived++;
        if (omp_get_thread_num() == n - 1) {
            while (arrived < n)
                usleep(1000);
            until_others_rest();
            hits++; /* mark: here */
        }
#pragma omp barrier /* mark: barrier */
        if (omp_get_thread_num() == n - 1) {
            until_others_rest();
            hits++; /* mark: end */
        }
    }
    return 0;
}
