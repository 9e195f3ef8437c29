/* SPDX-License-Identifier: MIT
 *
 * A team of as many threads as the argument says, all in user code and asleep.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 8;
    alarm(600);
    omp_set_dynamic(0);
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
#pragma omp master
        {
            printf("%d\n", omp_get_num_threads());
            fflush(stdout);
        }
        for (;;)
            pause();
    }
}
