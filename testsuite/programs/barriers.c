/* SPDX-License-Identifier: MIT
 *
 * Every barrier the runtime sees: explicit, at the end of loops, sections and single with
 * copyprivate, of a scope; each separates what was written before from what is read after.
 */
#include <omp.h>
#include "check.h"

enum { THREADS = 4, ROUNDS = 50 };

static int slot[THREADS];

static void write_mine(int value)
{
    __atomic_store_n(&slot[omp_get_thread_num()], value, __ATOMIC_RELAXED);
}

static void expect_all(int value)
{
    for (int i = 0; i < omp_get_num_threads(); i++)
        CHECK(__atomic_load_n(&slot[i], __ATOMIC_RELAXED) == value);
}

int main(void)
{
    int winners = 0, scopes = 0;
#pragma omp barrier
#pragma omp parallel num_threads(THREADS)
    for (int round = 1; round <= ROUNDS; round++) {
        int value = round * 10;
        write_mine(value);
#pragma omp barrier
        expect_all(value);
#pragma omp barrier
        write_mine(value + 1);
#pragma omp for schedule(static)
        for (int i = 0; i < THREADS; i++)
            __atomic_add_fetch(&winners, 0, __ATOMIC_RELAXED);
        expect_all(value + 1);
#pragma omp barrier
        write_mine(value + 2);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < THREADS; i++)
            __atomic_add_fetch(&winners, 0, __ATOMIC_RELAXED);
        expect_all(value + 2);
#pragma omp barrier
        write_mine(value + 3);
#pragma omp sections
        {
#pragma omp section
            __atomic_add_fetch(&winners, 0, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_add_fetch(&winners, 0, __ATOMIC_RELAXED);
        }
        expect_all(value + 3);
#pragma omp barrier
        write_mine(value + 4);
#pragma omp single
        __atomic_add_fetch(&winners, 1, __ATOMIC_RELAXED);
        expect_all(value + 4);
#pragma omp barrier
        int told = -1;
        double also = 0;
#pragma omp single copyprivate(told, also)
        {
            told = value + 5;
            also = 0.5 * told;
        }
        CHECK(told == value + 5 && also == 0.5 * told);
        write_mine(value + 6);
#pragma omp scope
        __atomic_add_fetch(&scopes, 1, __ATOMIC_RELAXED);
        expect_all(value + 6);
#pragma omp single nowait
        __atomic_add_fetch(&winners, 1, __ATOMIC_RELAXED);
#pragma omp masked
        CHECK(omp_get_thread_num() == 0);
#pragma omp barrier
    }
    CHECK(winners == 2 * ROUNDS);
    CHECK(scopes == THREADS * ROUNDS);

    int serial = 0;
#pragma omp single copyprivate(serial)
    serial = 9;
    CHECK(serial == 9);
    return check_result("barriers");
}
