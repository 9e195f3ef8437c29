/* SPDX-License-Identifier: MIT
 *
 * A tool that prints every event that OMPT tells it of, one line each, and checks what
 * must nest: begins and ends of each thread, ids, task life. Built as a library to be
 * preloaded or named in OMP_TOOL_LIBRARIES. EVENTS_PRINT=0 prints only what is wrong.
 *
 * Lines: thread number, depth, event, arguments. The last line counts events and errors;
 * with errors the process ends with status 99.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OFFICIAL
#include <stdint.h>
#include <stddef.h>
#include OFFICIAL
#else
#include <ompd/omp-tools.h>
#endif

enum { MOST_THREADS = 20000, MOST_OPEN = 256 };

static ompt_get_thread_data_t get_thread_data;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static int print = 1;
static unsigned long events, errors, tasks_made, tasks_done;

/* What a thread has begun and not ended. */
struct seen {
    int number, depth, over;
    struct open {
        const char *what;
        int kind;
        uint64_t id;
    } open[MOST_OPEN];
};
static struct seen seen[MOST_THREADS];
static int threads;

static struct seen *self(void)
{
    ompt_data_t *data = get_thread_data();
    return data ? data->ptr : NULL;
}

static void __attribute__((format(printf, 2, 3)))
line(const char *mark, const char *format, ...)
{
    struct seen *s = self();
    va_list list;
    __atomic_add_fetch(*mark == '!' ? &errors : &events, 1, __ATOMIC_RELAXED);
    if (!print && *mark != '!')
        return;
    va_start(list, format);
    pthread_mutex_lock(&output);
    fprintf(stderr, "%s%2d %*s", mark, s ? s->number : -1, s ? 2 * s->depth : 0, "");
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    pthread_mutex_unlock(&output);
    va_end(list);
}

#define WRONG(...) line("!", __VA_ARGS__)

static void opened(const char *what, int kind, uint64_t id)
{
    struct seen *s = self();
    if (!s || s->over) {
        WRONG("%s on a thread that has not begun or has ended", what);
        return;
    }
    if (s->depth < MOST_OPEN)
        s->open[s->depth] = (struct open){what, kind, id};
    s->depth++;
}

static void closed(const char *what, int kind, uint64_t id)
{
    struct seen *s = self();
    if (!s || s->over || !s->depth) {
        WRONG("end of %s that has not begun", what);
        return;
    }
    s->depth--;
    if (s->depth >= MOST_OPEN)
        return;
    struct open *o = &s->open[s->depth];
    if (strcmp(o->what, what) || o->kind != kind || o->id != id)
        WRONG("end of %s %d %lu inside of %s %d %lu", what, kind, (unsigned long)id,
              o->what, o->kind, (unsigned long)o->id);
}

static void endpoint(ompt_scope_endpoint_t at, const char *what, int kind, uint64_t id)
{
    if (at == ompt_scope_begin)
        opened(what, kind, id);
    else if (at == ompt_scope_end)
        closed(what, kind, id);
    else
        WRONG("%s: endpoint %d", what, (int)at);
}

static unsigned long value(const ompt_data_t *data)
{
    return data ? (unsigned long)data->value : 0;
}

static void code(const char *what, const void *codeptr)
{
    if (!codeptr)
        WRONG("%s: no code pointer", what);
}

/* What the inquiry functions say must be what the callback says. */
static void current(const char *what, const ompt_data_t *task)
{
    int flags = 0, num = -1;
    ompt_data_t *data = NULL, *parallel = NULL;
    ompt_frame_t *frame = NULL;
    int found = get_task_info(0, &flags, &data, &frame, &parallel, &num);
    if (found != 2 || data != task || !frame || num < 0)
        WRONG("%s: get_task_info %d, task %lu and not %lu", what, found, value(data),
              value(task));
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    int number = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    if (data->value)
        WRONG("thread_begin: its word is not 0");
    if (number >= MOST_THREADS)
        abort();
    seen[number].number = number;
    data->ptr = &seen[number];
    line(" ", "thread_begin %s",
         type == ompt_thread_initial  ? "initial"
         : type == ompt_thread_worker ? "worker"
                                      : "?");
}

