/* SPDX-License-Identifier: MIT
 *
 * Two tasks for each number above the first two: nothing but tasks.
 */
#include "kernel.h"

enum { N = 28, WANTED = 317811 };

static long fib(int n)
{
    if (n < 2)
        return n;
    long a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

int main(void)
{
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(N);
    return verdict("fib", result == WANTED);
}
