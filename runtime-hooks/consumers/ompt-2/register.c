/* SPDX-License-Identifier: MIT
 *
 * A tool's way in and out: ompt_tool(), its initializer, the end of the runtime, and what
 * the program tells its tool.
 */
#include "consumers/ompt-2/register.h"
#include "config.h"
#include "consumers/ompt-2/ompt-2.h"
#include "core/runtimes.h"
#include "state/globals.h"

#include <stdlib.h>
#include <string.h>

/* A tool in the program or in a library that is loaded with it. The weak reference makes
 * the linker of a program that is linked to us export the tool's function; what is loaded
 * later is found by name. We define no ompt_tool: ours would stand before the tool's. */
#pragma weak ompt_tool

static ompt_initialize_fn_t (*find_tool(void))(void)
{
    if (ompt_tool)
        return ompt_tool;
    ompt_initialize_fn_t (*found)(void);
    void *address = runtimes_global_symbol("ompt_tool");
    memcpy(&found, &address, sizeof(found));
    return found;
}

static bool running; /* a tool, in this process */

void ompt_2_forked(void)
{
    running = false;
    ompt_2_targets.depth = ompt_2_targets.begun = 0;
    ompt_2_forget();
}

/* Tools flush what they have here, so it comes before the destructors of libraries. */
static void shut_down(void)
{
    if (!running)
        return;
    threads_dismiss();
    running = false;
    ompt_callback_t tell = ompt_2_callback(ompt_event_runtime_shutdown);
    if (tell)
        tell();
    ompt_2_forget();
}

unsigned ompt_2_register(bool *asked)
{
    static bool exit_is_known;
    ompt_initialize_fn_t (*tool)(void) = find_tool();
    if (!tool)
        return TOOL_NONE;
    *asked = true;
    ompt_initialize_fn_t initialize = tool();
    if (!initialize)
        return TOOL_NONE;
    if (!exit_is_known)
        exit_is_known = atexit(shut_down) == 0;
    running = true;
    ompt_2_open();
    initialize(ompt_2_lookup, PACKAGE_NAME " " PACKAGE_VERSION " over GNU libgomp", 2);
    ompt_2_close();
    return TOOL_OMPT_2;
}

static void control(uint64_t command, uint64_t modifier)
{
    struct thread *t = globals_runtime ? tracked_thread(globals_runtime) : NULL;
    ompt_control_callback_t tell =
        (ompt_control_callback_t)ompt_2_callback(ompt_event_control);
    if (!t || !tell)
        return;
    event_report_thread(t);
    tell(command, modifier);
}

EXPORT void ompt_control(uint64_t command, uint64_t modifier)
{
    if (!hooks_off())
        control(command, modifier);
}

/* From Fortran. */
EXPORT void ompt_control_(const uint64_t *command, const uint64_t *modifier);
EXPORT void ompt_control_(const uint64_t *command, const uint64_t *modifier)
{
    if (!hooks_off())
        control(*command, *modifier);
}
