/* SPDX-License-Identifier: MIT
 *
 * For a build without symbols: of a team of four, members 1 and 2 are in one function, at two
 * calls, member 3 is at the end of the region, and member 0 ends the program.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int arrived;
static volatile int hits;

__attribute__((noinline)) static void hold(int number)
{
    arrived++;
    while (number == 1)
        usleep(1000);
    while (number == 2)
        usleep(2000);
    hits++;
}

__attribute__((noinline)) void opening(int threads)
{
#pragma omp parallel num_threads(threads)
    {
        int number = omp_get_thread_num();
        if (number == 1 || number == 2)
            hold(number);
        while (number == 0 && arrived < 2)
            usleep(1000);
        if (number == 0) {
            until_others_rest();
            abort();
        }
        hits++;
    }
    hits++;
}

__attribute__((noinline)) static void inner(void)
{
    opening(4);
    hits++;
}

int main(void)
{
    inner();
    return hits;
}
