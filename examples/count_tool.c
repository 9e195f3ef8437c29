/* SPDX-License-Identifier: MIT
 *
 * A tool of OMPT that counts parallel regions and, thread by thread, entries into barriers.
 * doc/tool-authors.md explains it.
 *
 *   OMP_TOOL_LIBRARIES=./count_tool.so ompd-run ./program
 */
#include <stdatomic.h>
#include <stdio.h>

#include <ompd/omp-tools.h>

static atomic_ulong regions, barriers;

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region,
                              unsigned int requested, int flags, const void *code)
{
    (void)task, (void)frame, (void)region, (void)requested, (void)flags, (void)code;
    atomic_fetch_add(&regions, 1);
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t *region, ompt_data_t *task, const void *code)
{
    (void)region, (void)task, (void)code;
    if (endpoint == ompt_scope_begin && kind != ompt_sync_region_taskwait &&
        kind != ompt_sync_region_taskgroup && kind != ompt_sync_region_reduction)
        atomic_fetch_add(&barriers, 1);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)tool;
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
    return 1; /* 0: the tool is not wanted after all */
}

static void finalize(ompt_data_t *tool)
{
    (void)tool;
    fprintf(stderr, "%lu regions, %lu entries into barriers\n", atomic_load(&regions),
            atomic_load(&barriers));
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)omp_version, (void)runtime;
    return &result;
}
