/* SPDX-License-Identifier: MIT
 *
 * Finds and initializes a tool of interface version 2; ompt_control().
 */
#include "consumers/ompt-2/register.h"
#include "config.h"
#include "consumers/ompt-2/ompt-2.h"
#include "core/runtimes.h"
#include "state/globals.h"

#include <string.h>

/* The weak reference makes the linker export the tool of a program that is linked to the
 * hooks. Other tools are looked up by name. The hooks define no ompt_tool, as it would
 * interpose the tool's. */
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

unsigned ompt_2_register(bool *found)
{
    ompt_initialize_fn_t (*tool)(void) = find_tool();
    if (!tool)
        return TOOL_NONE;
    *found = true;
    ompt_initialize_fn_t initialize = tool();
    if (!initialize)
        return TOOL_NONE;
    ompt_2_open(&consumer_ompt_2);
    initialize(ompt_2_lookup, PACKAGE_NAME " " PACKAGE_VERSION " over GNU libgomp", 2);
    ompt_2_close();
    return TOOL_OMPT_2;
}

static void control(uint64_t command, uint64_t modifier)
{
    struct thread *t = globals_runtime ? tracked_thread(globals_runtime) : NULL;
    ompt_control_callback_t callback = (ompt_control_callback_t)ompt_2_callback(ompt_event_control);
    if (!t || !callback)
        return;
    event_report_thread(t);
    callback(command, modifier);
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
