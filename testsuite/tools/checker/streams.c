/* SPDX-License-Identifier: MIT
 *
 * A runtime that runs nothing and tells the checker streams of events: a good one, and
 * the same with one fault each, of which the checker must tell by its rule. Prints TAP.
 */
#include "checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_BEGIN ompt_scope_begin
#define AT_END ompt_scope_end

#define FAULTS(X)                                                                        \
    X(none, "")                                                                          \
    X(thread_twice, "thread")                                                            \
    X(after_thread_end, "thread")                                                        \
    X(no_thread, "thread")                                                               \
    X(thread_inside, "thread_tasks")                                                     \
    X(dirty_word, "data_clean")                                                          \
    X(same_id, "unique_id")                                                              \
    X(no_parallel_begin, "data")                                                         \
    X(no_parallel_end, "region_ends")                                                    \
    X(region_ends_twice, "region_ends")                                                  \
    X(missing_implicit, "region_tasks")                                                  \
    X(implicit_goes_on, "region_tasks")                                                  \
    X(index_of_none, "index")                                                            \
    X(index_changes, "index")                                                            \
    X(other_flags, "task_flags")                                                         \
    X(parallel_without_kind, "parallel_flags")                                           \
    X(no_code, "code")                                                                   \
    X(code_in_runtime, "code")                                                           \
    X(no_enter_frame, "frame_enter")                                                     \
    X(frame_elsewhere, "frame")                                                          \
    X(frame_of_no_kind, "frame_flags")                                                   \
    X(task_never_runs, "task_completes")                                                 \
    X(task_twice, "task_life")                                                           \
    X(task_of_nobody, "data")                                                            \
    X(task_from_idle, "current")                                                         \
    X(task_to_nowhere, "task_status")                                                    \
    X(status_unknown, "task_status")                                                     \
    X(untold_dependences, "dependences")                                                 \
    X(dependences_unasked, "dependences")                                                \
    X(too_early, "depend_order")                                                         \
    X(late_without_detach, "detach")                                                     \
    X(wait_alone, "wait_in_sync")                                                        \
    X(sync_not_ended, "scopes")                                                          \
    X(crossed, "scopes")                                                                 \
    X(work_not_begun, "scopes")                                                          \
    X(acquired_unasked, "mutex")                                                         \
    X(released_unheld, "mutex")                                                          \
    X(no_wait_state, "wait_state")                                                       \
    X(task_info_lies, "task_info")                                                       \
    X(parallel_info_lies, "parallel_info")                                               \
    X(endpoint_unknown, "endpoint")
enum fault {
#define X(name, rule) name,
    FAULTS(X)
#undef X
        FAULT_COUNT
};
static const struct {
    const char *name, *rule;
} faults[] = {
#define X(name, rule) {#name, rule},
    FAULTS(X)
#undef X
};

/* What the entry points tell. */
static struct {
    ompt_data_t thread, initial, outside, region, implicit, task, second;
    ompt_data_t *current, *current_region;
    int flags, size, state;
    uint64_t ids;
    ompt_wait_id_t wait;
    ompt_frame_t frame;
    enum fault fault;
} now;

static ompt_callback_t registered[64];

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    registered[event] = callback;
    return ompt_set_always;
}

static ompt_data_t *get_thread_data(void)
{
    return &now.thread;
}

static uint64_t get_unique_id(void)
{
    return now.fault == same_id && now.ids > 2 ? now.ids : ++now.ids;
}

static int get_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
                         ompt_data_t **region, int *num)
{
    if (level)
        return 0;
    *flags = now.flags;
    *data = now.fault == task_info_lies ? &now.second : now.current;
    *frame = &now.frame;
    *region = now.current_region;
    *num = 0;
    return 2;
}

static int get_parallel_info(int level, ompt_data_t **data, int *size)
{
    *data = now.current_region;
    *size = now.size + (now.fault == parallel_info_lies);
    return level ? 0 : 2;
}

static int get_state(ompt_wait_id_t *wait)
{
    *wait = now.wait;
    return now.state;
}

static ompt_interface_fn_t lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
#define ENTRY(name) {"ompt_" #name, (ompt_interface_fn_t)name}
        ENTRY(set_callback),  ENTRY(get_thread_data),   ENTRY(get_unique_id),
        ENTRY(get_task_info), ENTRY(get_parallel_info), ENTRY(get_state),
#undef ENTRY
    };
    for (unsigned i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (!strcmp(entries[i].name, name))
            return entries[i].function;
    return NULL;
}

