/* SPDX-License-Identifier: MIT
 *
 * A task whose code begins, with -O2, with that of a function from above it.
 */
#include <stdlib.h>
#include <unistd.h>

static void check(const int *of)
{
    if (*of != 2)
        abort();
}

int main(void)
{
    int a = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : a) shared(a)
        {
            usleep(1000);
            a = 1;
        }
#pragma omp task depend(inout : a) shared(a) /* mark: task */
        check(&a);
    }
    return a;
}
