/* SPDX-License-Identifier: MIT
 *
 * Threads, regions, initial and implicit tasks.
 */
#include "checker.h"

#include <string.h>

_Thread_local struct thread *me;

/* Where no signal interrupts a change, the answers are those of our own books. */
bool check_thread(const char *event)
{
    if (!me || me->object.generation != generation || me->over) {
        contradiction("thread", event,
                      me && me->over ? "it is over" : "it has not begun");
        return false;
    }
    ompt_data_t *word = ask.get_thread_data();
    if (!word || word->ptr != me)
        contradiction("thread_data", event, "it is not this thread's");
    return true;
}

void check_current(const char *event, const ompt_data_t *task, const ompt_data_t *region)
{
    struct task *current = me->current, *named = object_of(TASK, task, event);
    int flags = 0, index = -1, size = 0;
    ompt_data_t *word = NULL, *of = NULL;
    ompt_frame_t *frame = NULL;
    if (named && named != current)
        contradiction("current", event, "the task is %lu, and it runs %lu", id_of(named),
                      id_of(current));
    int found = ask.get_task_info(0, &flags, &word, &frame, &of, &index);
    /* The master may end the task of a worker in the region's last barrier meanwhile. */
    bool ending = found == 1 && strncmp(event, "sync_region", 11) == 0;
    if ((found != 2 && !ending) || !word || word->ptr != current)
        contradiction("task_info", event, "%d, it tells task %lu and not %lu", found,
                      word ? id_of(word->ptr) : 0, id_of(current));
    else if (current && (flags & 0xff) != (current->flags & 0xff))
        contradiction("task_info", event, "flags %x, and were %x", (unsigned)flags,
                      (unsigned)current->flags);
    if (found == 2)
        check_frame(event, frame, false);
    if (!region)
        return;
    struct region *its = object_of(REGION, region, event);
    if (its && current && its != current->region)
        contradiction("current", event, "the region is %lu, and the task's %lu",
                      id_of(its), id_of(current->region));
    found = ask.get_parallel_info(0, &of, &size);
    if (found != 2 || !of || of->ptr != its)
        contradiction("parallel_info", event, "%d, it tells region %lu and not %lu",
                      found, of ? id_of(of->ptr) : 0, id_of(its));
    else if (its && its->actual && size != (int)its->actual && its->parent)
        contradiction("parallel_info", event, "it tells %d threads of %u", size,
                      its->actual);
}

void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    count_event();
    /* A destructor that runs after the end and uses OpenMP makes another thread of it. */
    HOLDS(thread, !me || me->over || me->object.generation != generation,
          "it begins twice");
    me = NEW(THREAD, thread, data);
    me->type = type;
    stack_bounds(me);
    HOLDS(kind, type >= ompt_thread_initial && type <= ompt_thread_unknown, "it is %d",
          (int)type);
    HOLDS(thread_data, ask.get_thread_data() == data, "it is not this thread's");
}

void on_thread_end(ompt_data_t *data)
{
    BEGIN();
    HOLDS(thread_data, data && data->ptr == me, "another thread ends");
    HOLDS(thread_tasks, !me->current, "task %lu has not ended", id_of(me->current));
    me->over = true;
}

void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                       ompt_data_t *parallel, unsigned int requested, int flags,
                       const void *codeptr)
{
    BEGIN();
    (void)requested;
    check_code("parallel_begin", codeptr);
    check_current("parallel_begin", task, NULL);
    check_frame("parallel_begin", frame, true);
    struct region *region = NEW(REGION, region, parallel);
    region->parent = me->current;
    region->flags = flags;
    unsigned kind = (unsigned)flags & (ompt_parallel_league | ompt_parallel_team);
    unsigned invoker =
        (unsigned)flags & (ompt_parallel_invoker_program | ompt_parallel_invoker_runtime);
    HOLDS(parallel_flags,
          (kind == ompt_parallel_league || kind == ompt_parallel_team) && invoker &&
              !(invoker & (invoker - 1)),
          "they are %x", (unsigned)flags);
    scope_open("parallel_begin", TEAM, 0, region);
}

