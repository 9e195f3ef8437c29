/* SPDX-License-Identifier: MIT
 *
 * A tool of report version 2 that registers for everything and watches that events pair
 * and nest: preloaded into any program, it writes what does not fit to the file that
 * OMPT2_PAIRS names, and a last line with what it has counted.
 */
#include "ompt2_watch.h"

#include <stdlib.h>
#include <string.h>

/* X(event) expands for each event with a counter. */
/* clang-format off */
#define COUNTED(X)                                                                       \
    X(thread_begin) X(thread_end) X(parallel_begin) X(by_program) X(implicit_task)       \
    X(task_begin) X(task_end) X(task_switch) X(dependences)                              \
    X(barrier) X(wait_barrier) X(taskwait) X(wait_taskwait) X(taskgroup)                 \
    X(wait_taskgroup) X(idle) X(acquired) X(released) X(work) X(init_lock)    \
    X(target) X(in_target)
/* clang-format on */
#define COUNTER(name) static unsigned long count_##name;
COUNTED(COUNTER)
#define COUNT(name) __atomic_add_fetch(&count_##name, 1, __ATOMIC_RELAXED)

static ompt_get_thread_id_t get_thread_id;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_id_t get_parallel_id;

static void on_thread_begin(ompt_thread_type_t type, ompt_thread_id_t id)
{
    COUNT(thread_begin);
    if (self.known && !self.gone)
        problem("second thread_begin");
    if (!meets(THREAD, id, ABSENT, RUNNING))
        problem("a second thread has id %llu", (unsigned long long)id);
    if (type != ompt_thread_initial && type != ompt_thread_worker)
        problem("thread of type %d", (int)type);
    if (get_thread_id() != id)
        problem("ompt_get_thread_id and thread_begin differ");
    memset(&self, 0, sizeof(self));
    self.known = true;
    self.id = id;
}

static void on_thread_end(ompt_thread_type_t type, ompt_thread_id_t id)
{
    (void)type;
    COUNT(thread_end);
    here("thread_end");
    if (id != self.id || !meets(THREAD, id, RUNNING, ENDED))
        problem("thread_end of another thread");
    self.gone = true;
}

static void on_initial_task(ompt_scope_endpoint_t endpoint, ompt_task_id_t id)
{
    here("initial_task");
    bool begin = endpoint == ompt_scope_begin;
    if (!meets(TASK, id, begin ? ABSENT : RUNNING, begin ? RUNNING : ENDED))
        problem("initial task %llu begins or ends twice", (unsigned long long)id);
    if (begin)
        self.task = id;
}

/* The current task, as the callbacks know it and as it is told on demand. */
static void check_task(uint64_t id, const char *what)
{
    uint64_t told = 0;
    if (!get_task_info(0, NULL, &told, NULL, NULL) || told != id)
        problem("%s in task %llu, ompt_get_task_info says %llu", what,
                (unsigned long long)id, (unsigned long long)told);
}

static void on_parallel_begin(ompt_task_id_t parent, const ompt_frame_t *frame,
                              ompt_parallel_id_t id, uint32_t requested, const void *fn,
                              ompt_invoker_t invoker)
{
    (void)requested;
    COUNT(parallel_begin);
    here("parallel_begin");
    if (!id || !meets(REGION, id, ABSENT, RUNNING))
        problem("a second region has id %llu", (unsigned long long)id);
    if (!frame || !frame->reenter_runtime_frame || !fn)
        problem("parallel_begin without a frame or a function");
    if (invoker != ompt_invoker_runtime && invoker != ompt_invoker_program)
        problem("invoker %d", (int)invoker);
    if (invoker == ompt_invoker_program)
        COUNT(by_program);
    check_task(parent, "parallel_begin");
    ompt_task_type_t type = 0;
    if (self.target && parent == self.target) {
        COUNT(in_target);
        if (!get_task_info(0, &type, NULL, NULL, NULL) || type != ompt_task_target)
            problem("target task %llu has type %d", (unsigned long long)parent, (int)type);
    }
    enter(ompt_event_parallel_begin, id);
    enter(-1 - (int)invoker, id);
}

