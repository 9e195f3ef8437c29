/* SPDX-License-Identifier: MIT
 *
 * A tool of OMPT that writes every event of a program to the file that AGREE_EVENTS names, a
 * line each in the order in which they came, in words that do not depend on the runtime:
 *
 *     thread task event name=value ...
 *
 * Regions and tasks are numbered as they begin; code and frames are told apart by what they
 * are, not by address. See agree_events.py.
 */
#include <ompd/omp-tools.h>

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/start-tool.h"

enum { MOST = 1 << 17, WORDS = 160 };

static struct event {
    int written;
    unsigned thread;
    unsigned long task;
    char words[WORDS];
} events[MOST];
static unsigned long used, last_id;
static unsigned last_thread;
static __thread unsigned this_thread;
static uintptr_t program_begin, program_end;
static ompt_get_task_info_t get_task_info;

static void log_event(unsigned long task, const char *format, ...)
{
    unsigned long i = __atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST);
    if (i >= MOST)
        return;
    if (!this_thread)
        this_thread = __atomic_add_fetch(&last_thread, 1, __ATOMIC_SEQ_CST);
    struct event *event = &events[i];
    event->thread = this_thread;
    event->task = task;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(event->words, sizeof(event->words), format, arguments);
    va_end(arguments);
    __atomic_store_n(&event->written, 1, __ATOMIC_RELEASE);
}

/* Numbers what the word belongs to when it is seen first. */
static unsigned long id(ompt_data_t *data)
{
    if (!data)
        return 0;
    if (!data->value)
        data->value = __atomic_add_fetch(&last_id, 1, __ATOMIC_SEQ_CST);
    return (unsigned long)data->value;
}

static unsigned long current(void)
{
    ompt_data_t *data = NULL;
    int found = get_task_info(0, NULL, &data, NULL, NULL, NULL);
    return found == 2 ? id(data) : 0;
}

static const char *code(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    return !address                                           ? "null"
           : at - program_begin < program_end - program_begin ? "program"
                                                              : "elsewhere";
}

static const char *is_set(const void *pointer)
{
    return pointer ? "set" : "null";
}

static const char *enter(const ompt_frame_t *frame)
{
    return frame ? is_set(frame->enter_frame.ptr) : "none";
}

static const char *exits(const ompt_frame_t *frame)
{
    return frame ? is_set(frame->exit_frame.ptr) : "none";
}

#define NAME(table, number)                                                              \
    ((unsigned)(number) < sizeof(table) / sizeof(table[0]) &&                            \
             (table)[(unsigned)(number)]                                                 \
         ? (table)[(unsigned)(number)]                                                   \
         : "?")

static const char *const endpoints[] = {NULL, "begin", "end", "beginend"};
static const char *const syncs[] = {NULL,
                                    "barrier",
                                    "barrier_implicit",
                                    "barrier_explicit",
                                    "barrier_implementation",
                                    "taskwait",
                                    "taskgroup",
                                    "reduction",
                                    "barrier_implicit_workshare",
                                    "barrier_implicit_parallel",
                                    "barrier_teams"};
static const char *const mutexes[] = {NULL,        "lock",           "test_lock",
                                      "nest_lock", "test_nest_lock", "critical",
                                      "atomic",    "ordered"};
static const char *const works[] = {
    NULL,          "loop",         "sections",    "single_executor", "single_other",
    "workshare",   "distribute",   "taskloop",    "scope",           NULL,
    "loop_static", "loop_dynamic", "loop_guided", "loop_other"};
static const char *const statuses[] = {NULL,           "complete", "yield",
                                       "cancel",       "detach",   "early_fulfill",
                                       "late_fulfill", "switch",   "taskwait_complete"};
static const char *const dependences[] = {
    NULL, "in", "out", "inout", "mutexinoutset", "source", "sink", "inoutset"};
static const char *const threads[] = {NULL, "initial", "worker", "other", "unknown"};
static const char *const targets[] = {NULL, "region", "enter_data", "exit_data", "update"};
static const char *const dispatches[] = {
    NULL, "iteration", "section", "loop_chunk", "taskloop_chunk", "distribute_chunk"};

