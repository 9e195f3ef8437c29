/* SPDX-License-Identifier: MIT
 *
 * A tool whose callbacks do nothing: with EMPTY_TOOL=all it registers every one, else none.
 */
#include <ompd/omp-tools.h>
#include <stdlib.h>
#include <string.h>

#include "../common/start-tool.h"

static void nothing(void)
{
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    const char *which = getenv("EMPTY_TOOL");
    if (which && strcmp(which, "all") == 0)
        for (int event = 1; event <= ompt_callback_error; event++)
            set((ompt_callbacks_t)event, (ompt_callback_t)nothing);
    return 1;
}

START_TOOL(initialize, finalize_nothing)