static void on_thread_end(ompt_data_t *data)
{
    struct seen *s = self();
    if (!s || data->ptr != s || s->over || s->depth)
        WRONG("thread_end with %d open", s ? s->depth : -1);
    line(" ", "thread_end");
    if (s)
        s->over = 1;
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned int requested, int flags,
                              const void *codeptr)
{
    code("parallel_begin", codeptr);
    current("parallel_begin", task);
    if (parallel->value)
        WRONG("parallel_begin: its word is not 0");
    if (!frame || !frame->enter_frame.ptr)
        WRONG("parallel_begin: no enter frame");
    parallel->value = get_unique_id();
    line(" ", "parallel_begin %lu of task %lu, %u requested%s", value(parallel),
         value(task), requested, flags & ompt_parallel_league ? ", league" : "");
    opened("parallel", 0, parallel->value);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                            const void *codeptr)
{
    (void)flags;
    code("parallel_end", codeptr);
    closed("parallel", 0, parallel->value);
    current("parallel_end", task);
    line(" ", "parallel_end %lu", value(parallel));
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned int actual, unsigned int index,
                             int flags)
{
    if (at == ompt_scope_begin) {
        if (task->value)
            WRONG("implicit_task: its word is not 0");
        task->value = get_unique_id();
        ompt_data_t *info = NULL;
        int size = 0;
        if (get_parallel_info(0, &info, &size) != 2 || info != parallel ||
            size != (int)actual)
            WRONG("implicit_task: get_parallel_info %lu of %d", value(info), size);
        current("implicit_task", task);
    } else if (parallel && !(flags & ompt_task_initial)) {
        WRONG("implicit_task end with a region");
    }
    if (at == ompt_scope_end)
        closed("task", flags, task->value);
    line(" ", "%s task %s %lu in %lu, %u of %u",
         flags & ompt_task_initial ? "initial" : "implicit",
         at == ompt_scope_begin ? "begin" : "end", value(task), value(parallel), index,
         actual);
    if (at == ompt_scope_begin)
        opened("task", flags, task->value);
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame,
                           ompt_data_t *task, int flags, int dependences,
                           const void *codeptr)
{
    (void)frame;
    code("task_create", codeptr);
    if (task->value)
        WRONG("task_create: its word is not 0");
    task->value = get_unique_id();
    if (flags & ompt_task_explicit)
        __atomic_add_fetch(&tasks_made, 1, __ATOMIC_RELAXED);
    line(" ", "task_create %lu of %lu, flags %x%s", value(task), value(parent), flags,
         dependences ? ", depends" : "");
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *deps, int count)
{
    if (!task->value || count <= 0)
        WRONG("dependences before task_create");
    for (int i = 0; i < count; i++)
        line(" ", "dependence of %lu: %d on %lx", value(task), deps[i].dependence_type,
             (unsigned long)deps[i].variable.value);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status,
                             ompt_data_t *next)
{
    line(" ", "task_schedule %lu %d %lu", value(prior), (int)status, value(next));
    if (!prior || !prior->value || (next && !next->value))
        WRONG("task_schedule of a task that was not created");
    switch (status) {
    case ompt_task_switch:
        opened("explicit task", 0, value(next));
        current("task_schedule", next);
        break;
    case ompt_task_complete:
    case ompt_task_cancel:
        __atomic_add_fetch(&tasks_done, 1, __ATOMIC_RELAXED);
        struct seen *s = self();
        /* A discarded task was never begun. */
        if (status == ompt_task_complete ||
            (s && s->depth && s->open[s->depth - 1].id == value(prior)))
            closed("explicit task", 0, value(prior));
        break;
    case ompt_task_detach:
        closed("explicit task", 0, value(prior));
        break;
    case ompt_task_late_fulfill:
        __atomic_add_fetch(&tasks_done, 1, __ATOMIC_RELAXED);
        break;
    default:
        break;
    }
}

static void synchronise(const char *what, ompt_sync_region_t kind,
                        ompt_scope_endpoint_t at, ompt_data_t *parallel,
                        ompt_data_t *task, const void *codeptr)
{
    code(what, codeptr);
    bool last =
        at == ompt_scope_end && kind == ompt_sync_region_barrier_implicit_parallel;
    if (last ? parallel != NULL : !parallel)
        WRONG("%s: region %lu", what, value(parallel));
    current(what, task);
    if (at == ompt_scope_end)
        endpoint(at, what, (int)kind, value(task));
    line(" ", "%s %d %s in task %lu", what, (int)kind,
         at == ompt_scope_begin ? "begin" : "end", value(task));
    if (at == ompt_scope_begin)
        endpoint(at, what, (int)kind, value(task));
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                           ompt_data_t *parallel, ompt_data_t *task, const void *codeptr)
{
    synchronise("sync_region", kind, at, parallel, task, codeptr);
}

