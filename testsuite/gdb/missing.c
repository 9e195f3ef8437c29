/* SPDX-License-Identifier: MIT
 *
 * A region that does not end: thread 2 of 4 stays in it, all others have left its body. With
 * "nested" each of two threads opens a region of two, and one thread stays in one of these.
 * With "task" all have left a region but for a task that one of them runs at its end. Says so
 * when all others sleep.
 */
#include <omp.h>

#include "sleepers.h"

static int numbers[4];

static void stay(int me)
{
    until_others_sleep();
    puts("stays");
    fflush(stdout);
    sleep(1000 + me);
}

static void inner(int outer)
{
#pragma omp parallel num_threads(2) /* mark: inner */
    {
        numbers[omp_get_thread_num()]++;
        if (outer == 1 && omp_get_thread_num() == 1)
            stay(outer);
    }
}

int main(int argc, char **argv)
{
    omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(2);
    if (argc > 1 && strcmp(argv[1], "task") == 0) {
#pragma omp parallel num_threads(2) /* mark: leaves */
        if (omp_get_thread_num() == 0) {
#pragma omp task /* mark: task */
            stay(1);
        }
    } else if (argc > 1) {
#pragma omp parallel num_threads(2) /* mark: outer */
        inner(omp_get_thread_num());
    }
#pragma omp parallel num_threads(4) /* mark: region */
    {
        numbers[omp_get_thread_num()]++;
        if (omp_get_thread_num() == 2)
            stay(2);
    }
    return numbers[0] == 0 || argv[0] == 0;
}
