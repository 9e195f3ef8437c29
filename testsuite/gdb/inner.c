/* SPDX-License-Identifier: MIT */
#include <omp.h>

#include "../common/rest.h"

static int count;

int main(void)
{
    int out = 42;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* mark: outer */
#pragma omp single
    {
        int middle = 7;
#pragma omp task
        {
            int inside = 9;
            count++;
#pragma omp parallel num_threads(2) /* mark: inner */
            if (omp_get_thread_num() == 1) {
                until_others_rest();
                count++; /* mark: here */
            }
            count += inside;
        }
#pragma omp taskwait /* mark: taskwait */
        count += middle;
    }
    return out == 0;
}
