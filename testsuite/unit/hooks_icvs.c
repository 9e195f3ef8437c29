/* SPDX-License-Identifier: MIT
 *
 * A program under ompd-run that compares the ICVs and settings of the records with what
 * the runtime answers.
 *
 *   hooks-icvs            everything that holds under any environment
 *   hooks-icvs settings   prints the block of settings, one to a line
 */
#include "testsuite/unit/hooks_records.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

static struct rec_icvs *icvs_of(const struct rec_task *task)
{
    return (struct rec_icvs *)task->icvs;
}

static const struct rec_icvs *same_but_for_places(const char *name)
{
    const struct rec_task *task = task_of(records_self());
    const struct rec_icvs *icvs = icvs_of(task);
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(name, icvs && icvs->id);
    if (!icvs)
        return NULL;
    CHECK(name, icvs->nthreads == (uint32_t)omp_get_max_threads());
    CHECK(name, icvs->dynamic == (uint32_t)omp_get_dynamic());
    CHECK(name, icvs->max_active_levels == (uint32_t)omp_get_max_active_levels());
    CHECK(name, (icvs->schedule | icvs->schedule_monotonic << 31) == (uint32_t)kind);
    CHECK(name, icvs->schedule_chunk == (uint32_t)chunk);
    CHECK(name, icvs->bind == (uint32_t)omp_get_proc_bind());
    CHECK(name, icvs->thread_limit == (uint32_t)omp_get_thread_limit());
    CHECK(name, icvs->default_device == (uint32_t)omp_get_default_device());
    CHECK(name, icvs->default_allocator == (uint64_t)omp_get_default_allocator());
    return icvs;
}

static void same_as_runtime(const char *name)
{
    const struct rec_icvs *icvs = same_but_for_places(name);
    if (icvs && omp_get_num_places()) {
        int places[1024] = {0};
        int count = omp_get_partition_num_places();
        if (count > 0 && count <= 1024)
            omp_get_partition_place_nums(places);
        CHECK(name, icvs->place_count == (uint32_t)count);
        CHECK(name, icvs->place_first == (uint32_t)places[0]);
    } else if (icvs) {
        CHECK(name, icvs->place_count == 0);
    }
}

/* Either thread may execute it. libgomp says that one's places, the records the task's. */
static void same_in_task(const char *name, int creator)
{
    if (omp_get_thread_num() == creator)
        same_as_runtime(name);
    else
        same_but_for_places(name);
}

static void icvs(void)
{
    struct rec_thread *me = records_self();
    same_as_runtime("ICVs at the start");
    uintptr_t first = task_of(me)->icvs;
    int threads = omp_get_max_threads();
    omp_set_num_threads(3);
    omp_set_dynamic(1);
    omp_set_schedule((omp_sched_t)(omp_sched_guided | omp_sched_monotonic), 6);
    omp_set_default_device(2);
    omp_set_default_allocator(omp_thread_mem_alloc);
    CHECK("ICVs set", task_of(me)->icvs != first && icvs_of(task_of(me))->nthreads == 3);
    same_as_runtime("ICVs set");
    omp_set_dynamic(0);
    omp_set_default_device(0);
    same_as_runtime("ICVs set");
    uintptr_t outer = task_of(me)->icvs;
#pragma omp parallel num_threads(2)
    {
        same_as_runtime("ICVs inherited");
        CHECK("ICVs shared", omp_get_proc_bind() || task_of(records_self())->icvs == outer);
        omp_set_num_threads(5 + omp_get_thread_num());
        same_as_runtime("ICVs set inside");
        int creator = omp_get_thread_num();
#pragma omp task
        {
            same_in_task("ICVs of a task", creator);
            omp_set_schedule(omp_sched_static, 0);
            same_in_task("ICVs set in a task", creator);
        }
#pragma omp taskwait
        same_as_runtime("ICVs after a task");
#pragma omp parallel num_threads(2)
        same_as_runtime("ICVs of an inner region");
#pragma omp parallel num_threads(2) proc_bind(close)
        same_as_runtime("ICVs under proc_bind");
    }
    CHECK("ICVs restored", task_of(me)->icvs == outer);
    same_as_runtime("ICVs restored");
#pragma omp teams num_teams(2) thread_limit(3)
    {
        same_as_runtime("ICVs in teams");
        CHECK("ICVs in teams", icvs_of(task_of(me))->thread_limit == 3);
    }
    same_as_runtime("ICVs after teams");
    omp_set_num_threads(threads);
    omp_set_schedule(omp_sched_dynamic, 1);
    omp_set_default_allocator(omp_default_mem_alloc);
    same_as_runtime("ICVs set back");
}

