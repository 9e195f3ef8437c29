/* SPDX-License-Identifier: MIT
 *
 * Teams far larger than the machine: 64 and 256 threads, then small ones again.
 */
#include <omp.h>
#include "check.h"

static void team(int size)
{
    int members = 0, tasks = 0;
    long numbers = 0;
#pragma omp parallel num_threads(size) reduction(+ : members, numbers)
    {
        members++;
        numbers += omp_get_thread_num();
#pragma omp barrier
#pragma omp critical
        tasks += 0;
#pragma omp task shared(tasks)
        __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < size; i++)
            CHECK(omp_get_num_threads() == size);
    }
    CHECK(members == size && tasks == size);
    CHECK(numbers == size * (size - 1L) / 2);
}

int main(void)
{
    team(64);
    team(2);
    team(256);
    team(64);
    team(1);
    omp_set_max_active_levels(2);
    int inner = 0;
#pragma omp parallel num_threads(8)
#pragma omp parallel num_threads(8) shared(inner)
    __atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
    CHECK(inner == 64);
    return check_result("many_threads");
}
