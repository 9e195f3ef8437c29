/* SPDX-License-Identifier: MIT
 *
 * Two of three threads wait at a barrier: that at the end of a loop or
 * an explicit one, as the argument says. GCC and clang make the same call for each of these, and
 * with MERGED defined one call for both where they optimise.
 */
#include <omp.h>
#include <string.h>

#include "../common/rest.h"

static volatile int sum;

static void stay(int here)
{
    if (!here)
        return;
    until_others_rest();
    puts("asleep");
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
#pragma omp parallel num_threads(3)
    {
        if (strcmp(how, "for") == 0) {
#pragma omp for /* mark: for */
            for (int i = 0; i < 3; i++) {
                stay(i == 1);
                sum++;
            }
#ifndef MERGED
            sum++;
#endif
        } else {
            stay(omp_get_thread_num() == 1);
#pragma omp barrier /* mark: barrier */
#ifndef MERGED
            sum++;
#endif
        }
        sum++;
    }
    return 0;
}
