/* SPDX-License-Identifier: MIT
 *
 * For endings.py: programs that end just after threads were let go, and, with -DTOOL, a tool
 * that counts how much of what has begun has ended when it is finalized.
 */
#ifdef TOOL
#include <ompd/omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common/start-tool.h"

enum { THREADS, IMPLICIT, SYNC, WAIT, KINDS };
static long begun[KINDS], ended[KINDS], disorder;
static int over;
static __thread int depth, ended_thread;
static ompt_finalize_tool_t finalize_tool;

static void count(int kind, int endpoint)
{
    __atomic_add_fetch(endpoint == ompt_scope_begin ? &begun[kind] : &ended[kind], 1,
                       __ATOMIC_RELAXED);
    depth += endpoint == ompt_scope_begin ? 1 : -1;
    if (__atomic_load_n(&over, __ATOMIC_RELAXED) || ended_thread || depth < 0)
        __atomic_add_fetch(&disorder, 1, __ATOMIC_RELAXED);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    (void)type, (void)data;
    count(THREADS, ompt_scope_begin);
}

static void on_thread_end(ompt_data_t *data)
{
    (void)data;
    count(THREADS, ompt_scope_end);
    ended_thread = 1;
    if (depth)
        __atomic_add_fetch(&disorder, 1, __ATOMIC_RELAXED);
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned actual, unsigned index, int flags)
{
    (void)parallel, (void)task, (void)actual, (void)index, (void)flags;
    count(IMPLICIT, at);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                    ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    (void)kind, (void)parallel, (void)task, (void)code;
    count(SYNC, at);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                    ompt_data_t *parallel, ompt_data_t *task, const void *code)
{
    (void)kind, (void)parallel, (void)task, (void)code;
    count(WAIT, at);
}

static int on_control(uint64_t command, uint64_t modifier, void *arg, const void *code)
{
    (void)command, (void)modifier, (void)arg, (void)code;
    finalize_tool();
    return 0;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
    set(ompt_callback_control_tool, (ompt_callback_t)on_control);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    over = 1;
    printf("%ld %ld %ld %ld begun, %ld %ld %ld %ld not ended, %ld in disorder\n",
           begun[THREADS], begun[IMPLICIT], begun[SYNC], begun[WAIT],
           begun[THREADS] - ended[THREADS], begun[IMPLICIT] - ended[IMPLICIT],
           begun[SYNC] - ended[SYNC], begun[WAIT] - ended[WAIT], disorder);
    fflush(stdout);
}

START_TOOL(initialize, finalize)

#else
#include <omp.h>
#include <pthread.h>
#include <string.h>

int omp_control_tool(int command, int modifier, void *arg) __attribute__((weak));

static void region(int threads)
{
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory");
}

static void *owner(void *unused)
{
    region(4);
    return unused;
}

int main(int count, char **arguments)
{
    const char *scene = count > 1 ? arguments[1] : "";
    if (strcmp(scene, "target") == 0) {
#pragma omp target parallel num_threads(8)
        __asm__ volatile("" ::: "memory");
    } else if (strcmp(scene, "nested") == 0) {
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
        region(4);
    } else if (strcmp(scene, "smaller") == 0) {
        region(8);
        region(2);
    } else if (strcmp(scene, "owner") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, owner, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(scene, "control") == 0) {
        region(4);
        omp_control_tool(1, 0, NULL);
        region(4);
    }
    return 0;
}
#endif