static void on_parallel_end(ompt_parallel_id_t id, ompt_task_id_t task,
                            ompt_invoker_t invoker)
{
    here("parallel_end");
    leave(-1 - (int)invoker, id);
    leave(ompt_event_parallel_begin, id);
    if (!meets(REGION, id, RUNNING, ENDED))
        problem("region %llu ends twice", (unsigned long long)id);
    check_task(task, "parallel_end");
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_parallel_id_t region,
                             ompt_task_id_t id)
{
    here("implicit_task");
    scope(ompt_event_implicit_task_begin, endpoint, id);
    bool begin = endpoint == ompt_scope_begin;
    if (begin)
        COUNT(implicit_task);
    if (begin && !meets(REGION, region, RUNNING, RUNNING))
        problem("implicit task outside its region");
    if (!meets(TASK, id, begin ? ABSENT : RUNNING, begin ? RUNNING : ENDED))
        problem("implicit task %llu begins or ends twice", (unsigned long long)id);
    if (get_parallel_id(0) != region)
        problem("implicit task in region %llu, ompt_get_parallel_id says %llu",
                (unsigned long long)region, (unsigned long long)get_parallel_id(0));
    check_task(id, "implicit_task");
}

static void on_task_begin(ompt_task_id_t parent, const ompt_frame_t *frame,
                          ompt_task_id_t id, const void *fn)
{
    COUNT(task_begin);
    here("task_begin");
    check_task(parent, "task_begin");
    if (!parent || !frame || !fn)
        problem("task_begin without a parent, a frame or a function");
    if (!id || !meets(TASK, id, ABSENT, CREATED))
        problem("task %llu is created twice", (unsigned long long)id);
}

static void on_task_end(ompt_task_id_t id)
{
    COUNT(task_end);
    here("task_end");
    if (!meets(TASK, id, RUNNING | CREATED, ENDED))
        problem("task %llu ends and was not there", (unsigned long long)id);
}

static void on_task_switch(ompt_task_id_t first, ompt_task_id_t second)
{
    COUNT(task_switch);
    here("task_switch");
    if (first == second || !second)
        problem("a switch to itself or to nothing");
    if (!meets(TASK, second, CREATED | RUNNING, RUNNING))
        problem("a switch to task %llu, which is not there", (unsigned long long)second);
    check_task(second, "task_switch");
}

static void on_dependences(ompt_task_id_t id, const ompt_task_dependence_t *deps,
                           int count)
{
    COUNT(dependences);
    here("task_dependences");
    if (!meets(TASK, id, CREATED, CREATED))
        problem("dependences of a task that is not new");
    for (int i = 0; i < count; i++)
        if (!deps[i].variable_addr || deps[i].dependence_flags < 1 ||
            deps[i].dependence_flags > 3)
            problem("a dependence of kind %u", deps[i].dependence_flags);
}

static void on_idle(ompt_scope_endpoint_t endpoint)
{
    here("idle");
    COUNT(idle);
    scope(ompt_event_idle_begin, endpoint, 0);
}

