/* SPDX-License-Identifier: MIT
 *
 * Tasks whose creation has the line of another statement, where GCC has made their bodies in front
 * of the function that they are in, or behind it.
 */
#include <stdio.h>

static int sum, before, after;

__attribute__((noinline)) static void leaf(int i)
{
    sum += i;
}

__attribute__((noinline)) static void make(int n)
{
    for (int i = 0; i < n; i++)
#pragma omp task
        leaf(i);
    before = n;
#pragma omp task depend(in : before) \
        depend(out : after)
    after = before;
#pragma omp task if (n > 100)
    leaf(n);
    before++;
#pragma omp taskwait
#pragma omp taskloop
    for (int i = 0; i < n; i++)
        leaf(i);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        make(2);
#pragma omp task
        leaf(1);
    }
    printf("%d\n", sum > 0);
    return 0;
}
