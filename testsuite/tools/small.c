/* SPDX-License-Identifier: MIT
 *
 * A small tool for registration.py. What it does besides saying that it is there is
 * chosen by SMALL_TOOL: declines, null (has no initializer), inactive, empty (registers
 * nothing), all (empty callbacks for everything), calls (OpenMP routines in callbacks),
 * exits, forks, unregisters, finalizes.
 */
#define _GNU_SOURCE
#include <ompd/omp-tools.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only there when the program has OpenMP. */
extern int omp_get_thread_num(void) __attribute__((weak));
extern void omp_set_num_threads(int) __attribute__((weak));

static ompt_set_callback_t set_callback;
static ompt_finalize_tool_t finalize_tool;
static const char *what = "all";
static unsigned long calls;

static bool is(const char *word)
{
    return strcmp(what, word) == 0;
}

static void on_any(void)
{
    if (is("all"))
        return;
    calls++;
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned int requested, int flags,
                              const void *codeptr)
{
    (void)task, (void)frame, (void)requested, (void)flags, (void)codeptr;
    parallel->value = 1;
    calls++;
    if (is("calls") && omp_get_thread_num && omp_set_num_threads) {
        omp_set_num_threads(2 + omp_get_thread_num());
        int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum++;
        printf("tool: a region of its own had %d\n", sum);
    } else if (is("exits")) {
        exit(42);
    } else if (is("forks")) {
        pid_t child = fork();
        if (!child)
            _exit(7);
        int status = 0;
        waitpid(child, &status, 0);
        printf("tool: child ended with %d\n", WEXITSTATUS(status));
    } else if (is("unregisters")) {
        set_callback(ompt_callback_parallel_begin, NULL);
    } else if (is("finalizes")) {
        finalize_tool();
    }
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *arg,
                           const void *codeptr)
{
    printf("tool: control %lu %lu %s %s\n", (unsigned long)command,
           (unsigned long)modifier, arg ? "argument" : "none",
           codeptr ? "from code" : "from nowhere");
    return command == 99 ? 1 : 0;
}

static ompt_get_proc_id_t get_proc_id;

/* At the end of the program, on a thread that a tool that is not active knows nothing of. */
static void ask_inactive(void)
{
    printf("tool: processor %d\n", get_proc_id());
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device;
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    data->value = 77;
    printf("tool: initialized\n");
    if (is("inactive")) {
        get_proc_id = (ompt_get_proc_id_t)lookup("ompt_get_proc_id");
        atexit(ask_inactive);
        return 0;
    }
    if (is("empty"))
        return 1;
    if (is("all"))
        for (int event = 1; event <= ompt_callback_error; event++)
            set_callback((ompt_callbacks_t)event, (ompt_callback_t)on_any);
    else
        set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set_callback(ompt_callback_control_tool, (ompt_callback_t)on_control_tool);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    printf("tool: finalized %lu\n", (unsigned long)data->value);
    fflush(stdout);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    static ompt_start_tool_result_t nothing;
    const char *chosen = getenv("SMALL_TOOL");
#ifdef DECLINES
    return NULL;
#endif
    if (chosen)
        what = chosen;
    if (!getenv("SMALL_TOOL_QUIET"))
        printf("tool: asked%s%s\n", version >= 201811 ? "" : " by an old one",
               runtime && *runtime ? "" : " by nobody");
    return is("declines") ? NULL : is("null") ? &nothing : &result;
}
