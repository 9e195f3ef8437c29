/* SPDX-License-Identifier: MIT
 *
 * A tool that tells everything that it is given: each event with its arguments, its data words
 * by the numbers that it leaves in them, and what the inquiry functions say at that moment. What
 * differs from run to run is told as what it is, not where: one log for each thread.
 *
 * It is also the tool of a program that is linked with it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_proc_id_t get_proc_id;
static ompt_get_state_t get_state;
static ompt_get_callback_t get_callback;
static ompt_set_callback_t set_callback;

static int threads;
static __thread FILE *out;
static __thread unsigned long last;
static __thread int self;

static FILE *log_of_thread(void)
{
    if (!out) {
        char path[4096];
        self = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
        snprintf(path, sizeof(path), "%s.%d", getenv("CHAINED_LOG"), self);
        out = fopen(path, "w");
        if (!out)
            abort();
    }
    return out;
}

static void name(ompt_data_t *data)
{
    log_of_thread();
    if (data)
        data->value = (unsigned long)(self + 1) * 1000000 + ++last;
}

/* LLVM's runtime hands out the word of a team at address 0. */
static void word(const char *what, const ompt_data_t *data)
{
    if ((unsigned long)data >= 4096)
        fprintf(log_of_thread(), " %s=%lu", what, (unsigned long)data->value);
    else
        fprintf(log_of_thread(), " %s=%s", what, data ? "low" : "none");
}

static void code(const void *address)
{
    Dl_info info;
    if (address && dladdr(address, &info))
        fprintf(log_of_thread(), " %s+%lx", strrchr(info.dli_fname, '/'),
                (unsigned long)((const char *)address - (const char *)info.dli_fbase));
}

static void inquire(void)
{
    fprintf(log_of_thread(), " |");
    for (int level = 0; level < 4; level++) {
        int flags = 0, number = 0, size = 0;
        ompt_data_t *task = NULL, *parallel = NULL;
        ompt_frame_t *frame = NULL;
        int available = get_task_info(level, &flags, &task, &frame, &parallel, &number);
        if (available) {
            fprintf(out, " [%d %x %d %d%d", available, (unsigned)flags, number,
                    frame && frame->exit_frame.ptr, frame && frame->enter_frame.ptr);
            word("task", task);
            word("parallel", parallel);
            fprintf(out, "]");
        }
        available = get_parallel_info(level, &parallel, &size);
        if (available) {
            fprintf(out, " {%d %d", available, size);
            word("parallel", parallel);
            fprintf(out, "}");
        }
    }
    word("thread", get_thread_data());
    fprintf(out, "\n");
}

/* A worker hears of the end of a region late, when its team may be being made anew. */
static void inquire_in(const ompt_data_t *parallel)
{
    if (parallel)
        inquire();
    else
        fprintf(log_of_thread(), "\n");
}

static void event(const char *name_of_event, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(log_of_thread(), "%s ", name_of_event);
    vfprintf(out, format, list);
    va_end(list);
}

#define ON(event) static void on_##event

ON(thread_begin)(ompt_thread_t type, ompt_data_t *thread)
{
    name(thread);
    event("thread_begin", "%d\n", type); /* its team may be being made */
}

ON(thread_end)(ompt_data_t *thread)
{
    event("thread_end", "");
    word("thread", thread);
    fprintf(out, "\n");
}

ON(parallel_begin)
(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
 int flags, const void *codeptr)
{
    event("parallel_begin", "%u %x %d", requested, (unsigned)flags, frame != NULL);
    word("was", parallel);
    name(parallel);
    word("task", task);
    word("parallel", parallel);
    code(codeptr);
    inquire();
}

ON(parallel_end)(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr)
{
    event("parallel_end", "%x", (unsigned)flags);
    word("parallel", parallel);
    word("task", task);
    code(codeptr);
    inquire();
}

ON(implicit_task)
(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
 unsigned actual, unsigned index, int flags)
{
    if (endpoint == ompt_scope_begin)
        name(task);
    event("implicit_task", "%d %u %u %x", endpoint, actual, index, (unsigned)flags);
    word("parallel", parallel);
    word("task", task);
    inquire_in(parallel);
}

ON(task_create)
(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task, int flags,
 int has_dependences, const void *codeptr)
{
    event("task_create", "%x %d %d", (unsigned)flags, has_dependences, frame != NULL);
    word("was", task);
    name(task);
    word("encountering", encountering);
    word("task", task);
    code(codeptr);
    inquire();
}

ON(task_schedule)(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    event("task_schedule", "%d", status);
    word("prior", prior);
    word("next", next);
    inquire();
    if (prior)
        prior->value++; /* also the last value of one that ends is kept */
}

ON(dependences)(ompt_data_t *task, const ompt_dependence_t *items, int count)
{
    event("dependences", "%d", count);
    word("task", task);
    for (int i = 0; i < count; i++)
        fprintf(out, " %d", items[i].dependence_type);
    inquire();
}

ON(task_dependence)(ompt_data_t *source, ompt_data_t *sink)
{
    event("task_dependence", "");
    word("source", source);
    word("sink", sink);
    inquire();
}

