/* SPDX-License-Identifier: MIT
 *
 * A little of everything that a program does with OpenMP, for programs that are about
 * something else: small_work(n) is true when n threads did it rightly.
 */
#ifndef ENVIRONMENTS_WORK_H
#define ENVIRONMENTS_WORK_H

#include <omp.h>

__attribute__((unused)) static int small_work(int threads)
{
    int members = 0, tasks = 0, sum = 0, guarded = 0, locked = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : members, sum)
    {
        members++;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp critical
        guarded++;
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task shared(tasks)
            __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp barrier
    }
    omp_destroy_lock(&lock);
    return members == threads && sum == 45 && guarded == threads && locked == threads &&
           tasks == 10;
}

#endif
