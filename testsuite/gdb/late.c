/* SPDX-License-Identifier: MIT
 *
 * Turns tracking on inside a region, then opens another one.
 */
#include <omp.h>
#include <unistd.h>

void omp_ompd_enable(void) __attribute__((weak));
static int hits;

static void work(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            if (omp_ompd_enable != 0)
                omp_ompd_enable();
            hits++; /* mark: enabled */
        }
#pragma omp barrier
        ;
    }
}

int main(void)
{
    work();
    work();
    return 0;
}
