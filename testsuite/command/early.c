/* SPDX-License-Identifier: MIT
 *
 * With LIBRARY a library that uses the OpenMP runtime in its constructor, as libomptarget 17 does; without,
 * a program with that library.
 */
#include <omp.h>
#include <stdio.h>

#ifdef LIBRARY
int early;

__attribute__((constructor)) static void at_start(void)
{
    early = omp_get_max_threads();
}
#else
extern int early;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp critical
    early++;
    puts("end");
    fflush(stdout);
    getchar();
    return 0;
}
#endif
