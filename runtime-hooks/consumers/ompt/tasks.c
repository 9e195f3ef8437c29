/* SPDX-License-Identifier: MIT
 *
 * Translates events of explicit tasks and cancellation to callbacks.
 */
#include "consumers/ompt/consume.h"
#include "records/dependences.h"

void ompt_on_task_create(struct thread *t, struct rec_task *task, uint32_t flags)
{
    ompt_callback_task_create_t callback = OMPT_CALLBACK(task_create);
    if (!callback)
        return;
    struct rec_task *parent = ompt_task_if(task->parent, task->parent_id);
    callback(ompt_task_data(t, parent), ompt_task_frame(t, parent, 0), ompt_task_data(t, task),
             ompt_task_flags(task->kind, flags), task->dependence_count != 0,
             (const void *)event_code(t, task->codeptr));
}

static ompt_dependence_type_t dependence_type(uint32_t kind)
{
    switch (kind) {
    case DEPENDENCE_IN:
        return ompt_dependence_type_in;
    case DEPENDENCE_MUTEXINOUTSET:
        return ompt_dependence_type_mutexinoutset;
    case DEPENDENCE_INOUTSET:
        return ompt_dependence_type_inoutset;
    default: /* the strongest: out and inout are not distinguished, others unknown */
        return ompt_dependence_type_inout;
    }
}

void ompt_on_task_dependences(struct thread *t, struct rec_task *task)
{
    ompt_callback_dependences_t callback = OMPT_CALLBACK(dependences);
    if (!callback || !task->dependences_held)
        return;
    const struct rec_dependence *held = (const struct rec_dependence *)task->dependences;
    ompt_dependence_t list[DEPENDENCES_MOST];
    for (uint32_t i = 0; i < task->dependences_held; i++) {
        list[i].variable.value = held[i].address;
        list[i].dependence_type = dependence_type(held[i].kind);
    }
    callback(ompt_task_data(t, task), list, (int)task->dependences_held);
}

void ompt_on_task_schedule(struct thread *t, struct rec_task *prior, enum schedule status,
                           struct rec_task *next)
{
    ompt_callback_task_schedule_t callback = OMPT_CALLBACK(task_schedule);
    if (callback)
        callback(ompt_task_data(t, prior), (ompt_task_status_t)status, ompt_task_data(t, next));
}

void ompt_on_task_discarded(struct thread *t, struct rec_task *task)
{
    ompt_callback_cancel_t cancel = OMPT_CALLBACK(cancel);
    if (cancel)
        cancel(ompt_task_data(t, task), ompt_cancel_discarded_task, NULL);
    ompt_on_task_schedule(t, task, SCHEDULE_CANCEL, current_task(t));
}

void ompt_on_taskwait_depend(struct thread *t, struct rec_task *task, enum endpoint endpoint)
{
    if (endpoint == EVENT_BEGIN) {
        ompt_on_task_create(t, task, task->flags);
        ompt_on_task_dependences(t, task);
        return;
    }
    ompt_callback_task_schedule_t callback = OMPT_CALLBACK(task_schedule);
    if (callback)
        callback(ompt_task_data(t, task), ompt_taskwait_complete, NULL);
}

void ompt_on_cancel(struct thread *t, uint32_t flags, uintptr_t codeptr)
{
    ompt_callback_cancel_t callback = OMPT_CALLBACK(cancel);
    if (callback)
        callback(ompt_task_data(t, current_task(t)), (int)flags,
                 (const void *)event_code(t, codeptr));
}
