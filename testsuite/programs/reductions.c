/* SPDX-License-Identifier: MIT
 *
 * Reductions of every kind: by value, array sections, user-declared, and those that tasks
 * take part in (of a region, a loop, sections, a scope and a taskgroup).
 */
#include <limits.h>
#include <omp.h>
#include "check.h"

struct pair {
    long sum, count;
};
#pragma omp declare reduction(pairs : struct pair : omp_out.sum += omp_in.sum,            \
                                  omp_out.count += omp_in.count)                          \
    initializer(omp_priv = (struct pair){0, 0})

static void by_value(void)
{
    int sum = 0, all = ~0, any = 0, parity = 0, both = 1, either = 0;
    long product = 1;
    double low = 1e9, high = -1e9;
    long double exact = 0;
    int histogram[4] = {0};
    struct pair pair = {0, 0};
#pragma omp parallel for num_threads(4) reduction(+ : sum, exact, histogram) reduction(* : product) \
    reduction(& : all) reduction(| : any) reduction(^ : parity) reduction(&& : both)         \
    reduction(|| : either) reduction(min : low) reduction(max : high) reduction(pairs : pair)
    for (int i = 1; i <= 20; i++) {
        sum += i;
        exact += i;
        histogram[i % 4]++;
        product *= i % 3 + 1;
        all &= i | 0x100;
        any |= i;
        parity ^= i;
        both = both && i;
        either = either || i == 7;
        low = i < low ? i : low;
        high = i > high ? i : high;
        pair.sum += i;
        pair.count++;
    }
    CHECK(sum == 210 && exact == 210 && pair.sum == 210 && pair.count == 20);
    CHECK(all == 0x100 && any == 31 && both == 1 && either == 1);
    CHECK(low == 1 && high == 20);
    for (int i = 0; i < 4; i++)
        CHECK(histogram[i] == 5);
    printf("product %ld parity %d\n", product, parity);
}

/* GOMP_parallel_reductions: the team shares what its tasks reduce. */
static void with_tasks_in_region(void)
{
    long sum = 0, other[3] = {0, 0, 0};
    for (int round = 0; round < 50; round++)
#pragma omp parallel num_threads(3) reduction(task, + : sum, other)
    {
        sum += 1;
        for (int i = 0; i < 4; i++)
#pragma omp task in_reduction(+ : sum, other)
        {
            sum += 10;
            other[i % 3] += 1;
        }
    }
    CHECK(sum == 50 * 3 * 41);
    CHECK(other[0] + other[1] + other[2] == 50 * 3 * 4);
    printf("tasks of a region %ld\n", sum);
}

/* Keeps the compiler from counting the loops over unsigned long long in long. */
static unsigned long long low = ULLONG_MAX - 1000;

static void with_tasks_in_worksharing(void)
{
    long loop = 0, ull = 0, dynamic = 0, section = 0, ordered = 0, block = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp for reduction(task, + : loop)
        for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : loop)
            loop += i;
#pragma omp for schedule(dynamic, 2) reduction(task, + : dynamic)
        for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : dynamic)
            dynamic += i;
#pragma omp for schedule(guided) reduction(task, + : ull)
        for (unsigned long long u = low; u < low + 20; u++)
#pragma omp task in_reduction(+ : ull)
            ull += (long)(u - low);
#pragma omp for ordered schedule(dynamic) reduction(task, + : ordered)
        for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : ordered)
            ordered += i;
#pragma omp ordered
            ordered += 1;
        }
#pragma omp for ordered schedule(static, 2) reduction(task, + : ordered)
        for (unsigned long long u = low; u < low + 20; u++) {
#pragma omp task in_reduction(+ : ordered)
            ordered += (long)(u - low);
#pragma omp ordered
            ordered += 1;
        }
#pragma omp sections reduction(task, + : section)
        {
#pragma omp task in_reduction(+ : section)
            section += 1;
#pragma omp section
#pragma omp task in_reduction(+ : section)
            section += 2;
        }
#pragma omp scope reduction(task, + : block)
        {
#pragma omp task in_reduction(+ : block)
            block += 5;
        }
    }
    CHECK(loop == 190 && dynamic == 190 && ull == 190 && ordered == 420);
    CHECK(section == 3 && block == 15);
}

static void with_tasks_in_doacross(void)
{
    long sum = 0, wide = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered(1) reduction(task, + : sum)
        for (int i = 0; i < 10; i++) {
#pragma omp ordered depend(sink : i - 1)
            sum += i;
#pragma omp ordered depend(source)
        }
#pragma omp for ordered(1) schedule(dynamic) reduction(task, + : wide)
        for (unsigned long long u = low; u < low + 10; u++) {
#pragma omp ordered depend(sink : u - 1)
            wide += (long)(u - low);
#pragma omp ordered depend(source)
        }
    }
    CHECK(sum == 45 && wide == 45);
}

int main(void)
{
    by_value();
    with_tasks_in_region();
    with_tasks_in_worksharing();
    with_tasks_in_doacross();

    long scoped = 0;
#pragma omp parallel num_threads(4)
#pragma omp scope reduction(+ : scoped)
    scoped += omp_get_thread_num() + 1;
    CHECK(scoped == 10);
    return check_result("reductions");
}
