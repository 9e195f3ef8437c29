/* SPDX-License-Identifier: MIT
 *
 * What omp_set_* changes shows in the regions that follow and in omp_get_*.
 */
#include <omp.h>
#include "check.h"

static int team_size(void)
{
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

int main(void)
{
    omp_set_dynamic(0);
    for (int n = 1; n <= 4; n++) {
        omp_set_num_threads(n);
        CHECK(omp_get_max_threads() == n);
        CHECK(team_size() == n);
    }
    CHECK(!omp_get_dynamic());
    omp_set_dynamic(1);
    CHECK(omp_get_dynamic());
    int size = team_size();
    CHECK(size >= 1 && size <= 4);
    omp_set_dynamic(0);

    omp_set_max_active_levels(2);
    CHECK(omp_get_max_active_levels() == 2);
    omp_set_num_threads(2);
#pragma omp parallel
    {
        /* Of this task only. */
        omp_set_num_threads(3);
        CHECK(team_size() == 3);
    }
    CHECK(omp_get_max_threads() == 2);

    omp_sched_t kind;
    int chunk;
    omp_set_schedule(omp_sched_guided, 7);
    omp_get_schedule(&kind, &chunk);
    CHECK((kind & ~omp_sched_monotonic) == omp_sched_guided && chunk == 7);

    printf("limit %d levels %d bind %d cancellation %d\n", omp_get_thread_limit() > 0,
           omp_get_supported_active_levels() > 1, omp_get_proc_bind() >= 0,
           omp_get_cancellation());
    double now = omp_get_wtime();
    CHECK(omp_get_wtime() >= now && omp_get_wtick() > 0);
    CHECK(omp_get_num_procs() > 0);
    CHECK(!omp_in_final());

    CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    CHECK(team_size() == 2);
    CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    CHECK(team_size() == 2);
    return check_result("control");
}