#define TELL(name, ...)                                                                  \
    ((ompt_callback_##name##_t)registered[ompt_callback_##name])(__VA_ARGS__)
#define SYNC_TELL(name, ...)                                                             \
    ((ompt_callback_sync_region_t)registered[ompt_callback_##name])(__VA_ARGS__)
#define MUTEX_TELL(name, ...)                                                            \
    ((ompt_callback_mutex_t)registered[ompt_callback_mutex_##name])(__VA_ARGS__)

static void runs(ompt_data_t *task, ompt_data_t *region, int flags)
{
    now.current = task;
    now.current_region = region;
    now.flags = flags;
}

static void runs_implicit(void)
{
    runs(&now.implicit, &now.region, ompt_task_implicit);
}

static void mutexes(enum fault f, const void *code)
{
    now.state = f == no_wait_state ? ompt_state_work_parallel : ompt_state_wait_critical;
    now.wait = 0x100;
    if (f != acquired_unasked)
        TELL(mutex_acquire, ompt_mutex_critical, 0, 0, 0x100, code);
    now.state = ompt_state_work_parallel;
    MUTEX_TELL(acquired, ompt_mutex_critical, 0x100, code);
    MUTEX_TELL(released, ompt_mutex_critical, f == released_unheld ? 0x200 : 0x100, code);
}

static void created(ompt_data_t *task, bool depends, const void *code)
{
    TELL(task_create, &now.implicit, &now.frame, task, ompt_task_explicit, depends, code);
}

static void goes_to(ompt_data_t *task)
{
    TELL(task_schedule, &now.implicit, ompt_task_switch, task);
}

static void is_over(ompt_data_t *task, int status)
{
    TELL(task_schedule, task, status, &now.implicit);
    runs_implicit();
}

/* Two tasks, the second of which depends on the first. */
static void tasks(enum fault f, const void *code)
{
    ompt_dependence_t place = {{.value = 0x300}, ompt_dependence_type_inout};
    ompt_data_t nobody = {0};
    created(&now.task, f != dependences_unasked, code);
    if (f != untold_dependences)
        TELL(dependences, &now.task, &place, 1);
    created(&now.second, true, code);
    TELL(dependences, &now.second, &place, 1);
    if (f == task_of_nobody)
        TELL(task_schedule, &now.implicit, ompt_task_switch, &nobody);
    if (f == task_to_nowhere)
        TELL(task_schedule, &now.implicit, ompt_task_switch, NULL);
    if (f == status_unknown)
        TELL(task_schedule, &now.implicit, 77, &now.task);
    if (f == too_early) {
        goes_to(&now.second);
        is_over(&now.second, ompt_task_complete);
    }
    if (f != task_never_runs) {
        goes_to(&now.task);
        if (f == sync_not_ended) {
            runs(&now.task, &now.region, ompt_task_explicit);
            SYNC_TELL(sync_region, ompt_sync_region_taskwait, AT_BEGIN, &now.region,
                      &now.task, code);
        }
        is_over(&now.task, ompt_task_complete);
    }
    if (f == task_twice) {
        goes_to(&now.task);
        is_over(&now.task, ompt_task_complete);
    }
    if (f == task_from_idle)
        TELL(task_schedule, &now.second, ompt_task_switch, &now.implicit);
    if (f == late_without_detach)
        TELL(task_schedule, &now.task, ompt_task_late_fulfill, NULL);
    if (f != too_early && f != task_never_runs) {
        goes_to(&now.second);
        is_over(&now.second, ompt_task_complete);
    }
}

static void syncs(enum fault f, const void *code)
{
    int kind = ompt_sync_region_barrier_explicit;
    if (f != wait_alone)
        SYNC_TELL(sync_region, kind, AT_BEGIN, &now.region, &now.implicit, code);
    SYNC_TELL(sync_region_wait, kind, AT_BEGIN, &now.region, &now.implicit, code);
    if (f == crossed)
        SYNC_TELL(sync_region, kind, AT_END, &now.region, &now.implicit, code);
    SYNC_TELL(sync_region_wait, kind, f == endpoint_unknown ? 9 : AT_END, &now.region,
              &now.implicit, code);
    if (f == endpoint_unknown)
        SYNC_TELL(sync_region_wait, kind, AT_END, &now.region, &now.implicit, code);
    if (f != wait_alone && f != crossed)
        SYNC_TELL(sync_region, kind, AT_END, &now.region, &now.implicit, code);
    if (f != work_not_begun)
        TELL(work, ompt_work_loop, AT_BEGIN, &now.region, &now.implicit, 4, code);
    TELL(work, ompt_work_loop, AT_END, &now.region, &now.implicit, 4, code);
}

static void region(enum fault f, const void *code)
{
    int flags = f == parallel_without_kind
                    ? 0
                    : (int)(ompt_parallel_team | ompt_parallel_invoker_runtime);
    int flags_of_task = f == other_flags ? ompt_task_explicit : ompt_task_implicit;
    if (f == dirty_word)
        now.region.value = 5;
    if (f != no_parallel_begin)
        TELL(parallel_begin, &now.initial, &now.frame, &now.region, 1, flags, code);
    now.size = f == missing_implicit ? 2 : 1;
    runs(&now.implicit, &now.region, flags_of_task);
    TELL(implicit_task, AT_BEGIN, &now.region, &now.implicit, (unsigned)now.size,
         f == index_of_none, flags_of_task);
    runs_implicit();
    syncs(f, code);
    mutexes(f, code);
    tasks(f, code);
    if (f != implicit_goes_on)
        TELL(implicit_task, AT_END, NULL, &now.implicit, 0,
             f == index_changes || f == index_of_none, flags_of_task);
    now.size = 1;
    if (f != implicit_goes_on)
        runs(&now.initial, &now.outside, ompt_task_initial);
    if (f != no_parallel_end)
        TELL(parallel_end, &now.region, &now.initial, flags, code);
    if (f == region_ends_twice)
        TELL(parallel_end, &now.region, &now.initial, flags, code);
}

static void stream(enum fault f)
{
    const void *code = f == no_code           ? NULL
                       : f == code_in_runtime ? (const void *)&now
                                              : (const char *)stream + 4;
    char here[64];
    now.fault = f;
    now.frame.enter_frame.ptr = f == no_enter_frame    ? NULL
                                : f == frame_elsewhere ? (void *)&now
                                                       : here + sizeof(here);
    now.frame.enter_frame_flags =
        f == frame_of_no_kind ? 0 : ompt_frame_runtime | ompt_frame_cfa;
    ompt_start_tool_result_t *tool = ompt_start_tool(202111, "streams");
    tool->initialize(lookup, 0, &tool->tool_data);
    if (f != no_thread)
        TELL(thread_begin, ompt_thread_initial, &now.thread);
    if (f == thread_twice)
        TELL(thread_begin, ompt_thread_initial, &now.second);
    now.size = 1;
    runs(&now.initial, &now.outside, ompt_task_initial);
    TELL(implicit_task, AT_BEGIN, &now.outside, &now.initial, 1, 1, ompt_task_initial);
    region(f, f == code_in_runtime ? (const void *)(uintptr_t)0x10 : code);
    if (f != thread_inside)
        TELL(implicit_task, AT_END, &now.outside, &now.initial, 0, 1, ompt_task_initial);
    TELL(thread_end, &now.thread);
    if (f == after_thread_end)
        TELL(work, ompt_work_loop, AT_BEGIN, &now.region, &now.implicit, 4, code);
    tool->finalize(&tool->tool_data);
}

/* The rules of the lines of a report; the number of lines that contradict. */
static unsigned rules_of(FILE *report, const char *rule, bool *found)
{
    char line[600], told[64];
    unsigned count = 0;
    while (fgets(line, sizeof(line), report)) {
        if (sscanf(line, "! %63[^:]:", told) != 1)
            continue;
        count++;
        *found |= !strcmp(told, rule);
    }
    return count;
}

int main(void)
{
    char name[] = "/tmp/checker-streams-XXXXXX";
    int file = mkstemp(name), failed = 0;
    if (file < 0)
        return 2;
    setenv("CHECKER_REPORT", name, 1);
    unsetenv("CHECKER_EXCEPT");
    for (int f = 0; f < FAULT_COUNT; f++) {
        bool found = false;
        int status = 0;
        if (ftruncate(file, 0) < 0)
            return 2;
        pid_t child = fork();
        if (!child) {
            stream((enum fault)f);
            _exit(0);
        }
        waitpid(child, &status, 0);
        FILE *report = fopen(name, "r");
        unsigned count = report ? rules_of(report, faults[f].rule, &found) : 0;
        if (report)
            fclose(report);
        bool good = status == 0 && (f == none ? count == 0 : found);
        failed |= !good;
        printf("%sok %d - %s, %u told%s%s\n", good ? "" : "not ", f + 1, faults[f].name,
               count, f ? ", rule " : "", faults[f].rule);
        fflush(stdout);
    }
    unlink(name);
    printf("1..%d\n", (int)FAULT_COUNT);
    return failed;
}