struct flag {
    unsigned bit;
    const char *name;
};
static const struct flag task_flags[] = {
    {ompt_task_initial, "initial"},
    {ompt_task_implicit, "implicit"},
    {ompt_task_explicit, "explicit"},
    {ompt_task_target, "target"},
    {ompt_task_taskwait, "taskwait"},
    {ompt_task_undeferred, "undeferred"},
    {ompt_task_untied, "untied"},
    {ompt_task_final, "final"},
    {ompt_task_mergeable, "mergeable"},
    {ompt_task_merged, "merged"},
    {0, NULL},
};
static const struct flag parallel_flags[] = {
    {ompt_parallel_invoker_program, "program"},
    {ompt_parallel_invoker_runtime, "runtime"},
    {ompt_parallel_league, "league"},
    {ompt_parallel_team, "team"},
    {0, NULL},
};
static const struct flag cancel_flags[] = {
    {ompt_cancel_parallel, "parallel"},
    {ompt_cancel_sections, "sections"},
    {ompt_cancel_loop, "loop"},
    {ompt_cancel_taskgroup, "taskgroup"},
    {ompt_cancel_activated, "activated"},
    {ompt_cancel_detected, "detected"},
    {ompt_cancel_discarded_task, "discarded"},
    {0, NULL},
};

/* In storage of the thread, for one event. */
static const char *flags_in_words(int flags, const struct flag *list)
{
    static __thread char words[96];
    words[0] = '\0';
    for (; list->name; list++)
        if ((unsigned)flags & list->bit) {
            strcat(words, *words ? "+" : "");
            strcat(words, list->name);
        }
    return *words ? words : "0";
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    log_event(0, "thread_begin type=%s data=%s", NAME(threads, type), is_set(data));
}

static void on_thread_end(ompt_data_t *data)
{
    log_event(0, "thread_end data=%s", is_set(data));
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *parallel, unsigned requested, int flags,
                              const void *codeptr)
{
    log_event(id(task),
              "parallel_begin flags=%s requested=%u enter=%s exit=%s code=%s region=%lu",
              flags_in_words(flags, parallel_flags), requested, enter(frame),
              exits(frame), code(codeptr), id(parallel));
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                            const void *codeptr)
{
    log_event(id(task), "parallel_end flags=%s code=%s region=%lu",
              flags_in_words(flags, parallel_flags), code(codeptr), id(parallel));
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, unsigned team, unsigned index, int flags)
{
    log_event(
        id(task),
        "implicit_task endpoint=%s flags=%s team=%u index=%u parallel=%s region=%lu",
        NAME(endpoints, endpoint), flags_in_words(flags, task_flags), team, index,
        is_set(parallel), id(parallel));
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame,
                           ompt_data_t *task, int flags, int has_dependences,
                           const void *codeptr)
{
    log_event(id(parent),
              "task_create flags=%s dependences=%d enter=%s exit=%s code=%s "
              "child=%lu",
              flags_in_words(flags, task_flags), has_dependences, enter(frame),
              exits(frame), code(codeptr), id(task));
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count)
{
    char words[WORDS] = "";
    for (int i = 0; i < count && i < 8; i++) {
        strcat(words, i ? "+" : "");
        strcat(words, NAME(dependences, list[i].dependence_type));
    }
    log_event(id(task), "dependences types=%s", *words ? words : "0");
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status,
                             ompt_data_t *next)
{
    log_event(id(prior), "task_schedule status=%s next=%lu", NAME(statuses, status),
              id(next));
}

static void sync_event(const char *name, ompt_sync_region_t kind,
                       ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                       ompt_data_t *task, const void *codeptr)
{
    log_event(id(task), "%s kind=%s endpoint=%s parallel=%s code=%s", name,
              NAME(syncs, kind), NAME(endpoints, endpoint), is_set(parallel),
              code(codeptr));
}

#define SYNC(name)                                                                       \
    static void on_##name(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,       \
                          ompt_data_t *parallel, ompt_data_t *task, const void *codeptr) \
    {                                                                                    \
        sync_event(#name, kind, endpoint, parallel, task, codeptr);                      \
    }
SYNC(sync_region)
SYNC(sync_region_wait)
SYNC(reduction)

#define ACQUIRE(name)                                                                    \
    static void on_##name(ompt_mutex_t kind, unsigned hint, unsigned impl,               \
                          ompt_wait_id_t wait_id, const void *codeptr)                   \
    {                                                                                    \
        (void)impl;                                                                      \
        log_event(current(), #name " kind=%s hint=%u wait=%s code=%s",                   \
                  NAME(mutexes, kind), hint, wait_id ? "set" : "null", code(codeptr));   \
    }
