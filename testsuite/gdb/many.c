/* SPDX-License-Identifier: MIT
 *
 * One region of as many threads as the argument says; the last one stops at `here` when all
 * others are on their way into the barrier, and at `end` when they are at the region's end. Many
 * locks were used before, and none is held.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int arrived;
static int hits;
static struct {
    omp_lock_t lock;
    char rest[4096 - sizeof(omp_lock_t)];
} used[2000];

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    for (int i = 0; i < (int)(sizeof(used) / sizeof(*used)); i++) {
        omp_init_lock(&used[i].lock);
        omp_set_lock(&used[i].lock);
        omp_unset_lock(&used[i].lock);
    }
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
