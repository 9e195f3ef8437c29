/* SPDX-License-Identifier: MIT
 *
 * Every call that sets a control variable, and what the getter says afterwards: in the
 * initial task, in implicit and explicit ones, and that nobody else sees it.
 */
#include <omp.h>
#include <string.h>
#include "check.h"

static void set_task_variables(int n)
{
    omp_sched_t kind;
    int chunk;
    omp_set_num_threads(n);
    CHECK(omp_get_max_threads() == n);
    omp_set_dynamic(1);
    CHECK(omp_get_dynamic());
    omp_set_dynamic(0);
    CHECK(!omp_get_dynamic());
    omp_set_schedule(omp_sched_guided, n);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_guided && chunk == n);
    omp_set_schedule((omp_sched_t)(omp_sched_static | omp_sched_monotonic), 0);
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == (omp_sched_t)(omp_sched_static | omp_sched_monotonic) && chunk == 0);
    omp_set_default_device(n);
    CHECK(omp_get_default_device() == n);
    omp_set_default_device(0);
    omp_set_default_allocator(omp_cgroup_mem_alloc);
    CHECK(omp_get_default_allocator() == omp_cgroup_mem_alloc);
    omp_set_default_allocator(omp_null_allocator);
    CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
}

static void set_levels(void)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    omp_set_nested(1);
    CHECK(omp_get_max_active_levels() > 1);
    omp_set_nested(0);
    CHECK(omp_get_max_active_levels() == 1);
#pragma GCC diagnostic pop
    omp_set_max_active_levels(2);
    CHECK(omp_get_max_active_levels() == 2);
}

static void set_process_variables(void)
{
    char format[40];
    omp_set_num_teams(5);
    CHECK(omp_get_max_teams() == 5);
    omp_set_num_teams(0);
    omp_set_teams_thread_limit(3);
    CHECK(omp_get_teams_thread_limit() == 3);
    omp_set_teams_thread_limit(0);
    omp_set_affinity_format("thread %n");
    CHECK(omp_get_affinity_format(format, sizeof(format)) == strlen("thread %n"));
    CHECK(strcmp(format, "thread %n") == 0);
    CHECK(omp_get_num_devices() >= 0);
}

int main(void)
{
    set_levels();
    set_task_variables(3);
    set_process_variables();
    omp_set_num_threads(3);
#pragma omp parallel
    {
        CHECK(omp_get_max_threads() == 3);
        omp_set_num_threads(2 + omp_get_thread_num());
#pragma omp task
        {
            int mine = omp_get_max_threads();
            CHECK(mine >= 2 && mine <= 4);
            set_task_variables(7);
        }
#pragma omp taskwait
        CHECK(omp_get_max_threads() == 2 + omp_get_thread_num());
        set_task_variables(2 + omp_get_thread_num());
#pragma omp parallel
        CHECK(omp_get_max_threads() >= 2);
    }
    CHECK(omp_get_max_threads() == 3);
    for (int n = 1; n < 6000; n++) {
        omp_sched_t kind;
        int chunk;
        omp_set_schedule(omp_sched_dynamic, n);
        omp_get_schedule(&kind, &chunk);
        CHECK(kind == omp_sched_dynamic && chunk == n);
    }
    return check_result("settings");
}