static void on_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                         ompt_data_t *parallel, ompt_data_t *task, const void *codeptr)
{
    synchronise("sync_region_wait", kind, at, parallel, task, codeptr);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t at, ompt_data_t *parallel,
                    ompt_data_t *task, uint64_t count, const void *codeptr)
{
    (void)parallel;
    code("work", codeptr);
    current("work", task);
    if (at == ompt_scope_end)
        endpoint(at, "work", (int)kind, value(task));
    line(" ", "work %d %s, %lu", (int)kind, at == ompt_scope_begin ? "begin" : "end",
         (unsigned long)count);
    if (at == ompt_scope_begin)
        endpoint(at, "work", (int)kind, value(task));
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
                             ompt_wait_id_t id, const void *codeptr)
{
    (void)hint;
    (void)impl;
    code("mutex_acquire", codeptr);
    line(" ", "mutex_acquire %d", (int)kind);
    if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock) {
        ompt_wait_id_t asked = 0;
        int state = get_state(&asked);
        if (asked != id || state < ompt_state_wait_mutex ||
            state > ompt_state_wait_ordered)
            WRONG("mutex_acquire: state %x, wait id %lx and not %lx", state,
                  (unsigned long)asked, (unsigned long)id);
    }
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr)
{
    (void)id;
    code("mutex_acquired", codeptr);
    line(" ", "mutex_acquired %d", (int)kind);
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr)
{
    (void)id;
    code("mutex_released", codeptr);
    line(" ", "mutex_released %d", (int)kind);
}

static void on_nest_lock(ompt_scope_endpoint_t at, ompt_wait_id_t id, const void *codeptr)
{
    (void)id;
    code("nest_lock", codeptr);
    line(" ", "nest_lock %s", at == ompt_scope_begin ? "begin" : "end");
}

static void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
                         ompt_wait_id_t id, const void *codeptr)
{
    (void)hint;
    (void)impl;
    (void)id;
    code("lock_init", codeptr);
    line(" ", "lock_init %d", (int)kind);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr)
{
    (void)id;
    code("lock_destroy", codeptr);
    line(" ", "lock_destroy %d", (int)kind);
}

static void on_cancel(ompt_data_t *task, int flags, const void *codeptr)
{
    (void)codeptr;
    line(" ", "cancel of task %lu, flags %x", value(task), flags);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t at, int device,
                      ompt_data_t *task, ompt_id_t id, const void *codeptr)
{
    code("target", codeptr);
    current("target", task);
    if (!id)
        WRONG("target without id");
    if (at == ompt_scope_end)
        endpoint(at, "target", (int)kind, id);
    line(" ", "target %d %s, device %d", (int)kind,
         at == ompt_scope_begin ? "begin" : "end", device);
    if (at == ompt_scope_begin)
        endpoint(at, "target", (int)kind, id);
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg,
                           const void *codeptr)
{
    code("control_tool", codeptr);
    line(" ", "control_tool %lu %lu %s", (unsigned long)command, (unsigned long)modifier,
         arg ? "with argument" : "");
    return command == 99 ? 1 : 0;
}

static void on_error(ompt_severity_t severity, const char *message, size_t length,
                     const void *codeptr)
{
    code("error", codeptr);
    line(" ", "error %d %.*s", (int)severity, (int)length, message ? message : "");
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    static const char *const answers[] = {
        "error", "never", "impossible", "sometimes", "sometimes_paired", "always"};
    (void)device;
    (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    if (lookup("no_such_entry"))
        WRONG("lookup finds what is not there");
#define SET(name, function)                                                              \
    do {                                                                                 \
        int answer = set(ompt_callback_##name, (ompt_callback_t)function);               \
        if (print)                                                                       \
            fprintf(stderr, "set %s: %s\n", #name, answers[answer]);                     \
    } while (0)
    SET(thread_begin, on_thread_begin);
    SET(thread_end, on_thread_end);
    SET(parallel_begin, on_parallel_begin);
    SET(parallel_end, on_parallel_end);
    SET(implicit_task, on_implicit_task);
    SET(task_create, on_task_create);
    SET(task_schedule, on_task_schedule);
    SET(dependences, on_dependences);
    SET(sync_region, on_sync_region);
    SET(sync_region_wait, on_sync_wait);
    SET(work, on_work);
    SET(mutex_acquire, on_mutex_acquire);
    SET(mutex_acquired, on_mutex_acquired);
    SET(mutex_released, on_mutex_released);
    SET(nest_lock, on_nest_lock);
    SET(lock_init, on_lock_init);
    SET(lock_destroy, on_lock_destroy);
    SET(cancel, on_cancel);
    SET(target, on_target);
    SET(control_tool, on_control_tool);
    SET(error, on_error);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    for (int i = 0; i < threads && i < MOST_THREADS; i++)
        if (!seen[i].over && getenv("EVENTS_ALL_END")) {
            errors++;
            fprintf(stderr, "!thread %d has not ended\n", i);
        }
    /* exit() may have come in the middle of something. */
    struct seen *s = self();
    if (tasks_made != tasks_done && !(s && s->depth)) {
        errors++;
        fprintf(stderr, "!%lu tasks created, %lu completed\n", tasks_made, tasks_done);
    }
    fprintf(stderr, "tool: %lu events, %lu errors\n", events, errors);
    fflush(NULL);
    if (errors)
        _exit(99);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    const char *setting = getenv("EVENTS_PRINT");
    print = !setting || strcmp(setting, "0");
    if (print)
        fprintf(stderr, "tool: started by %s, %u\n", runtime, version);
    return &result;
}
