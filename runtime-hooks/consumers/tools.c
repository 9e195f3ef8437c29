/* SPDX-License-Identifier: MIT
 *
 * The order in which tools are searched for; see tools.h.
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

/* One function for each interface, in the order in which they are tried. Each sets
 * `*found` if there is a tool or a library to open, and returns TOOL_* of layout.h if it
 * started a tool. */
static unsigned (*const interfaces[])(bool *found) = {
    ompt_register,
    ompt_2_register,
    NULL,
};

static bool any_found;

/* "enabled" or no value is 0, "disabled" is 1, anything else 2. */
static unsigned omp_tool(void)
{
    static const char *const words[] = {"enabled", "disabled", NULL};
    const char *value = getenv("OMP_TOOL");
    return value && *value ? environment_word("OMP_TOOL", words, 2) : 0;
}

/* The error that the specification requires ends only programs that were linked to the
 * hooks; others run without a tool. */
void tools_check(void)
{
    if (omp_tool() != 2)
        return;
    const char *part[] = {program_invocation_name, ": illegal value for OMP_TOOL: \"",
                          getenv("OMP_TOOL"), "\" (it must be \"enabled\" or \"disabled\")\n"};
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (write(STDERR_FILENO, part[i], strlen(part[i])) < 0)
            break;
    if (image_needs_us(_r_debug.r_map)) /* the program is the first */
        _exit(EXIT_FAILURE);
}

/* A runtime that supports OMPT contains the name that it passes to dlsym(). */
static void find_name(const char *bytes, size_t size, void *out)
{
    static const char name[] = "ompt_start_tool";
    if (memmem(bytes, size, name, sizeof(name)))
        *(bool *)out = true;
}

bool tools_may_exist(void)
{
    const char *libraries = secure_getenv("OMP_TOOL_LIBRARIES");
    return omp_tool() == 0 && ((libraries && *libraries) || runtimes_symbol("ompt_start_tool") ||
                               runtimes_symbol("ompt_tool"));
}

bool tools_register(const struct runtime *real)
{
    if (omp_tool() != 0)
        return false;
    bool has_ompt = false;
    runtime_constants(real, find_name, &has_ompt);
    if (has_ompt) {
        ompd_hooks_root.tool = TOOL_OF_RUNTIME;
        return false;
    }
    for (unsigned i = 0; interfaces[i]; i++) {
        unsigned tool = interfaces[i](&any_found);
        if (tool) {
            ompd_hooks_root.tool = tool;
            return true;
        }
    }
    return false;
}

bool tools_found(void)
{
    return any_found;
}
