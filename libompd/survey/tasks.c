/* SPDX-License-Identifier: MIT
 *
 * All initial and explicit tasks, and how far they are.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

enum task_state task_state_of(const struct task_facts *facts)
{
    if (facts->progress.known != KNOWN)
        return 0;
    switch (facts->progress.value) {
    case TASK_PROGRESS_CREATED:
        return TASK_STATE_CREATED;
    case TASK_PROGRESS_READY:
        return TASK_STATE_READY;
    case TASK_PROGRESS_WAITING:
        return TASK_STATE_WAITING;
    case TASK_PROGRESS_RUNNING:
        return TASK_STATE_RUNNING;
    case TASK_PROGRESS_COMPLETED:
        return TASK_STATE_COMPLETED;
    case TASK_PROGRESS_DETACHED:
        return TASK_STATE_DETACHED;
    default:
        return 0;
    }
}

static bool visit_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct surveyed_task task = {ref, *facts, task_state_of(facts)};
    return collect(arg, &task);
}

enum rc survey_tasks(struct instance *instance, struct array *tasks)
{
    *tasks = array_of(instance->space->ops, sizeof(struct surveyed_task));
    if (!instance->reader->each_task)
        return RC_UNSUPPORTED;
    struct collector collector = {tasks, SURVEY_TASKS_MAX, RC_OK};
    enum rc rc = instance->reader->each_task(instance, visit_task, &collector);
    return rc_join(rc, collector.rc);
}

/* What a thread has as its current task. */
struct current {
    uint64_t thread;
    uint64_t task;
};

static bool comes_before(const void *left, const void *right)
{
    const struct current *a = left;
    const struct current *b = right;
    return a->thread < b->thread;
}

static enum rc gather_current(struct instance *instance, struct array *current)
{
    struct array threads = {0};
    enum rc rc = survey_threads(instance, &threads), added = RC_OK;
    const struct surveyed_thread *all = threads.elements;
    for (size_t i = 0; i < threads.count && rc_is_answer(rc) && added == RC_OK; i++) {
        struct current c = {all[i].ref.id, all[i].facts.task.ref.id};
        if (all[i].facts.task.known == KNOWN)
            added = array_add(current, &c);
    }
    array_free(&threads);
    array_sort(current, comes_before);
    return rc_join(rc, added);
}

/* 0: the thread has none, or it is not known. */
static uint64_t current_task(const struct array *current, uint64_t thread)
{
    const struct current *all = current->elements;
    size_t at = array_lower(current, &(struct current){.thread = thread}, comes_before);
    return at < current->count && all[at].thread == thread ? all[at].task : 0;
}

static bool is_current(const struct array *current, uint64_t task)
{
    const struct current *all = current->elements;
    for (size_t i = 0; i < current->count; i++)
        if (all[i].task == task)
            return true;
    return false;
}

/* A task that has begun is suspended when its thread's current task is another one. Which
 * thread that is may be known with tracking only. */
static enum task_state begun_state(const struct surveyed_task *task, const struct array *current)
{
    if (task->facts.thread.known == NEEDS_TRACKING)
        return is_current(current, task->ref.id) ? TASK_STATE_RUNNING : TASK_STATE_SUSPENDED;
    if (task->facts.thread.known != KNOWN)
        return TASK_STATE_RUNNING;
    uint64_t other = current_task(current, task->facts.thread.ref.id);
    return other && other != task->ref.id ? TASK_STATE_SUSPENDED : TASK_STATE_RUNNING;
}

/* The dependences of these on tasks that are recorded are not. */
static bool has_target_tasks(const struct array *tasks)
{
    const struct surveyed_task *all = tasks->elements;
    for (size_t i = 0; i < tasks->count; i++)
        if (all[i].facts.is_of_device)
            return true;
    return false;
}

/* Ready unless it waits; unknown when its depend clauses are, or what else names the same. */
static enum task_state created_state(const struct surveyed_task *task, bool is_alone)
{
    const struct task_facts *facts = &task->facts;
    if ((!is_alone && facts->dependence_count.value) || facts->dependence_count.known != KNOWN ||
        facts->dependences_held.known != KNOWN ||
        facts->dependences_held.value < facts->dependence_count.value)
        return TASK_STATE_CREATED;
    return TASK_STATE_READY;
}

enum rc survey_task_states(struct instance *instance, struct array *tasks, bool is_all)
{
    struct array current = array_of(instance->space->ops, sizeof(struct current));
    struct array dependences = {0};
    reader_begin(instance);
    enum rc rc = gather_current(instance, &current);
    enum rc found = rc_is_answer(rc) ? survey_dependences(instance, tasks, &dependences) : rc;
    if (found == RC_UNSUPPORTED)
        found = RC_OK; /* the runtime keeps none: whether a task waits is not known */
    reader_end(instance);
    rc = rc_join(rc, found);
    if (rc_is_answer(rc)) {
        struct surveyed_task *all = tasks->elements;
        is_all = is_all && rc == RC_OK;
        bool is_alone = !has_target_tasks(tasks);
        for (size_t i = 0; i < tasks->count; i++) {
            if (all[i].state == TASK_STATE_RUNNING)
                all[i].state = begun_state(&all[i], &current);
            else if (all[i].state == TASK_STATE_CREATED && is_all)
                all[i].state = created_state(&all[i], is_alone);
        }
        const struct surveyed_dependence *edges = dependences.elements;
        for (size_t i = 0; i < dependences.count; i++)
            all[edges[i].successor_index].state = TASK_STATE_WAITING;
    }
    array_free(&current);
    array_free(&dependences);
    return rc;
}

enum rc survey_tasks_and_states(struct instance *instance, struct array *tasks)
{
    reader_begin(instance);
    enum rc rc = survey_tasks(instance, tasks);
    if (rc_is_answer(rc) && tasks->count)
        rc = rc_join(rc, survey_task_states(instance, tasks, rc == RC_OK));
    reader_end(instance);
    return rc;
}

enum rc survey_all_dependences(struct instance *instance, struct array *dependences)
{
    struct array tasks = {0};
    reader_begin(instance);
    enum rc rc = survey_tasks(instance, &tasks);
    if (rc_is_answer(rc))
        rc = rc_join(rc, survey_dependences(instance, &tasks, dependences));
    reader_end(instance);
    array_free(&tasks);
    return rc;
}
