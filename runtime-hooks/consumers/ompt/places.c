/* SPDX-License-Identifier: MIT
 *
 * Entry points for processors, places and devices. The runtime's place routines only read
 * memory; what is constant in the process was read when the tool started.
 */
#include "consumers/ompt/inquiry.h"
#include "consumers/ompt/ompt.h"
#include "core/hooks.h"
#include "state/globals.h"
#include "state/self.h"

#include <sched.h>

int ompt_get_num_procs(void)
{
    return (int)globals.num_procs;
}

int ompt_get_num_places(void)
{
    return (int)globals.num_places;
}

int ompt_get_place_proc_ids(int place_num, int ids_size, int *ids)
{
    const struct runtime *real = self_runtime();
    if (!real->omp_get_place_num_procs || !real->omp_get_place_proc_ids || place_num < 0 ||
        place_num >= (int)globals.num_places)
        return 0;
    int count = real->omp_get_place_num_procs(place_num);
    if (count > 0 && ids && ids_size >= count)
        real->omp_get_place_proc_ids(place_num, ids);
    return count > 0 ? count : 0;
}

int ompt_get_place_num(void)
{
    const struct runtime *real = self_runtime();
    return real->omp_get_place_num ? real->omp_get_place_num() : -1;
}

int ompt_get_partition_place_nums(int place_nums_size, int *place_nums)
{
    const struct runtime *real = self_runtime();
    if (!real->omp_get_partition_num_places || !real->omp_get_partition_place_nums)
        return 0;
    int count = real->omp_get_partition_num_places();
    if (count > 0 && place_nums && place_nums_size >= count)
        real->omp_get_partition_place_nums(place_nums);
    return count > 0 ? count : 0;
}

/* Of an OpenMP thread, for an active tool. */
int ompt_get_proc_id(void)
{
    return ompt_tool_result && hooks_self ? sched_getcpu() : -1;
}

/* The devices other than the host; 0 until the program or the tool has caused the
 * runtime to initialize them. */
int ompt_get_num_devices(void)
{
    return globals.num_devices == NUM_DEVICES_UNKNOWN ? 0 : (int)globals.num_devices;
}
