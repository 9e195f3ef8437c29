/* SPDX-License-Identifier: MIT
 *
 * Explicit tasks, as OMPT reports them.
 */
#include "ompt-source/source.h"
#include "ompt-source/words.h"
#include "records/dependences.h"

static uint32_t recorded_flags(unsigned flags, bool has_dependences)
{
    return (flags & ompt_task_undeferred ? TASK_FLAG_UNDEFERRED : 0) |
           (flags & ompt_task_untied ? TASK_FLAG_UNTIED : 0) |
           (flags & ompt_task_final ? TASK_FLAG_FINAL : 0) |
           (flags & ompt_task_mergeable ? TASK_FLAG_MERGEABLE : 0) |
           (flags & ompt_task_target ? TASK_FLAG_TARGET : 0) |
           (has_dependences ? TASK_FLAG_DEPEND : 0);
}

/* A taskwait with dependences, which is reported as a task, has no record: the runtime has one
 * word for those of a thread, and aborts where it is not 0 when another begins, which a task may
 * that is executed meanwhile. */
void source_task_create(ompt_data_t *encountering, const ompt_frame_t *frame,
                        ompt_data_t *task_data, int flags, int has_dependences, const void *codeptr)
{
    (void)encountering, (void)frame;
    const unsigned without_record = ompt_task_initial | ompt_task_implicit | ompt_task_taskwait;
    struct thread *t = thread_known();
    struct rec_task *task = NULL;
    if (!task_data || (unsigned)flags & without_record)
        return;
    if (t && current_task(t))
        task = task_create(t, NULL, recorded_flags((unsigned)flags, has_dependences),
                           (uintptr_t)codeptr, NULL);
    if (task) {
        task->word = (uintptr_t)task_data;
        task_created(t, task, (unsigned)flags & ompt_task_undeferred);
    }
    word_set(task_data, task);
}

static uint32_t dependence_kind(ompt_dependence_type_t type)
{
    switch (type) {
    case ompt_dependence_type_in:
        return DEPENDENCE_IN;
    case ompt_dependence_type_out:
    case ompt_dependence_type_inout:
        return DEPENDENCE_OUT;
    case ompt_dependence_type_mutexinoutset:
        return DEPENDENCE_MUTEXINOUTSET;
    case ompt_dependence_type_inoutset:
        return DEPENDENCE_INOUTSET;
    default:
        return DEPENDENCE_UNKNOWN;
    }
}

void source_dependences(ompt_data_t *task_data, const ompt_dependence_t *items, int count)
{
    struct rec_task *task = task_data ? word_record(task_data) : NULL;
    if (!task || task->kind != TASK_EXPLICIT || task->dependence_count || count <= 0)
        return;
    uint32_t held;
    struct rec_dependence *array = task_dependences(task, (uint32_t)count, &held);
    if (!array)
        return;
    for (uint32_t i = 0; i < held; i++) {
        array[i].address = items[i].variable.value;
        array[i].kind = dependence_kind(items[i].dependence_type);
    }
    dependences_publish(task, array, held);
}

bool source_is_over(ompt_task_status_t status)
{
    return status == ompt_task_complete || status == ompt_task_cancel ||
           status == ompt_task_late_fulfill;
}

/* The runtime goes back to the task below on the same stack. A task that is cancelled before
 * it began, or whose event is fulfilled after its body, is nobody's current one. */
static void stop_task(struct thread *t, struct rec_task *task, ompt_task_status_t status)
{
    bool is_current = current_task(t) == task;
    if (source_is_over(status)) {
        if (is_current)
            task_end(t, task);
        else
            task_release(t, task);
    } else if (is_current && status == ompt_task_detach) {
        task_detach(t, task);
    }
}

/* NULL: without a record, or none. */
static struct rec_task *task_of(const ompt_data_t *data)
{
    return data ? word_record(data) : NULL;
}

/* The task below on the same stack may be a worker's implicit one, whose word is not ours. */
static bool is_outer(struct rec_task *task, const ompt_data_t *data)
{
    const struct rec_task *outer = (struct rec_task *)task->scheduling_task;
    return data && outer->word == (uintptr_t)data;
}

void source_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status,
                          ompt_data_t *next_data)
{
    struct thread *t = thread_known();
    struct rec_task *prior = task_of(prior_data), *next = task_of(next_data);
    if (!t)
        return;
    if (prior && prior->kind == TASK_EXPLICIT)
        stop_task(t, prior, status);
    if (prior && prior == current_task(t) && prior->kind == TASK_EXPLICIT &&
        is_outer(prior, next_data))
        task_suspend(t, prior);
    else if (next && next != current_task(t) && next->kind == TASK_EXPLICIT)
        task_begin(t, next, 0);
}
