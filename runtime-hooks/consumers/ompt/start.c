/* SPDX-License-Identifier: MIT
 *
 * Finds, initializes and finalizes a tool (OpenMP 5.2, "Tool Initialization"). The
 * address space is searched first, then each library of OMP_TOOL_LIBRARIES, until a tool
 * accepts.
 */
#include "consumers/ompt/start.h"
#include "consumers/ompt/consume.h"
#include "core/tool-libraries.h"
#include "core/verbose.h"
#include "state/globals.h"

#include <errno.h>
#include <stdlib.h>

/* As the hooks export the name (ompt-source/start.c), the linker exports the tool of a program
 * that is linked to them. */

/* The version of the specification that the interface implements; libgomp's is older. */
#define OMPT_OMP_VERSION 202111
#define RUNTIME_VERSION "libompd-hooks for GNU libgomp, records 1.6"

typedef ompt_start_tool_result_t *(*start_tool_fn)(unsigned int, const char *);

static struct consumer consumer_ompt;

/* A tool of the parent is not active in the child. */
static void forked(void)
{
    ompt_tool_result = NULL;
    ompt_callbacks_start(&consumer_ompt);
}

static struct consumer consumer_ompt = {
    .rank = CONSUMER_OMPT,
    .forked = forked,
#define ON(name) .name = ompt_on_##name,
    ON(thread_begin) ON(thread_end) ON(initial_task) ON(parallel_begin) ON(parallel_end)
        ON(implicit_task_begin) ON(implicit_task_end) ON(task_create) ON(task_dependences)
            ON(task_schedule) ON(task_discarded) ON(taskwait_depend) ON(sync_region) ON(sync_wait)
                ON(mutex_acquire) ON(mutex_acquired) ON(mutex_released) ON(nest_lock) ON(lock_init)
                    ON(lock_destroy) ON(work) ON(cancel) ON(target) ON(error)
#undef ON
};

/* The value of omp_get_initial_device(), which is not called, as it initializes the
 * devices. */
static int host_device(void)
{
    return globals.num_devices == NUM_DEVICES_UNKNOWN ? 0 : (int)globals.num_devices;
}

static bool start_found(void *function, void *result)
{
    start_tool_fn start_tool;
    *(void **)&start_tool = function;
    ompt_start_tool_result_t *tool = start_tool(OMPT_OMP_VERSION, RUNTIME_VERSION);
    if (!tool || !tool->initialize || !tool->finalize)
        return false;
    *(ompt_start_tool_result_t **)result = tool;
    return true;
}

/* NULL: none accepts. */
static ompt_start_tool_result_t *search(bool *any_found)
{
    ompt_start_tool_result_t *result = NULL;
    verbose_start(false);
    if (!tool_global_start(start_found, &result, any_found) &&
        !tool_libraries_start(start_found, &result, any_found))
        verbose("No OMP tool loaded.\n");
    verbose_stop();
    return result;
}

/* A tool whose initializer returns 0 is not active. */
static bool initialize(ompt_start_tool_result_t *result)
{
    ompt_callbacks_start(&consumer_ompt);
    ompt_tool_result = result;
    consumer_wants(&consumer_ompt, EVENT_BIT(data));
    globals_start(globals_runtime); /* the initializer may query them */
    bool active = result->initialize(ompt_lookup, host_device(), &result->tool_data);
    if (!active) {
        ompt_callbacks_stop();
        ompt_tool_result = NULL;
    }
    return active;
}

/* Reports the end of the calling thread, after that of its idle workers, and of threads
 * that are about to end; not of others. */
static void finalize_at_exit(void)
{
    if (!ompt_tool_result)
        return;
    threads_finalize(true);
    ompt_stop();
}

unsigned ompt_register(bool *found)
{
    static bool at_exit;
    int saved_errno = errno;
    ompt_start_tool_result_t *result = search(found);
    bool active = result && initialize(result);
    if (active && !at_exit)
        at_exit = atexit(finalize_at_exit) == 0;
    errno = saved_errno;
    return active ? TOOL_OMPT_5 : TOOL_NONE;
}
