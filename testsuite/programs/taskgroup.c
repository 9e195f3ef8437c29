/* SPDX-License-Identifier: MIT
 *
 * taskgroup waits for all descendants, nested or not; task_reduction through several
 * levels of tasks.
 */
#include <omp.h>
#include "check.h"

enum { THREADS = 3, ROUNDS = 50 };

static void grow(int height, int *leaves)
{
    if (height == 0) {
        __atomic_add_fetch(leaves, 1, __ATOMIC_RELAXED);
        return;
    }
    for (int i = 0; i < 2; i++)
#pragma omp task firstprivate(height, leaves)
        grow(height - 1, leaves);
}

static void descendants(void)
{
    int leaves = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(leaves)
        grow(5, &leaves);
#pragma omp taskgroup
        {
            int inner = 0;
#pragma omp taskgroup
            grow(3, &inner);
            CHECK(inner == 8);
        }
    }
    CHECK(leaves == 32);
}

static long sum_up(int n)
{
    long sum = 0, array[4] = {0, 0, 0, 0};
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(+ : array)
    for (int i = 0; i < n; i++)
#pragma omp task in_reduction(+ : sum, array)
    {
        sum += i;
        array[i % 4] += 1;
#pragma omp task in_reduction(+ : sum)
        sum += 1000;
#pragma omp taskwait
    }
    CHECK(array[0] + array[1] + array[2] + array[3] == n);
    return sum;
}

int main(void)
{
    descendants();
    long total = 0;
#pragma omp parallel num_threads(THREADS)
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp single
        descendants();
#pragma omp single
        total += sum_up(20);
#pragma omp taskgroup
        {
#pragma omp task
            omp_get_thread_num();
        }
    }
    CHECK(total == ROUNDS * 20190L);
    /* Last: the team that libgomp makes for a reduction outside of regions stays, and with it
     * the end of a region frees the team's memory before each worker has read its last word
     * there, so that a late one crashes (MALLOC_PERTURB_ shows it without hooks, too). */
    CHECK(sum_up(10) == 10045);
    printf("total %ld\n", total);
    return check_result("taskgroup");
}
