/* SPDX-License-Identifier: MIT
 *
 * What regions, tasks, discarded tasks and threads leave behind is bounded: ten times as
 * many of them need no more memory. Run with OMP_CANCELLATION=true.
 */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#include "check.h"

static long resident_kb(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &ignored, &pages) != 2)
        check_failed(__LINE__, "a readable statm");
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void *one_region(void *data)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        __asm__ volatile("");
    }
    return data;
}

static void work(int amount)
{
    for (int i = 0; i < amount; i++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp single
            for (int k = 0; k < 100; k++)
#pragma omp task
                __asm__ volatile("");
#pragma omp single
#pragma omp taskgroup
            {
                int gate;
#pragma omp task depend(out : gate)
                {
#pragma omp cancel taskgroup
                }
                for (int k = 0; k < 50; k++)
#pragma omp task depend(in : gate)
                    __asm__ volatile("");
            }
        }
        pthread_t thread;
        CHECK(!pthread_create(&thread, NULL, one_region, NULL));
        pthread_join(thread, NULL);
#pragma omp parallel num_threads(1 + i % 5)
        __asm__ volatile("");
    }
}

int main(void)
{
    work(60);
    long before = resident_kb();
    work(600);
    long grown = resident_kb() - before;
    if (grown >= 1024)
        printf("grown by %ld KB\n", grown);
    CHECK(grown < 1024);
    return check_result("memory");
}