ACQUIRE(lock_init)
ACQUIRE(mutex_acquire)

#define MUTEX(name)                                                                      \
    static void on_##name(ompt_mutex_t kind, ompt_wait_id_t wait_id,                     \
                          const void *codeptr)                                           \
    {                                                                                    \
        log_event(current(), #name " kind=%s wait=%s code=%s", NAME(mutexes, kind),      \
                  wait_id ? "set" : "null", code(codeptr));                              \
    }
MUTEX(lock_destroy)
MUTEX(mutex_acquired)
MUTEX(mutex_released)

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id,
                         const void *codeptr)
{
    log_event(current(), "nest_lock endpoint=%s wait=%s code=%s",
              NAME(endpoints, endpoint), wait_id ? "set" : "null", code(codeptr));
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint,
                    ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
                    const void *codeptr)
{
    log_event(id(task), "work kind=%s endpoint=%s count=%llu parallel=%s code=%s",
              NAME(works, kind), NAME(endpoints, endpoint), (unsigned long long)count,
              is_set(parallel), code(codeptr));
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
                        ompt_data_t instance)
{
    (void)parallel, (void)instance;
    log_event(id(task), "dispatch kind=%s", NAME(dispatches, kind));
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                      ompt_data_t *task, const void *codeptr)
{
    (void)parallel;
    log_event(id(task), "masked endpoint=%s code=%s", NAME(endpoints, endpoint),
              code(codeptr));
}

static void on_flush(ompt_data_t *thread, const void *codeptr)
{
    (void)thread;
    log_event(current(), "flush code=%s", code(codeptr));
}

static void on_cancel(ompt_data_t *task, int flags, const void *codeptr)
{
    log_event(id(task), "cancel flags=%s code=%s", flags_in_words(flags, cancel_flags),
              code(codeptr));
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                      ompt_data_t *task, ompt_id_t target, const void *codeptr)
{
    (void)device, (void)target;
    log_event(id(task), "target kind=%s endpoint=%s code=%s", NAME(targets, kind),
              NAME(endpoints, endpoint), code(codeptr));
}

static int on_control_tool(uint64_t command, uint64_t modifier, void *argument,
                           const void *codeptr)
{
    (void)argument;
    log_event(current(), "control_tool command=%llu modifier=%llu code=%s",
              (unsigned long long)command, (unsigned long long)modifier, code(codeptr));
    return 0;
}

static void on_error(ompt_severity_t severity, const char *message, size_t length,
                     const void *codeptr)
{
    log_event(current(), "error severity=%d message=%.*s code=%s", (int)severity,
              (int)(length < 40 ? length : 40), message ? message : "", code(codeptr));
}

/* The program is the first. */
static int find_program(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        program_begin = begin;
        program_end = begin + header->p_memsz;
    }
    return 1;
}

/* Each callback with its registration's result, which is the first line. */
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    dl_iterate_phdr(find_program, NULL);
#define SET(name)                                                                        \
    log_event(0, "set name=" #name " result=%d",                                         \
              (int)set(ompt_callback_##name, (ompt_callback_t)on_##name));
    SET(thread_begin)
    SET(thread_end) SET(parallel_begin) SET(parallel_end) SET(task_create)
        SET(task_schedule) SET(implicit_task) SET(target) SET(control_tool)
            SET(sync_region_wait) SET(mutex_released) SET(dependences) SET(work)
                SET(masked) SET(sync_region) SET(lock_init) SET(lock_destroy)
                    SET(mutex_acquire) SET(mutex_acquired) SET(nest_lock) SET(flush)
                        SET(cancel) SET(reduction) SET(dispatch) SET(error) return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    const char *name = getenv("AGREE_EVENTS");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file)
        return;
    unsigned long count = used < MOST ? used : MOST;
    for (unsigned long i = 0; i < count; i++)
        if (__atomic_load_n(&events[i].written, __ATOMIC_ACQUIRE))
            fprintf(file, "%u %lu %s\n", events[i].thread, events[i].task,
                    events[i].words);
    fprintf(file, "0 0 end lost=%lu\n", used - count);
    fclose(file);
}

START_TOOL(initialize, finalize)
