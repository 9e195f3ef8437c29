/* SPDX-License-Identifier: MIT
 *
 * Merge sort by tasks: both halves, and both halves of each merge.
 */
#include <string.h>
#include "kernel.h"

enum { N = 1 << 21, SMALL_SORT = 512, SMALL_MERGE = 1024 };

static void sort_few(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        int value = a[i], k = i;
        for (; k > 0 && a[k - 1] > value; k--)
            a[k] = a[k - 1];
        a[k] = value;
    }
}

/* How many of `a` are less than `value`. */
static int count_less(const int *a, int n, int value)
{
    int low = 0;
    while (n > 0) {
        int half = n / 2;
        if (a[low + half] < value) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

static void merge(const int *a, int na, const int *b, int nb, int *to)
{
    if (na < nb) {
        merge(b, nb, a, na, to);
        return;
    }
    if (na + nb <= SMALL_MERGE) {
        while (na && nb)
            *to++ = *a <= *b ? (na--, *a++) : (nb--, *b++);
        memcpy(to, na ? a : b, (size_t)(na + nb) * sizeof(*to));
        return;
    }
    int half = na / 2, less = count_less(b, nb, a[half]);
#pragma omp task
    merge(a, half, b, less, to);
#pragma omp task
    merge(a + half, na - half, b + less, nb - less, to + half + less);
#pragma omp taskwait
}

/* Sorts `a`, by way of `spare`. */
static void sort(int *a, int *spare, int n)
{
    if (n <= SMALL_SORT / 8) {
        sort_few(a, n);
        return;
    }
    int half = n / 2;
#pragma omp task if (n > SMALL_SORT)
    sort(a, spare, half);
#pragma omp task if (n > SMALL_SORT)
    sort(a + half, spare + half, n - half);
#pragma omp taskwait
    merge(a, half, a + half, n - half, spare);
    memcpy(a, spare, (size_t)n * sizeof(*a));
}

int main(void)
{
    int *a = allocate(N, sizeof(*a)), *spare = allocate(N, sizeof(*spare));
    uint64_t sum = 0;
    for (int i = 0; i < N; i++) {
        a[i] = (int)(scramble((uint64_t)i) >> 34);
        sum += (uint64_t)a[i];
    }
#pragma omp parallel
#pragma omp single
    sort(a, spare, N);
    int right = 1;
    for (int i = 0; i < N; i++) {
        sum -= (uint64_t)a[i];
        right &= i == 0 || a[i - 1] <= a[i];
    }
    free(a);
    free(spare);
    return verdict("sort", right && sum == 0);
}
