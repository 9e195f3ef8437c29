/* SPDX-License-Identifier: MIT
 *
 * sections, parallel sections, nowait, serial sections, and more sections than threads.
 */
#include <omp.h>
#include "check.h"

static int ran[8];

static void mark(int i)
{
    __atomic_add_fetch(&ran[i], 1, __ATOMIC_RELAXED);
}

static void expect(int count, int times)
{
    for (int i = 0; i < count; i++) {
        CHECK(ran[i] == times);
        ran[i] = 0;
    }
}

int main(void)
{
    int last = 0;
#pragma omp parallel sections num_threads(3) lastprivate(last)
    {
#pragma omp section
        {
            mark(0);
            last = 1;
        }
#pragma omp section
        {
            mark(1);
            last = 2;
        }
#pragma omp section
        {
            mark(2);
            last = 3;
        }
#pragma omp section
        {
            mark(3);
            last = 4;
        }
    }
    CHECK(last == 4);
    expect(4, 1);

#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
            mark(0);
#pragma omp section
            mark(1);
#pragma omp section
            mark(2);
        }
        for (int i = 0; i < 3; i++)
            CHECK(ran[i] == 1);
#pragma omp barrier
#pragma omp sections nowait
        {
            mark(0);
#pragma omp section
            mark(1);
#pragma omp section
            mark(2);
        }
    }
    expect(3, 2);

#pragma omp sections
    {
        mark(0);
#pragma omp section
        mark(1);
    }
    expect(2, 1);

    int sum = 0;
    for (int round = 0; round < 200; round++)
#pragma omp parallel sections num_threads(2) reduction(+ : sum)
    {
        sum += 1;
#pragma omp section
        sum += 10;
    }
    CHECK(sum == 2200);
    printf("sum %d\n", sum);
    return check_result("sections");
}
