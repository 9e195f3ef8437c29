/* SPDX-License-Identifier: MIT
 *
 * omp_control_tool(), from C and Fortran (OpenMP 5.2, "Tool Control Routine").
 */
#include "consumers/ompt/ompt.h"
#include "omp-ompd.h"
#include "state/events.h"
#include "state/globals.h"

enum { NO_TOOL = -2, NO_CALLBACK = -1 };

static int control(int command, int modifier, void *arg, uintptr_t codeptr)
{
    struct thread *t = globals_runtime ? tracked_thread(globals_runtime) : NULL;
    if (!ompt_tool_result)
        return NO_TOOL;
    ompt_callback_control_tool_t callback = OMPT_CALLBACK(control_tool);
    if (!callback)
        return NO_CALLBACK;
    if (t)
        event_report_thread(t);
    return callback((uint64_t)(int64_t)command, (uint64_t)(int64_t)modifier, arg,
                    (const void *)(t ? event_code(t, codeptr) : codeptr));
}

EXPORT int omp_control_tool(int command, int modifier, void *arg)
{
    return control(command, modifier, arg, HERE.codeptr);
}

/* Fortran passes references, so `arg` is an address in both languages. */
EXPORT int omp_control_tool_(const int *command, const int *modifier, void *arg)
{
    return control(*command, *modifier, arg, HERE.codeptr);
}
