/* SPDX-License-Identifier: MIT
 *
 * Opens the libraries of OMP_TOOL_LIBRARIES; see tool-libraries.h.
 */
#include "core/tool-libraries.h"
#include "core/verbose.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool tool_library_start(const char *path, tool_starter *start, void *arg)
{
    verbose("Opening %s...", path);
    void *handle = dlopen(path, RTLD_LAZY);
    if (!handle) {
        verbose(" failed: %s\n", dlerror());
        return false;
    }
    verbose(" done.\nSearching for ompt_start_tool in %s...", path);
    void *found = dlsym(handle, "ompt_start_tool");
    if (!found)
        verbose(" not found.\n");
    bool accepted = found && start(found, arg);
    if (!accepted)
        dlclose(handle);
    return accepted;
}

bool tool_libraries_start(tool_starter *start, void *arg, bool *any_named)
{
    const char *list = secure_getenv("OMP_TOOL_LIBRARIES");
    bool accepted = false;
    verbose("OMP_TOOL_LIBRARIES: %s\n", list ? list : "not set");
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
    return accepted;
}
