/* SPDX-License-Identifier: MIT
 *
 * What check-tools.sh traces: a region of four threads, each with a part of a loop, a critical
 * section, a lock and a barrier; one creates twenty tasks.
 */
#include <omp.h>
#include <stdio.h>

enum { THREADS = 4, TASKS = 20 };

int main(void)
{
    int sum = 0, tasks = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 100; i++) {
#pragma omp atomic
            sum += i;
        }
#pragma omp critical
        sum++;
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
#pragma omp atomic
            tasks++;
        }
#pragma omp taskwait
    }
    omp_destroy_lock(&lock);
    printf("%d %d\n", sum, tasks);
    return 0;
}