#define SYNC(which)                                                                      \
    ON(which)                                                                            \
    (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel,    \
     ompt_data_t * task, const void *codeptr)                                            \
    {                                                                                    \
        event(#which, "%d %d", kind, endpoint);                                          \
        word("parallel", parallel);                                                      \
        word("task", task);                                                              \
        code(codeptr);                                                                   \
        inquire_in(parallel);                                                            \
    }
SYNC(sync_region)
SYNC(sync_region_wait)
SYNC(reduction)

ON(work)
(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
 ompt_data_t *task, uint64_t count, const void *codeptr)
{
    event("work", "%d %d %lu", type, endpoint, (unsigned long)count);
    word("parallel", parallel);
    word("task", task);
    code(codeptr);
    inquire();
}

ON(dispatch)
(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
    event("dispatch", "%d %d", kind, instance.value != 0);
    word("parallel", parallel);
    word("task", task);
    inquire();
}

ON(masked)
(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
 const void *codeptr)
{
    event("masked", "%d", endpoint);
    word("parallel", parallel);
    word("task", task);
    code(codeptr);
    inquire();
}

ON(cancel)(ompt_data_t *task, int flags, const void *codeptr)
{
    event("cancel", "%x", (unsigned)flags);
    word("task", task);
    code(codeptr);
    inquire();
}

ON(mutex_acquire)
(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
 const void *codeptr)
{
    event("mutex_acquire", "%d %u %u %d", kind, hint, impl, wait != 0);
    code(codeptr);
    inquire();
}

#define MUTEX(which)                                                                     \
    ON(which)(ompt_mutex_t kind, ompt_wait_id_t wait, const void *codeptr)               \
    {                                                                                    \
        event(#which, "%d %d", kind, wait != 0);                                         \
        code(codeptr);                                                                   \
        inquire();                                                                       \
    }
MUTEX(mutex_acquired)
MUTEX(mutex_released)
MUTEX(lock_destroy)

ON(lock_init)
(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait,
 const void *codeptr)
{
    event("lock_init", "%d %u %u %d", kind, hint, impl, wait != 0);
    code(codeptr);
    inquire();
}

ON(nest_lock)(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait, const void *codeptr)
{
    event("nest_lock", "%d %d", endpoint, wait != 0);
    code(codeptr);
    inquire();
}

ON(flush)(ompt_data_t *thread, const void *codeptr)
{
    event("flush", "");
    word("thread", thread);
    code(codeptr);
    inquire();
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg,
                           const void *codeptr)
{
    event("control_tool", "%lu %lu %d", (unsigned long)command, (unsigned long)modifier,
          arg != NULL);
    code(codeptr);
    inquire();
    if (command == 4 && !strcmp(getenv("CHAINED"), "finalizes"))
        set_callback(ompt_callback_masked, NULL);
    return 7;
}

static void set(const char *name_of_event, ompt_callbacks_t number,
                ompt_callback_t callback)
{
    ompt_callback_t got = NULL;
    int result = set_callback(number, callback);
    event("set", "%s %d", name_of_event, result);
    result = get_callback(number, &got);
    fprintf(out, ", get %d %s\n", result,
            !got              ? "none"
            : got == callback ? "it"
                              : "another");
}

/* A tool that is not active learns nothing, also if another one is. */
static void ask_inactive(void)
{
    event("inactive", "%d %d %d %d %d\n", get_proc_id(), get_state(NULL),
          get_thread_data() != NULL, get_parallel_info(0, NULL, NULL),
          get_task_info(0, NULL, NULL, NULL, NULL, NULL));
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    const char *how = getenv("CHAINED");
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_proc_id = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    event("initialize", "%d %d\n", device, lookup("ompt_no_such") != NULL);
    data->value = 77;
#define SET(name) set(#name, ompt_callback_##name, (ompt_callback_t)on_##name);
    SET(thread_begin)
    SET(parallel_begin)
    SET(parallel_end)
    SET(implicit_task)
    SET(task_create)
    SET(task_schedule)
    SET(control_tool)
    if (strcmp(how, "few")) {
        SET(thread_end)
        SET(dependences)
        SET(task_dependence)
        SET(sync_region)
        SET(sync_region_wait)
        SET(reduction)
        SET(work)
        SET(dispatch)
        SET(masked)
        SET(cancel)
        SET(mutex_acquire)
        SET(mutex_acquired)
        SET(mutex_released)
        SET(nest_lock)
        SET(lock_init)
        SET(lock_destroy)
        SET(flush)
    }
#undef SET
    set("without a callback", ompt_callback_device_load, NULL);
    set("unknown", (ompt_callbacks_t)1000, (ompt_callback_t)on_flush);
    bool is_active = strcmp(how, "inactive") != 0;
    if (!is_active)
        atexit(ask_inactive);
    return is_active;
}

static void finalize(ompt_data_t *data)
{
    event("finalize", "%lu\n", (unsigned long)data->value);
    fclose(out);
    out = NULL;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    event("start", "%u %s\n", version, runtime);
    return &result;
}
