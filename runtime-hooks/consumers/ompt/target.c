/* SPDX-License-Identifier: MIT
 *
 * Translates events of target constructs, which run on the host, to callbacks.
 */
#include "consumers/ompt/consume.h"
#include "consumers/ompt/inquiry.h"

/* Each construct has an id and, for target_emi, a data word. They are kept in the thread
 * between begin and end, as constructs nest like calls. An end without a begin, which the
 * tool did not want or which came before the thread was tracked, is dropped. */
void ompt_on_target(struct thread *t, enum target_kind kind, enum endpoint endpoint,
                    int device, struct place place)
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
    ompt_data_t *task = ompt_task_data(t, current_task(t));
    const void *code = (const void *)event_code(t, place.codeptr);

    ompt_callback_target_emi_t emi = OMPT_CALLBACK(target_emi);
    ompt_callback_target_t plain = OMPT_CALLBACK(target);
    if (emi)
        emi((ompt_target_t)kind, (ompt_scope_endpoint_t)endpoint, device, task, NULL,
            (ompt_data_t *)&level->data, code);
    else if (plain)
        plain((ompt_target_t)kind, (ompt_scope_endpoint_t)endpoint, device, task,
              level->id, code);
    if (endpoint == EVENT_END)
        words->depth--;
}
