/* SPDX-License-Identifier: MIT
 *
 * Threads in the implicit barrier at the end of a region and at that of a loop, while one
 * is `late`.
 */
#include <omp.h>

#include "../common/rest.h"

static int hits;

int main(void)
{
#pragma omp parallel num_threads(3) /* mark: region */
    {
        if (omp_get_thread_num() == 1) {
            until_others_rest();
            hits++; /* mark: late */
        }
    }
#pragma omp parallel num_threads(3) /* mark: second */
    {
#pragma omp for /* mark: loop */
        for (int i = 0; i < 3; i++) {
            if (omp_get_thread_num() == 2) {
                until_others_rest();
                hits++; /* mark: in_loop */
            }
        } /* mark: loop_end */
    }
    return 0;
}