void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags,
                     const void *codeptr)
{
    BEGIN();
    check_code("parallel_end", codeptr);
    check_current("parallel_end", task, NULL);
    struct region *region = OF(REGION, region, parallel);
    if (!region)
        return;
    HOLDS(region_ends, !region->ended, "region %lu ends twice", id_of(region));
    HOLDS(parallel_flags, flags == region->flags, "they are %x, and were %x",
          (unsigned)flags, (unsigned)region->flags);
    unsigned begun = __atomic_load_n(&region->begun, __ATOMIC_ACQUIRE);
    HOLDS(region_tasks, begun && begun == region->actual,
          "%u of %u implicit tasks have begun", begun, region->actual);
    HOLDS(region_tasks, region->index0_ended, "the first implicit task has not ended");
    region->ended = true;
    scope_close("parallel_end", TEAM, 0, region);
}

static void initial_begin(struct region *region, struct task *task)
{
    if (!me->current)
        region->actual = 1;
    task->region = region;
}

static void implicit_begin(ompt_data_t *parallel, ompt_data_t *data, unsigned actual,
                           unsigned index, int flags)
{
    static const char event[] = "implicit_task";
    unsigned expected = 0;
    bool outermost = (flags & ompt_task_initial) && !me->current;
    struct task *task = object_new(TASK, sizeof(*task), data, event);
    struct region *region = outermost
                                ? object_new(REGION, sizeof(*region), parallel, event)
                                : object_of(REGION, parallel, event);
    task->flags = flags;
    task->index = index;
    task->thread = me;
    task->life = RUNNING;
    task->outer = me->current;
    task->region = region;
    if (outermost && region) {
        initial_begin(region, task);
        region->ended = true; /* it has no events of its own */
    } else if (region) {
        if (region->ended)
            contradiction("region_tasks", event, "in region %lu, which is over",
                          id_of(region));
        if (!__atomic_compare_exchange_n(&region->actual, &expected, actual, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
            expected != actual)
            contradiction("team_size", event, "it is %u, and was %u", actual, expected);
        if (index >= actual)
            contradiction("index", event, "it is %u of %u", index, actual);
        uint8_t *made = NULL, *taken = memory(actual + 1);
        if (!__atomic_compare_exchange_n(&region->taken, &made, taken, false,
                                         __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            taken = made;
        if (index < actual && __atomic_exchange_n(&taken[index], 1, __ATOMIC_SEQ_CST))
            contradiction("index", event, "%u of region %lu is there twice", index,
                          id_of(region));
        __atomic_add_fetch(&region->begun, 1, __ATOMIC_SEQ_CST);
        if (!index && task->outer != region->parent)
            contradiction("region_tasks", event,
                          "task 0 is not on the thread of region %lu", id_of(region));
    }
    me->current = task;
    check_current(event, data, parallel);
}

static void implicit_end(ompt_data_t *data, unsigned index, int flags)
{
    static const char event[] = "implicit_task";
    struct task *task = object_of(TASK, data, event);
    if (!task)
        return;
    if (task != me->current)
        contradiction("current", event, "task %lu ends, and %lu runs", id_of(task),
                      id_of(me->current));
    if (task->life != RUNNING || task->thread != me)
        contradiction("task_life", event, "task %lu ends in life %d", id_of(task),
                      (int)task->life);
    if ((task->flags ^ flags) & 0xff)
        contradiction("task_flags", event, "%x, and were %x", (unsigned)flags,
                      (unsigned)task->flags);
    if (index != task->index)
        contradiction("index", event, "it is %u, and was %u", index, task->index);
    scopes_none(event, task);
    task->life = COMPLETED;
    if (!task->index && task->region)
        task->region->index0_ended = true;
    me->current = task->outer;
}

void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *parallel, ompt_data_t *task,
                      unsigned int actual, unsigned int index, int flags)
{
    BEGIN();
    int kind = flags & 0xff;
    HOLDS(task_flags, kind == ompt_task_initial || kind == ompt_task_implicit, "%x",
          (unsigned)flags);
    if (at == ompt_scope_begin)
        implicit_begin(parallel, task, actual, index, flags);
    else if (at == ompt_scope_end)
        implicit_end(task, index, flags);
    else
        contradiction("endpoint", "implicit_task", "it is %d", (int)at);
}
