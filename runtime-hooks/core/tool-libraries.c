/* SPDX-License-Identifier: MIT
 *
 * Searches for a tool; see tool-libraries.h. The log has the words of LLVM's runtime, so that who
 * reads it finds the same whatever runtime a program has.
 */
#include "core/tool-libraries.h"
#include "core/runtimes.h"
#include "core/verbose.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define START "ompt_start_tool"

static bool log_outcome(bool accepted, const char *otherwise)
{
    verbose("%s",
            accepted ? "Success.\nTool was started and is using the OMPT interface.\n" : otherwise);
    return accepted;
}

bool tool_global_start(tool_starter *start, void *arg, bool *any)
{
    verbose("Search for OMP tool in current address space... ");
    void *found = runtimes_global_symbol(START);
    *any |= found != NULL;
    return log_outcome(found && start(found, arg), "Failed.\n");
}

bool tool_library_start(const char *path, tool_starter *start, void *arg)
{
    verbose("Opening %s... ", path);
    void *handle = dlopen(path, RTLD_LAZY);
    if (!handle) {
        verbose("Failed: %s\n", dlerror());
        return false;
    }
    verbose("Success.\nSearching for " START " in %s... ", path);
    void *found = dlsym(handle, START);
    if (!found)
        verbose("Failed: %s\n", dlerror());
    bool accepted =
        found && log_outcome(start(found, arg), "Found but not using the OMPT interface.\n"
                                                "Continuing search...\n");
    if (!accepted)
        dlclose(handle);
    return accepted;
}

bool tool_libraries_start(tool_starter *start, void *arg, bool *any_named)
{
    const char *list = secure_getenv("OMP_TOOL_LIBRARIES");
    bool accepted = false;
    if (list)
        verbose("Searching tool libraries...\nOMP_TOOL_LIBRARIES = %s\n", list);
    else
        verbose("No OMP_TOOL_LIBRARIES defined.\n");
    while (list && !accepted) {
        char path[PATH_MAX];
        const char *end = strchrnul(list, ':');
        size_t length = (size_t)(end - list);
        *any_named |= length != 0;
        if (length && length < sizeof(path)) {
            memcpy(path, list, length);
            path[length] = 0;
            accepted = tool_library_start(path, start, arg);
        }
        list = *end ? end + 1 : NULL;
    }
    if (!accepted)
        verbose("...searching tool libraries failed.\n");
    return accepted;
}
