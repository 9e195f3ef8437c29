/* SPDX-License-Identifier: MIT
 *
 * A process with libgomp and LLVM's runtime and a tool (chained.py), from one source:
 *   -DPLUGIN   a library of regions, which is compiled by gcc and by clang
 *   -DTOOL     counts what it is told of each region, and looks at the words that it is given
 *   neither    mixed FIRST SECOND HOW runs a region of each library, HOW: one after the other
 *              ("apart"), or those of the second in tasks of the first ("within")
 */
#if defined PLUGIN

int run(int (*within)(int))
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int part = 1;
#pragma omp task shared(part)
        part += within ? within(0) : 1;
#pragma omp taskwait
#pragma omp critical(mixed)
        sum += part;
    }
    return sum;
}

int run_within(int ignored)
{
    (void)ignored;
    return run(0);
}

#elif defined TOOL
#include <omp-tools.h>
#include <stdio.h>

static struct {
    int starts, begins, ends, begun, ended, waits, taken, given, foreign;
} told;
#define COUNT(what) __atomic_add_fetch(&told.what, 1, __ATOMIC_RELAXED)

enum { REGION = 17, TASK = 23 };

static void expect(const ompt_data_t *data, uint64_t word)
{
    if (data && data->value != word)
        COUNT(foreign);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned requested, int flags,
                              const void *codeptr)
{
    (void)task, (void)frame, (void)requested, (void)flags, (void)codeptr;
    COUNT(begins);
    expect(parallel, 0);
    parallel->value = REGION;
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                            const void *codeptr)
{
    (void)task, (void)flags, (void)codeptr;
    COUNT(ends);
    expect(parallel, REGION);
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned actual, unsigned index,
                             int flags)
{
    (void)parallel, (void)actual, (void)index;
    if (flags & ompt_task_initial)
        return;
    if (endpoint == ompt_scope_begin) {
        COUNT(begun);
        expect(task, 0);
        task->value = TASK;
    } else {
        COUNT(ended);
        expect(task, TASK);
    }
}

static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t *parallel, ompt_data_t *task,
                                const void *codeptr)
{
    (void)parallel, (void)task, (void)codeptr;
    if (kind == ompt_sync_region_taskwait && endpoint == ompt_scope_begin)
        COUNT(waits);
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id,
                              const void *codeptr)
{
    (void)wait_id, (void)codeptr;
    if (kind == ompt_mutex_critical)
        COUNT(taken);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id,
                              const void *codeptr)
{
    (void)wait_id, (void)codeptr;
    if (kind == ompt_mutex_critical)
        COUNT(given);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    COUNT(starts);
#define ON(event) set(ompt_callback_##event, (ompt_callback_t)on_##event)
    ON(parallel_begin), ON(parallel_end), ON(implicit_task), ON(sync_region_wait);
    ON(mutex_acquired), ON(mutex_released);
    return 1;
}

/* A worker that is idle at the end need not have been told the end of its last task. */
static void finalize(ompt_data_t *data)
{
    (void)data;
    fprintf(stderr,
            "%d starts, regions %d %d, tasks %d, waits %d, critical %d %d, words %d\n",
            told.starts, told.begins, told.ends, told.begun, told.waits, told.taken,
            told.given, told.foreign);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *find(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW),
         *found = handle ? dlsym(handle, name) : NULL;
    if (!found)
        puts(dlerror());
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int (*first)(int (*)(int)) = (int (*)(int (*)(int)))find(argv[1], "run");
    int (*second)(int (*)(int)) = (int (*)(int (*)(int)))find(argv[2], "run");
    int (*within)(int) = (int (*)(int))find(argv[2], "run_within");
    if (!first || !second || !within)
        return 3;
    printf("%d\n",
           strcmp(argv[3], "within") ? first(NULL) + second(NULL) : first(within));
    return 0;
}
#endif
