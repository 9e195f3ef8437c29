/* SPDX-License-Identifier: MIT
 *
 * What plugin.c loads: a region with the usual constructs.
 */
#include <omp.h>

int plugin_work(int size);

int plugin_work(int size)
{
    int members = 0, tasks = 0, holders = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(size) reduction(+ : members)
    {
        members++;
#pragma omp barrier
#pragma omp task shared(tasks)
        {
#pragma omp critical
            tasks++;
        }
#pragma omp taskwait
        omp_set_lock(&lock);
        holders += 10 - 1;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return members + tasks + holders;
}
