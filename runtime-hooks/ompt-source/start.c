/* SPDX-License-Identifier: MIT
 *
 * Starts and ends the source: LLVM's runtime finds ompt_start_tool in the hooks when it is
 * initialized, with its locks held. So nothing of it is called here, and what it may be
 * asked is asked in later callbacks.
 *
 * A runtime has one tool. That of the user is searched for as the runtime itself would, and
 * chained to ours.
 */
#include "ompt-source/chain.h"
#include "ompt-source/source.h"
#include "core/runtimes.h"
#include "core/tool-libraries.h"
#include "core/verbose.h"
#include "state/globals.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ARCHER "libarcher.so" /* LLVM's race detector, which its runtime tries last */

static const struct runtime *starting;
static unsigned openmp; /* the version that it states */
static ompt_start_tool_result_t *tool_of_user;

typedef ompt_start_tool_result_t *start_function(unsigned version, const char *runtime);

/* What a start of the user's tools is about. */
struct search {
    unsigned version;
    const char *runtime;
    ompt_start_tool_result_t *tool;
};

static ompt_start_tool_result_t *start_at(const struct search *search, void *function)
{
    start_function *start;
    memcpy(&start, &function, sizeof(start));
    return start ? start(search->version, search->runtime) : NULL;
}

static bool start_found(void *function, void *arg)
{
    struct search *search = arg;
    ompt_start_tool_result_t *tool = start_at(search, function);
    search->tool = tool && tool->initialize ? tool : NULL;
    return search->tool;
}

/* Where the loader would search for what the object opens, but for its cache; to be freed. */
static Dl_serinfo *search_path(void *object)
{
    Dl_serinfo head;
    if (!object || dlinfo(object, RTLD_DI_SERINFOSIZE, &head) != 0)
        return NULL;
    Dl_serinfo *path = malloc(head.dls_size);
    if (path && dlinfo(object, RTLD_DI_SERINFOSIZE, path) == 0 &&
        dlinfo(object, RTLD_DI_SERINFO, path) == 0)
        return path;
    free(path);
    return NULL;
}

/* The runtime calls dlopen(), which searches where the caller's object says, too. */
static bool start_archer(struct search *search, const void *runtime)
{
    Dl_info image;
    void *object = NULL;
    char file[PATH_MAX] = ARCHER;
    Dl_serinfo *path =
        dladdr1(runtime, &image, &object, RTLD_DL_LINKMAP) ? search_path(object) : NULL;
    for (unsigned i = 0; path && i < path->dls_cnt; i++) {
        int length = snprintf(file, sizeof(file), "%s/" ARCHER, path->dls_serpath[i].dls_name);
        if (length > 0 && (size_t)length < sizeof(file) && access(file, R_OK) == 0)
            break;
        strcpy(file, ARCHER);
    }
    free(path);
    return tool_library_start(file, start_found, search);
}

static bool is_logged; /* by us alone */

char *source_getenv(const char *name)
{
    const char *tool = getenv("OMP_TOOL");
    bool is_searched = !tool || !*tool || !strcasecmp(tool, "enabled");
    if (strcmp(name, SOURCE_LOG) || !is_searched || hooks_reporting)
        return getenv(name);
    is_logged = true;
    return NULL;
}

static void start_tool_of_user(struct search *search, const void *runtime)
{
    bool any = false;
    verbose_start(!is_logged);
    if (!tool_global_start(start_found, search, &any) &&
        !tool_libraries_start(start_found, search, &any) && !start_archer(search, runtime))
        verbose("No OMP tool loaded.\n");
    verbose_stop();
}

static bool start_recording(void)
{
    if (!starting)
        return false;
    globals_start_reported(openmp);
    hooks_record_reported();
    if (!ompd_hooks_root.tracking)
        return false;
    hooks_reporting = starting;
    hooks_reported_in_use();
    return true;
}

/* What omp_control_tool() returns where there is no tool. */
static int answer_without_tool(uint64_t command, uint64_t modifier, void *arg, const void *codeptr)
{
    const int no_tool = -2;
    (void)command, (void)modifier, (void)arg, (void)codeptr;
    return no_tool;
}

static int source_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_start_tool_result_t *tool = tool_of_user;
    ompt_interface_fn_t found = lookup("ompt_set_callback");
    ompt_set_callback_t set = (ompt_set_callback_t)found;
    (void)data;
    if (!set || !start_recording())
        return tool ? tool->initialize(lookup, device, &tool->tool_data) : 0;
    if (!tool)
        source_set_callbacks(set);
    else if (!chain_start(lookup, device, tool))
        tool_of_user = NULL;
    if (!tool_of_user)
        set(ompt_callback_control_tool, (ompt_callback_t)answer_without_tool);
    ompd_hooks_root.ompt_runtime = (uintptr_t)hooks_reporting->omp_get_thread_num;
    return 1;
}

/* When the process or the runtime ends, also by omp_pause_resource_all(), after which it
 * reports no more. */
static void source_finalize(ompt_data_t *data)
{
    (void)data;
    if (tool_of_user && tool_of_user->finalize)
        tool_of_user->finalize(&tool_of_user->tool_data);
    tool_of_user = NULL;
    ompd_hooks_root.ompt_runtime = 0;
    hooks_reporting = NULL;
}

/* What is called meanwhile is the next one in the process, and may be the caller's own. */
ompt_start_tool_result_t *source_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t ours = {source_initialize, source_finalize, {0}};
    static bool searching;
    const void *caller = __builtin_return_address(0);
    struct search search = {version, runtime, NULL};
    hooks_initialise();
    if (!hooks_wanted() || hooks_reporting || searching) {
        hooks_reported_in_use();
        return start_at(&search, dlsym(RTLD_NEXT, SOURCE_START));
    }
    int saved_errno = errno;
    searching = true;
    start_tool_of_user(&search, caller);
    searching = false;
    tool_of_user = search.tool;
    starting = runtime_reporting((uintptr_t)caller);
    openmp = version;
    errno = saved_errno;
    return starting ? &ours : search.tool;
}

EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
    __attribute__((alias("source_start_tool")));
