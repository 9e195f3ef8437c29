/* SPDX-License-Identifier: MIT
 *
 * Starts and ends the source: LLVM's runtime finds ompt_start_tool in the hooks when it is
 * initialized, with its locks held. So nothing of it is called here, and what it may be
 * asked is asked in later callbacks.
 *
 * A runtime has one tool. That of the user comes first: it is searched for as the runtime
 * itself would, and where there is one ours steps back.
 */
#include "ompt-source/source.h"
#include "core/runtimes.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define START "ompt_start_tool"
#define ARCHER "libarcher.so" /* LLVM's race detector, which its runtime tries last */

static const struct runtime *starting;

typedef ompt_start_tool_result_t *start_function(unsigned version, const char *runtime);

/* What a start of the user's tools is about. */
struct search {
    unsigned version;
    const char *runtime;
};

static ompt_start_tool_result_t *start_at(const struct search *search, void *function)
{
    start_function *start;
    memcpy(&start, &function, sizeof(start));
    return start ? start(search->version, search->runtime) : NULL;
}

static ompt_start_tool_result_t *start_library(const struct search *search,
                                               const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY);
    if (!handle)
        return NULL;
    ompt_start_tool_result_t *tool = start_at(search, dlsym(handle, START));
    if (!tool)
        dlclose(handle);
    return tool;
}

static ompt_start_tool_result_t *start_listed(const struct search *search,
                                              const char *list)
{
    ompt_start_tool_result_t *tool = NULL;
    while (list && !tool) {
        char path[PATH_MAX];
        const char *end = strchrnul(list, ':');
        size_t length = (size_t)(end - list);
        if (length && length < sizeof(path)) {
            memcpy(path, list, length);
            path[length] = 0;
            tool = start_library(search, path);
        }
        list = *end ? end + 1 : NULL;
    }
    return tool;
}

/* The runtime finds it in its own directory, which is no place of the loader's. */
static ompt_start_tool_result_t *start_archer(const struct search *search,
                                              const void *runtime)
{
    char path[PATH_MAX];
    Dl_info image;
    const char *slash = dladdr(runtime, &image) ? strrchr(image.dli_fname, '/') : NULL;
    size_t length = slash ? (size_t)(slash + 1 - image.dli_fname) : 0;
    if (!length || length + sizeof(ARCHER) > sizeof(path))
        return start_library(search, ARCHER);
    memcpy(path, image.dli_fname, length);
    memcpy(path + length, ARCHER, sizeof(ARCHER));
    ompt_start_tool_result_t *tool = start_library(search, path);
    return tool ? tool : start_library(search, ARCHER);
}

static ompt_start_tool_result_t *start_tool_of_user(const struct search *search,
                                                    const void *runtime)
{
    ompt_start_tool_result_t *tool = start_at(search, dlsym(RTLD_NEXT, START));
    if (!tool)
        tool = start_listed(search, secure_getenv("OMP_TOOL_LIBRARIES"));
    if (!tool)
        tool = start_archer(search, runtime);
    return tool;
}

static int source_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_interface_fn_t found = lookup("ompt_set_callback");
    ompt_set_callback_t set = (ompt_set_callback_t)found;
    if (!set || !starting)
        return 0;
    hooks_record_reported();
    if (!ompd_hooks_root.tracking)
        return 0;
    hooks_reporting = starting;
#define CALLBACK(name) set(ompt_callback_##name, (ompt_callback_t)source_##name);
    CALLBACK(thread_begin)
    CALLBACK(parallel_begin)
    CALLBACK(parallel_end)
    CALLBACK(implicit_task)
    CALLBACK(task_create)
    CALLBACK(dependences)
    CALLBACK(task_schedule)
    CALLBACK(sync_region_wait)
    CALLBACK(mutex_acquire)
    CALLBACK(mutex_acquired)
    CALLBACK(nest_lock)
    CALLBACK(lock_init)
    CALLBACK(lock_destroy)
#undef CALLBACK
    ompd_hooks_root.ompt_runtime = (uintptr_t)hooks_reporting->omp_get_thread_num;
    return 1;
}

/* When the process or the runtime ends, also by omp_pause_resource_all(), after which it
 * reports no more. */
static void source_finalize(ompt_data_t *data)
{
    (void)data;
    ompd_hooks_root.ompt_runtime = 0;
    hooks_reporting = NULL;
}

EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t ours = {source_initialize, source_finalize, {0}};
    const void *caller = __builtin_return_address(0);
    struct search search = {version, runtime};
    if (!hooks_wanted() || hooks_reporting)
        return start_at(&search, dlsym(RTLD_NEXT, START));
    int saved_errno = errno;
    ompt_start_tool_result_t *tool = start_tool_of_user(&search, caller);
    if (!tool) {
        starting = runtime_reporting((uintptr_t)caller);
        tool = starting ? &ours : NULL;
    }
    errno = saved_errno;
    return tool;
}
