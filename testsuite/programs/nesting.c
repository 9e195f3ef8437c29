/* SPDX-License-Identifier: MIT
 *
 * Regions three deep, active and serialised, with the ancestors as the runtime tells them,
 * and teams that grow and shrink.
 */
#include <omp.h>
#include "check.h"

static int leaves, leaves_again;

static void third(int first, int second)
{
#pragma omp parallel num_threads(2)
    {
        CHECK(omp_get_level() == 3 && omp_get_active_level() == 3);
        CHECK(omp_get_ancestor_thread_num(0) == 0);
        CHECK(omp_get_ancestor_thread_num(1) == first);
        CHECK(omp_get_ancestor_thread_num(2) == second);
        CHECK(omp_get_ancestor_thread_num(3) == omp_get_thread_num());
        CHECK(omp_get_ancestor_thread_num(4) == -1);
        CHECK(omp_get_team_size(1) == 2 && omp_get_team_size(2) == 3);
        __atomic_add_fetch(&leaves, 1, __ATOMIC_RELAXED);
#pragma omp barrier
#pragma omp critical
        leaves_again++;
    }
}

static void second(int first)
{
#pragma omp parallel num_threads(3)
    {
        CHECK(omp_get_level() == 2);
        third(first, omp_get_thread_num());
        CHECK(omp_get_level() == 2);
#pragma omp barrier
        CHECK(omp_get_num_threads() == 3);
    }
}

int main(void)
{
    omp_set_max_active_levels(3);
    for (int round = 0; round < 10; round++)
#pragma omp parallel num_threads(2)
    {
        second(omp_get_thread_num());
        CHECK(omp_get_level() == 1);
    }
    CHECK(leaves == 10 * 12 && leaves_again == leaves);

    /* Serialised where no more levels are allowed. */
    omp_set_max_active_levels(1);
    int inner = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(4) shared(inner)
        {
            CHECK(omp_get_num_threads() == 1);
            CHECK(omp_get_level() == 2 && omp_get_active_level() == 1);
#pragma omp parallel num_threads(4) shared(inner)
            {
                CHECK(omp_get_level() == 3);
                CHECK(omp_get_ancestor_thread_num(2) == 0);
                __atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
            }
        }
    }
    CHECK(inner == 2);

    int total = 0;
    for (int n = 1; n <= 8; n++) {
#pragma omp parallel num_threads(n) reduction(+ : total)
        total++;
#pragma omp parallel num_threads(9 - n) reduction(+ : total)
        total++;
    }
    CHECK(total == 72);
    printf("leaves %d total %d\n", leaves, total);
    return check_result("nesting");
}
