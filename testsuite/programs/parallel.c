/* SPDX-License-Identifier: MIT
 *
 * Plain parallel regions: clauses, team sizes, serialised regions, results.
 */
#include <omp.h>
#include "check.h"

static void team_sizes(void)
{
    for (int wanted = 1; wanted <= 5; wanted++) {
        int seen[5] = {0};
        int size = 0;
#pragma omp parallel num_threads(wanted)
        {
            CHECK(omp_get_num_threads() == wanted);
            CHECK(omp_in_parallel() == (wanted > 1));
            CHECK(omp_get_level() == 1);
#pragma omp atomic
            seen[omp_get_thread_num()]++;
#pragma omp single
            size = omp_get_num_threads();
        }
        CHECK(size == wanted);
        for (int i = 0; i < wanted; i++)
            CHECK(seen[i] == 1);
    }
    CHECK(!omp_in_parallel());
    CHECK(omp_get_level() == 0);
}

static void data_sharing(void)
{
    int shared = 0, first = 40, mine = -1;
#pragma omp parallel num_threads(4) firstprivate(first) private(mine) shared(shared)
    {
        mine = omp_get_thread_num();
        first += mine;
        CHECK(first == 40 + omp_get_thread_num());
#pragma omp atomic
        shared += mine;
    }
    CHECK(shared == 6);
    CHECK(first == 40);
    printf("sum of thread numbers %d\n", shared);
}

static void serialised(int never)
{
    int count = 0;
#pragma omp parallel if (never) num_threads(4)
    {
        CHECK(omp_get_num_threads() == 1);
        CHECK(omp_get_level() == 1);
        CHECK(omp_get_active_level() == 0);
#pragma omp atomic
        count++;
    }
    CHECK(count == 1);
}

static void bindings(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) proc_bind(close) reduction(+ : n)
    n++;
#pragma omp parallel num_threads(2) proc_bind(spread) reduction(+ : n)
    n++;
#pragma omp parallel num_threads(2) proc_bind(master) reduction(+ : n)
    n++;
    CHECK(n == 6);
}

static int tls_value;
#pragma omp threadprivate(tls_value)

static void thread_private(void)
{
    tls_value = 7;
#pragma omp parallel num_threads(3) copyin(tls_value)
    {
        CHECK(tls_value == 7);
        tls_value = 100 + omp_get_thread_num();
    }
#pragma omp parallel num_threads(3)
    CHECK(tls_value == 100 + omp_get_thread_num());
}

int main(int argc, char **argv)
{
    (void)argv;
    team_sizes();
    data_sharing();
    serialised(argc > 100);
    bindings();
    thread_private();
    for (int i = 0; i < 2000; i++) {
        int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
        n += 1;
        CHECK(n == 2);
    }
    return check_result("parallel");
}
