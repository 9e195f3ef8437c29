/* SPDX-License-Identifier: MIT
 *
 * The half of `agree` that is a tool of OpenMP 5.x, when AGREE is 5.
 */
#include <ompd/omp-tools.h>
#include <stdlib.h>
#include <string.h>

#include "testsuite/tools/agree.h"

static ompt_get_state_t get_state;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;

void five_ask(struct five *five)
{
    ompt_wait_id_t wait_id = 0;
    if (!get_state)
        return;
    five->state = get_state(&wait_id);
    five->wait_id = wait_id;
    five->team_size = five->thread_num = -1;
    get_parallel_info(0, NULL, &five->team_size);
    get_task_info(0, NULL, NULL, NULL, NULL, &five->thread_num);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device;
    (void)data;
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime)
{
    (void)omp_version;
    (void)runtime;
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    const char *version = getenv("AGREE");
    return version && strcmp(version, "5") == 0 ? &result : NULL;
}
