/* SPDX-License-Identifier: MIT
 *
 * When tools are asked and who comes first; see tools.h.
 */
#include "consumers/tools.h"
#include "core/environment.h"
#include "core/hooks.h"
#include "core/runtimes.h"
#include "consumers/ompt/start.h"
#include "consumers/ompt-2/register.h"
#include "records/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One function for each interface, in the order in which they are tried. Each sets `*asked`
 * if it found somebody to ask and returns TOOL_* of layout.h if it started a tool. */
static unsigned (*const interfaces[])(bool *asked) = {
    ompt_register,
    ompt_2_register,
    NULL,
};

static bool anybody_asked;

/* "enabled" or no value is 0, "disabled" is 1, anything else 2. */
static unsigned omp_tool(void)
{
    static const char *const words[] = {"enabled", "disabled", NULL};
    const char *value = getenv("OMP_TOOL");
    return value && *value ? environment_word("OMP_TOOL", words, 2) : 0;
}

/* The error that the specification asks for ends only programs that chose the hooks;
 * others go on without a tool. */
void tools_check(void)
{
    if (omp_tool() != 2)
        return;
    const char *part[] = {program_invocation_name, ": illegal value for OMP_TOOL: \"",
                          getenv("OMP_TOOL"),
                          "\" (it must be \"enabled\" or \"disabled\")\n"};
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (write(STDERR_FILENO, part[i], strlen(part[i])) < 0)
            break;
    if (image_needs_us(_r_debug.r_map)) /* the program is the first */
        _exit(EXIT_FAILURE);
}

/* A runtime that looks for tools has the name of what it looks for in its constants. */
static void looks_for_tools(const char *bytes, size_t size, void *out)
{
    static const char name[] = "ompt_start_tool";
    if (memmem(bytes, size, name, sizeof(name)))
        *(bool *)out = true;
}

bool tools_wanted(void)
{
    const char *libraries = secure_getenv("OMP_TOOL_LIBRARIES");
    return omp_tool() == 0 && ((libraries && *libraries) ||
                               runtimes_symbol("ompt_start_tool") || runtimes_symbol("ompt_tool"));
}

bool tools_register(const struct runtime *real)
{
    if (omp_tool() != 0)
        return false;
    bool steps_aside = false;
    runtime_constants(real, looks_for_tools, &steps_aside);
    if (steps_aside) {
        ompd_hooks_root.tool = TOOL_OF_RUNTIME;
        return false;
    }
    for (unsigned i = 0; interfaces[i]; i++) {
        unsigned tool = interfaces[i](&anybody_asked);
        if (tool) {
            ompd_hooks_root.tool = tool;
            return true;
        }
    }
    return false;
}

bool tools_asked(void)
{
    return anybody_asked;
}
