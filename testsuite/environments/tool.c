/* SPDX-License-Identifier: MIT
 *
 * A tool as users load it: it registers every callback, marks threads, regions and tasks
 * by their data words, and stays silent unless a word is not what it left there.
 * SLOW_TOOL: it takes so many milliseconds to start. UNMARKED_TASKS: it leaves the words of tasks
 * alone, which LLVM's runtime expects where a thread waits for dependences. Control command 1
 * answers how many regions began.
 */
#include <ompd/omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/start-tool.h"

enum { REGION = 17, TASK = 23, THREAD = 29 };

static unsigned long events;
static int regions, marks_tasks;

static void count(void)
{
    __atomic_add_fetch(&events, 1, __ATOMIC_RELAXED);
}

static void expect(const ompt_data_t *data, uint64_t word, const char *what)
{
    count();
    if (data && data->value != word && data->value != 0)
        fprintf(stderr, "tool: the data of a %s is %lu\n", what,
                (unsigned long)data->value);
}

static void mark(ompt_data_t *task)
{
    if (marks_tasks)
        task->value = TASK;
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *thread)
{
    (void)type;
    count();
    thread->value = THREAD;
}

static void on_thread_end(ompt_data_t *thread)
{
    expect(thread, THREAD, "thread");
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned int requested, int flags,
                              const void *codeptr)
{
    (void)frame, (void)requested, (void)flags, (void)codeptr;
    expect(task, TASK, "task");
    parallel->value = REGION;
    __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                            const void *codeptr)
{
    (void)flags, (void)codeptr;
    expect(parallel, REGION, "region");
    expect(task, TASK, "task");
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned int size, unsigned int index,
                             int flags)
{
    (void)size, (void)index;
    if (!(flags & ompt_task_initial))
        expect(parallel, REGION, "region");
    if (endpoint == ompt_scope_begin)
        mark(task);
    else
        expect(task, TASK, "task");
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame,
                           ompt_data_t *task, int flags, int has_dependences,
                           const void *codeptr)
{
    (void)frame, (void)flags, (void)has_dependences, (void)codeptr;
    expect(parent, TASK, "task");
    mark(task);
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status,
                             ompt_data_t *next)
{
    (void)status;
    expect(prior, TASK, "task");
    expect(next, TASK, "task");
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument,
                           const void *codeptr)
{
    (void)modifier, (void)argument, (void)codeptr;
    return command == 1 ? __atomic_load_n(&regions, __ATOMIC_RELAXED) : -2;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    const char *slow = getenv("SLOW_TOOL");
    if (slow)
        usleep(1000 * (unsigned)atoi(slow));
    marks_tasks = !getenv("UNMARKED_TASKS");
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    for (int event = 1; event <= ompt_callback_error; event++)
        set((ompt_callbacks_t)event, (ompt_callback_t)count);
    set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule);
    set(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
    return 1;
}

START_TOOL(initialize, finalize_nothing)
