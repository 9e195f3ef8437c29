/* SPDX-License-Identifier: MIT
 *
 * Moments of which libgomp's memory and records tell different things. With "barriers" a
 * team of four hangs, one half at an explicit barrier and the other at the end of the
 * region; with "target" thread 1 of 2 executes a target region on the host. Else the first
 * threads of a team stop in its region before the others have begun.
 */
#include <omp.h>

#include "sleepers.h"

static volatile int sink;

static void hang(void)
{
#pragma omp parallel num_threads(4) /* mark: region */
    {
        if (omp_get_thread_num() < 2) {
#pragma omp barrier /* mark: barrier */
        }
        sink++;
    }
}

static void in_target(void)
{
#pragma omp parallel num_threads(2) /* mark: outer */
    {
        if (omp_get_thread_num() == 1) {
#pragma omp target
#pragma omp parallel num_threads(2) /* mark: inner */
            sleep(1000);
        } else {
            sleep(1000);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "barriers") == 0)
        hang();
    if (argc > 1 && strcmp(argv[1], "target") == 0)
        in_target();
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(8)
        sink += omp_get_thread_num(); /* mark: first */
    }
    return argv[0] == 0;
}
