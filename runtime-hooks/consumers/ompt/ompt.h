/* SPDX-License-Identifier: MIT
 *
 * What the files of this folder share: the tool's callbacks, and how records look through
 * the eyes of OMPT.
 */
#ifndef OMPD_HOOKS_OMPT_H
#define OMPD_HOOKS_OMPT_H

#include "state/events.h"
#include "omp-tools-ompt.h"
#include "omp-tools-states.h"

#pragma GCC visibility push(hidden)

#define CALLBACK_COUNT (ompt_callback_error + 1)

extern struct consumer consumer_ompt;

/* The tool that is active, NULL without one. */
extern ompt_start_tool_result_t *ompt_tool_result;

/* callbacks.c. What the tool has registered, typed; NULL if it has not. */
extern ompt_callback_t ompt_registered[CALLBACK_COUNT];
static inline ompt_callback_t ompt_callback(ompt_callbacks_t event)
{
    return __atomic_load_n(&ompt_registered[event], __ATOMIC_ACQUIRE);
}
#define OMPT_CALLBACK(name) ((ompt_callback_##name##_t)ompt_callback(ompt_callback_##name))

void ompt_callbacks_start(void);
void ompt_callbacks_stop(void);
ompt_set_result_t ompt_set(ompt_callbacks_t event, ompt_callback_t callback);
int ompt_get(ompt_callbacks_t event, ompt_callback_t *callback);

/* lookup.c */
ompt_interface_fn_t ompt_lookup(const char *name);

/* start.c: ends the tool's work before the process ends. */
void ompt_stop(void);

/* The region, if it is still the one with that id. */
static inline struct rec_region *ompt_region(uintptr_t region, uint64_t id)
{
    struct rec_region *rec = (struct rec_region *)region;
    return rec && rec->id == id ? rec : NULL;
}

static inline struct rec_task *ompt_task_if(uintptr_t task, uint64_t id)
{
    struct rec_task *rec = (struct rec_task *)task;
    return rec && id && rec->id == id ? rec : NULL;
}

/* The data words, where the tool finds them. Of an implicit task whose end is late it is
 * the copy in the thread. */
static inline ompt_data_t *ompt_task_data(struct thread *t, struct rec_task *task)
{
    if (unlikely(!task))
        return NULL;
    if (t->late.pending && t->late.task == task)
        return (ompt_data_t *)&t->late.tool_data;
    return (ompt_data_t *)&task->tool_data;
}

static inline ompt_data_t *ompt_region_data(struct thread *t, const struct rec_task *task)
{
    if (unlikely(!task))
        return NULL;
    if (!task->region)
        return (ompt_data_t *)&t->rec->outside_data;
    struct rec_region *region = ompt_region(task->region, task->region_id);
    return region ? (ompt_data_t *)&region->tool_data : NULL;
}

/* view.c */

/* ompt_task_flag_t of a record. */
int ompt_task_flags(uint32_t kind, uint32_t flags);

/* The frame of the task at `level` above the current one: filled afresh, in memory that
 * belongs to the thread. */
ompt_frame_t *ompt_task_frame(struct thread *t, const struct rec_task *task,
                              unsigned level);

#pragma GCC visibility pop

#endif