/* The lists say what the levels within will get. */
static void icv_lists(unsigned level)
{
    const struct rec_icvs *icvs = icvs_of(task_of(records_self()));
    const uint32_t *nthreads = (const uint32_t *)icvs->nthreads_list;
    const uint32_t *bind = (const uint32_t *)icvs->bind_list;
    uint32_t next_nthreads = icvs->nthreads_count ? nthreads[0] : icvs->nthreads;
    uint32_t next_bind = icvs->bind_count ? bind[0] : icvs->bind;
    CHECK("ICV lists", !icvs->nthreads_count == !nthreads && !icvs->bind_count == !bind);
    if (level == 3)
        return;
#pragma omp parallel
    {
        const struct rec_icvs *inner = icvs_of(task_of(records_self()));
        same_as_runtime("ICVs of a level");
        CHECK("ICV lists", inner->nthreads == next_nthreads && inner->bind == next_bind);
        CHECK("ICV lists",
              inner->nthreads_count == (icvs->nthreads_count ? icvs->nthreads_count - 1 : 0));
        icv_lists(level + 1);
    }
}

static const struct rec_globals *globals(void)
{
    return (const struct rec_globals *)records_root()->globals;
}

static void process(void)
{
    const struct rec_globals *g = globals();
    char format[1024];
    CHECK("process", g->cancel == (uint32_t)omp_get_cancellation());
    CHECK("process", g->max_task_priority == (uint32_t)omp_get_max_task_priority());
    CHECK("process", g->num_procs == (uint32_t)omp_get_num_procs());
    CHECK("process", g->num_places == (uint32_t)omp_get_num_places());
    CHECK("process", g->nteams == (uint32_t)omp_get_max_teams());
    CHECK("process", g->teams_thread_limit == (uint32_t)omp_get_teams_thread_limit());
    CHECK("process", g->supported_active_levels == (uint32_t)omp_get_supported_active_levels());
    CHECK("process", g->def_schedule == omp_sched_static);
    omp_get_affinity_format(format, sizeof(format));
    CHECK("process", strcmp((const char *)g->affinity_format, format) == 0);
    omp_set_affinity_format("%n of %N");
    CHECK("process", strcmp((const char *)g->affinity_format, "%n of %N") == 0);
    omp_set_num_teams(7);
    omp_set_teams_thread_limit(9);
    CHECK("process", g->nteams == 7 && g->teams_thread_limit == 9);
    omp_set_num_teams(0);
    omp_set_teams_thread_limit(0);
    CHECK("devices", g->num_devices == NUM_DEVICES_UNKNOWN);
    CHECK("devices", omp_get_num_devices() == (int)g->num_devices);
}

/* More combinations than there are sets: then a task says that it holds none. */
static void too_many_icvs(void)
{
    for (int n = 1; n < 5000; n++) {
        omp_set_schedule(omp_sched_dynamic, n);
        const struct rec_icvs *icvs = icvs_of(task_of(records_self()));
        CHECK("too many ICVs", !icvs || icvs->schedule_chunk == (uint32_t)n);
    }
    CHECK("too many ICVs", !icvs_of(task_of(records_self())));
    omp_set_schedule(omp_sched_dynamic, 1);
    same_as_runtime("back from too many ICVs");
}

static int print_settings(void)
{
    const struct rec_root *root = records_root();
    const char *entry = (const char *)root->settings;
    const char *end = entry + root->settings_bytes;
    for (; entry < end; entry += strlen(entry) + 1)
        puts(entry);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "settings") == 0)
        return print_settings();
    icv_lists(0);
    icvs();
    process();
    too_many_icvs();
    return checks_done();
}
