/* SPDX-License-Identifier: MIT
 *
 * Translates events of target constructs, which run on the host, to callbacks.
 */
#include "consumers/ompt/consume.h"
#include "consumers/ompt/inquiry.h"

/* Without one the construct is in the task that encountered it. */
static struct rec_task *target_task(const struct thread *t, enum target_kind kind)
{
    struct rec_task *task = current_task(t);
    return kind & TARGET_NOWAIT && task && task->flags & TASK_FLAG_TARGET ? task : NULL;
}

/* Each construct has an id and, for target_emi, a data word. They are kept in the thread
 * between begin and end, as constructs nest like calls. An end without a begin, which the
 * tool did not want or which came before the thread was tracked, is dropped. */
void ompt_on_target(struct thread *t, enum target_kind kind, enum endpoint endpoint, int device,
                    struct place place)
{
    struct target_words *words = &t->target;
    if (endpoint == EVENT_BEGIN) {
        words->depth++;
        if (words->depth <= TARGET_LEVELS)
            words->level[words->depth - 1] =
                (struct target_level){.id = ompt_get_unique_id(), .device = device};
    }
    if (!words->depth)
        return;
    unsigned i = words->depth <= TARGET_LEVELS ? words->depth - 1 : TARGET_LEVELS - 1;
    struct target_level *level = &words->level[i];
    struct rec_task *own = target_task(t, kind);
    struct rec_task *parent = own ? (struct rec_task *)own->parent : current_task(t);
    bool is_there = !own || parent->id == own->parent_id;
    ompt_data_t *task = is_there ? ompt_task_data(t, parent) : NULL;
    const void *code = (const void *)event_code(t, place.codeptr);

    ompt_callback_target_emi_t emi = OMPT_CALLBACK(target_emi);
    ompt_callback_target_t plain = OMPT_CALLBACK(target);
    if (emi)
        emi((ompt_target_t)kind, (ompt_scope_endpoint_t)endpoint, device, task,
            own ? ompt_task_data(t, own) : NULL, (ompt_data_t *)&level->data, code);
    else if (plain)
        plain((ompt_target_t)kind, (ompt_scope_endpoint_t)endpoint, device, task, level->id, code);
    if (endpoint == EVENT_END)
        words->depth--;
}
