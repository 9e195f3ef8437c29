/* SPDX-License-Identifier: MIT
 *
 * Untied tasks with points where they may be suspended: clang divides them into parts.
 */
#include <stdio.h>

static int done;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task untied firstprivate(i) /* mark: untied */
        {
#pragma omp atomic
            done += i;
#pragma omp task /* mark: tied */
            {
#pragma omp atomic
                done++;
            }
#pragma omp taskwait
#pragma omp atomic
            done += i;
#pragma omp taskyield
#pragma omp atomic
            done += i;
        }
    }
    printf("%d\n", done);
    return 0;
}
