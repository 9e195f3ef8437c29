/* SPDX-License-Identifier: MIT
 *
 * Arrays that a body has a copy of, or in common with the function around, of constant bounds and
 * others. Each thread adds its number to its copies; what it computes is the same at each level of
 * optimisation.
 */
#include <omp.h>
#include <stdio.h>

static int sum(int n)
{
    int fixed[4] = {n, 2, 3, 4}, copied[n], common[n], total = 0;
    for (int i = 0; i < n; i++)
        copied[i] = common[i] = 10 * i;
#pragma omp parallel num_threads(2) firstprivate(fixed, copied) reduction(+ : total)
    {
        copied[1] += 1 + omp_get_thread_num();
        fixed[1] += omp_get_thread_num();
        common[2 + omp_get_thread_num()]++;
#pragma omp barrier
        total += fixed[1] + copied[1] + common[2]; /* mark: here */
#pragma omp barrier
    }
    return total + fixed[0];
}

int main(int argc, char **argv)
{
    printf("%d\n", sum(argc + 3));
}
