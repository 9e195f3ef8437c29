/* SPDX-License-Identifier: MIT
 *
 * teams on the host: league size, regions, tasks and distribute inside, thread limits.
 */
#include <omp.h>
#include "check.h"

/* The compiler wants API calls out of the sight of a teams region. */
static __attribute__((noinline)) int limit_now(void)
{
    return omp_get_thread_limit();
}

int main(void)
{
    int teams = 0, members = 0, tasks = 0;
#pragma omp teams num_teams(3) thread_limit(4) reduction(+ : teams, members, tasks)
    {
        CHECK(omp_get_num_teams() == 3);
        CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < 3);
        CHECK(limit_now() == 4);
        teams++;
#pragma omp parallel num_threads(2) reduction(+ : members)
        {
            CHECK(omp_get_num_threads() == 2);
            members++;
        }
        int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        for (int i = 0; i < 5; i++)
#pragma omp task shared(done)
#pragma omp atomic
            done++;
        tasks += done;
    }
    CHECK(teams == 3 && members == 6 && tasks == 15);
    CHECK(omp_get_num_teams() == 1);

    int hits[100] = {0};
#pragma omp teams distribute parallel for num_teams(2) num_threads(2)
    for (int i = 0; i < 100; i++)
        hits[i]++;
    for (int i = 0; i < 100; i++)
        CHECK(hits[i] == 1);

    int single = 0;
#pragma omp teams num_teams(1) reduction(+ : single)
    single++;
    CHECK(single == 1);

    omp_set_num_teams(2);
    omp_set_teams_thread_limit(3);
    int league = 0, limit = 0;
#pragma omp teams reduction(max : limit) reduction(+ : league)
    {
        league++;
        limit = limit_now();
    }
    printf("teams %d members %d league %d limit %d\n", teams, members, league, limit);
    return check_result("teams");
}
