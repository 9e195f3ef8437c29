/* SPDX-License-Identifier: MIT
 *
 * Stops at which tasks, regions and waits exist already; two threads, one of which goes there.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include "../common/rest.h"

static atomic_int total, begun, go;

static void tasks(void)
{
#pragma omp task /* mark: first */
    {
        begun = 1;
        while (!go)
            usleep(1000);
    }
    while (!begun)
        usleep(1000);
    for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i) /* mark: task */
        total += i;
    }
    total++; /* mark: created */
    go = 1;
#pragma omp taskwait /* mark: taskwait */
    total++;
}

static void untied(void)
{
    begun = go = 0; /* mark: next */
#pragma omp task
    {
        begun = 1;
        while (!go)
            usleep(1000);
    }
    while (!begun)
        usleep(1000);
#pragma omp task untied /* mark: untied */
    {
        total++;
#pragma omp taskyield
        total++;
    }
    total++; /* mark: parted */
    go = 1;
#pragma omp taskwait
}

__attribute__((noinline)) static void region(void)
{
#pragma omp parallel num_threads(2) /* mark: region */
    {
        if (omp_get_thread_num() == 0)
            tasks();
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            untied();
#pragma omp barrier
        total++;
        if (omp_get_thread_num() == 0) {
            until_others_rest();
            total++; /* mark: alone */
        }
        total++;
#pragma omp barrier /* mark: barrier */
        total++;
#pragma omp single /* mark: single */
        {
            until_others_rest();
            total++; /* mark: in_single */
        }
        total++;
    }
}

int main(void)
{
    region(); /* mark: main */
    printf("%d\n", total);
    fflush(stdout);
    return 0;
}
