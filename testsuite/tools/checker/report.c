/* SPDX-License-Identifier: MIT
 *
 * The report, and the tool's beginning and end. One line is one write: processes share
 * the file.
 */
#include "checker.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/start-tool.h"

enum { MOST_LINES = 40 };

static const char
    *name; /* opened for each line: the program may close all that it finds */
static unsigned long events, contradictions;

struct entries ask;
uint32_t generation;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    char line[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    if (length >= (int)sizeof(line))
        length = sizeof(line) - 1;
    int report = name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                      : STDERR_FILENO;
    if (write(report, line, (size_t)length) < 0)
        abort();
    if (name)
        close(report);
}

void report_open(void)
{
    name = getenv("CHECKER_REPORT");
    events = contradictions = 0;
    put("+ %d\n", (int)getpid());
}

void report_close(void)
{
    put("= %d: %lu events, %lu contradictions\n", (int)getpid(), events, contradictions);
}

void count_event(void)
{
    __atomic_add_fetch(&events, 1, __ATOMIC_RELAXED);
}

/* Whether the word is one of the list, which commas part. */
static bool excepted(const char *rule)
{
    const char *list = getenv("CHECKER_EXCEPT");
    size_t length = strlen(rule);
    for (; list && *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && !strncmp(list, rule, length))
            return true;
    return false;
}

void contradiction(const char *rule, const char *event, const char *format, ...)
{
    char text[256];
    if (excepted(rule))
        return;
    if (__atomic_fetch_add(&contradictions, 1, __ATOMIC_RELAXED) >= MOST_LINES)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    put("! %s: %s on thread %lu: %s\n", rule, event, id_of(me), text);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device;
    (void)data;
    generation++;
    me = NULL;
    ask.set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    ask.get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    ask.get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
    ask.get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    ask.get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    ask.get_state = (ompt_get_state_t)lookup("ompt_get_state");
    report_open();
    HOLDS(lookup, !lookup("ompt_no_such_entry"), "it finds what is not there");
#define SET(name) ask.set_callback(ompt_callback_##name, (ompt_callback_t)on_##name)
#define ALWAYS(name) HOLDS(always, SET(name) == ompt_set_always, "not for " #name)
    ALWAYS(thread_begin);
    ALWAYS(thread_end);
    ALWAYS(parallel_begin);
    ALWAYS(parallel_end);
    ALWAYS(task_create);
    ALWAYS(task_schedule);
    ALWAYS(implicit_task);
    SET(target);
    SET(dependences);
    SET(cancel);
    SET(sync_region);
    SET(sync_region_wait);
    SET(work);
    SET(mutex_acquire);
    SET(mutex_acquired);
    SET(mutex_released);
    SET(nest_lock);
    SET(lock_init);
    SET(lock_destroy);
    SET(error);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    objects_check();
    report_close();
}

START_TOOL(initialize, finalize)