#define SYNC(name, code, expected)                                                       \
    static void on_##name(ompt_sync_region_kind_t kind, ompt_scope_endpoint_t endpoint,  \
                          ompt_parallel_id_t region, ompt_task_id_t task,                \
                          const void *codeptr)                                           \
    {                                                                                    \
        here(#name);                                                                     \
        COUNT(name);                                                                     \
        if (kind != (expected))                                                          \
            problem(#name " of kind %d", (int)kind);                                     \
        if (endpoint == ompt_scope_begin && !codeptr)                                    \
            problem(#name " comes from nowhere");                                        \
        if (get_parallel_id(0) != region)                                                \
            problem(#name " in region %llu, ompt_get_parallel_id says %llu",             \
                    (unsigned long long)region, (unsigned long long)get_parallel_id(0)); \
        check_task(task, #name);                                                         \
        scope(code, endpoint, task);                                                     \
    }
SYNC(barrier, ompt_event_barrier_begin, ompt_sync_region_barrier)
SYNC(wait_barrier, ompt_event_wait_barrier_begin, ompt_sync_region_barrier)
SYNC(taskwait, ompt_event_taskwait_begin, ompt_sync_region_taskwait)
SYNC(wait_taskwait, ompt_event_wait_taskwait_begin, ompt_sync_region_taskwait)
SYNC(taskgroup, ompt_event_taskgroup_begin, ompt_sync_region_taskgroup)
SYNC(wait_taskgroup, ompt_event_wait_taskgroup_begin, ompt_sync_region_taskgroup)

static void awaits(uint64_t wait_id)
{
    here("wait");
    if (!wait_id && get_parallel_id(0)) /* an ordered section has the id of its region */
        problem("a wait for nothing");
    self.awaited = wait_id;
}

static void acquires(uint64_t wait_id)
{
    COUNT(acquired);
    here("acquired");
    if (self.awaited && self.awaited != wait_id)
        problem("waits for %llx and gets %llx", (unsigned long long)self.awaited,
                (unsigned long long)wait_id);
    self.awaited = 0;
}

static void on_wait_mutex(ompt_mutex_kind_t kind, ompt_scope_endpoint_t endpoint,
                          ompt_wait_id_t wait_id)
{
    if (endpoint != ompt_scope_begin ||
        (kind != ompt_mutex_lock && kind != ompt_mutex_nest_lock))
        problem("wait for a mutex of kind %d at endpoint %d", (int)kind, (int)endpoint);
    awaits(wait_id);
}

static void on_acquired_mutex(ompt_mutex_kind_t kind, ompt_scope_endpoint_t endpoint,
                              ompt_wait_id_t wait_id)
{
    if (endpoint != ompt_scope_end ||
        (kind != ompt_mutex_lock && kind != ompt_mutex_nest_lock))
        problem("mutex of kind %d acquired at endpoint %d", (int)kind, (int)endpoint);
    acquires(wait_id);
}

static void on_wait_critical(ompt_bool is_nested, ompt_wait_id_t wait_id,
                             ompt_lock_hint_t hint, ompt_lock_impl_t impl)
{
    if (is_nested || hint || impl != 1)
        problem("a critical section of nature %u, %u, %u", is_nested, hint, impl);
    awaits(wait_id);
}

static void on_wait_atomic(ompt_wait_id_t wait_id, uint32_t type)
{
    if (type != 1)
        problem("an atomic of type %u", type);
    awaits(wait_id);
}

static void on_next(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id)
{
    if (endpoint != ompt_scope_end || !wait_id)
        problem("nest lock taken again at endpoint %d", (int)endpoint);
    self.awaited = 0;
}

static void on_released(ompt_mutex_kind_t kind, ompt_wait_id_t wait_id)
{
    COUNT(released);
    here("release");
    if ((!wait_id && get_parallel_id(0)) ||
        (kind < ompt_mutex_lock || kind > ompt_mutex_ordered))
        problem("release of kind %d", (int)kind);
}

static void on_init(ompt_bool is_nested, ompt_wait_id_t wait_id, ompt_lock_hint_t hint,
                    ompt_lock_impl_t impl)
{
    COUNT(init_lock);
    if (is_nested > 1 || !wait_id || hint || impl != 1)
        problem("a lock of nature %u, %u, %u", is_nested, hint, impl);
}

static void on_wait_id(ompt_wait_id_t wait_id)
{
    if (!wait_id)
        problem("an event of no mutex");
}

static void on_work_begin(ompt_worksharing_type_t type, ompt_parallel_id_t region,
                          ompt_task_id_t task, const void *codeptr)
{
    (void)type;
    (void)region;
    COUNT(work);
    here("worksharing");
    if (!codeptr)
        problem("worksharing comes from nowhere");
    enter(ompt_event_worksharing_begin, task);
}

static void on_work_end(ompt_worksharing_type_t type, ompt_parallel_id_t region,
                        ompt_task_id_t task)
{
    (void)type;
    (void)region;
    leave(ompt_event_worksharing_begin, task);
}

static void on_target_begin(ompt_task_id_t parent, const ompt_frame_t *frame,
                            ompt_task_id_t id, int device, const void *code,
                            ompt_target_task_type_t type)
{
    (void)device;
    COUNT(target);
    here("target_task");
    if (!frame || !frame->reenter_runtime_frame || !code ||
        type < ompt_target_task_target || type > ompt_target_task_update)
        problem("target task of type %d", (int)type);
    check_task(parent, "target_task_begin");
    ompt_frame_t *now = NULL;
    if (!get_task_info(0, NULL, NULL, &now, NULL) ||
        now->reenter_runtime_frame != frame->reenter_runtime_frame)
        problem("target task %llu: two frames of its parent", (unsigned long long)id);
    if (!meets(TASK, id, ABSENT, RUNNING))
        problem("a second target task has id %llu", (unsigned long long)id);
    enter(ompt_event_target_task_begin, id);
    self.target = id;
}

static void on_target_end(ompt_task_id_t id)
{
    here("target_task");
    if (!meets(TASK, id, RUNNING, ENDED))
        problem("target task %llu ends twice", (unsigned long long)id);
    leave(ompt_event_target_task_begin, id);
    ompt_frame_t *now = NULL;
    if (!get_task_info(0, NULL, NULL, &now, NULL) || now->reenter_runtime_frame)
        problem("target task %llu has ended, its parent is in the runtime",
                (unsigned long long)id);
    self.target = 0;
}

static void on_shutdown(void)
{
    if (over)
        problem("a second shutdown");
    over = true;
    fprintf(report, "end: %u problems, %lu tasks never ran,", problems,
            watch_unfinished());
#define SHOW(name) fprintf(report, " " #name " %lu", count_##name);
    COUNTED(SHOW)
    fputc('\n', report);
    fflush(report);
}

static void initialize(ompt_function_lookup_t lookup, const char *runtime,
                       unsigned version)
{
    if (version != 2 || !runtime || !*runtime)
        problem("version %u of %s", version, runtime);
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_thread_id = (ompt_get_thread_id_t)lookup("ompt_get_thread_id");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_id = (ompt_get_parallel_id_t)lookup("ompt_get_parallel_id");
#define SET(name, function)                                                              \
    if (set(ompt_event_##name, (ompt_callback_t)(function)) < 3)                         \
        problem(#name " cannot be had");
#define SET_PAIR(name, function)                                                         \
    SET(name##_begin, function)                                                          \
    SET(name##_end, function)
    SET(thread_begin, on_thread_begin)
    SET(thread_end, on_thread_end)
    SET_PAIR(initial_task, on_initial_task)
    SET(parallel_begin, on_parallel_begin)
    SET(parallel_end, on_parallel_end)
    SET_PAIR(implicit_task, on_implicit_task)
    SET(task_begin, on_task_begin)
    SET(task_end, on_task_end)
    SET(task_switch, on_task_switch)
    SET(task_dependences, on_dependences)
    SET_PAIR(idle, on_idle)
    SET_PAIR(barrier, on_barrier)
    SET_PAIR(wait_barrier, on_wait_barrier)
    SET_PAIR(taskwait, on_taskwait)
    SET_PAIR(wait_taskwait, on_wait_taskwait)
    SET_PAIR(taskgroup, on_taskgroup)
    SET_PAIR(wait_taskgroup, on_wait_taskgroup)
    SET(wait_lock, on_wait_mutex)
    SET(wait_nest_lock, on_wait_mutex)
    SET(wait_critical, on_wait_critical)
    SET(wait_atomic, on_wait_atomic)
    SET(wait_ordered, awaits)
    SET(acquired_lock, on_acquired_mutex)
    SET(acquired_nest_lock_first, on_acquired_mutex)
    SET(acquired_nest_lock_next, on_next)
    SET(acquired_critical, acquires)
    SET(acquired_atomic, acquires)
    SET(acquired_ordered, acquires)
    SET(release_lock, on_released)
    SET(release_nest_lock_last, on_released)
    SET(release_nest_lock_prev, on_wait_id)
    SET(release_critical, on_released)
    SET(release_atomic, on_released)
    SET(release_ordered, on_released)
    SET(init_lock, on_init)
    SET(init_nest_lock, on_init)
    SET(destroy_lock, on_wait_id)
    SET(worksharing_begin, on_work_begin)
    SET(worksharing_end, on_work_end)
    SET(target_task_begin, on_target_begin)
    SET(target_task_end, on_target_end)
    SET(runtime_shutdown, on_shutdown)
}

ompt_initialize_fn_t ompt_tool(void)
{
    const char *name = getenv("OMPT2_PAIRS");
    if (!report)
        report = name ? fopen(name, "ae") : NULL;
    watch_start();
    return report ? initialize : NULL;
}
