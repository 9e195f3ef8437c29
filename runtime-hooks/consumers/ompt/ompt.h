/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of this folder: the registered callbacks, and records in the types
 * of OMPT.
 */
#ifndef OMPD_HOOKS_OMPT_H
#define OMPD_HOOKS_OMPT_H

#include "state/events.h"
#include "omp-tools-ompt.h"
#include "omp-tools-states.h"

#pragma GCC visibility push(hidden)

#define CALLBACK_COUNT (ompt_callback_error + 1)

/* callbacks.c: the active tool, or NULL. */
extern ompt_start_tool_result_t *ompt_tool_result;

/* The registered callback, or NULL. */
extern ompt_callback_t ompt_registered[CALLBACK_COUNT];
static inline ompt_callback_t ompt_callback(ompt_callbacks_t event)
{
    return __atomic_load_n(&ompt_registered[event], __ATOMIC_ACQUIRE);
}
#define OMPT_CALLBACK(name) ((ompt_callback_##name##_t)ompt_callback(ompt_callback_##name))

/* They may be registered from here on, and are called by the consumer `of_tool`. */
void ompt_callbacks_start(struct consumer *of_tool);
void ompt_callbacks_stop(void);

/* Stops the dispatch of events and calls the finalizer of the active tool. */
void ompt_stop(void);

ompt_set_result_t ompt_set(ompt_callbacks_t event, ompt_callback_t callback);
int ompt_get(ompt_callbacks_t event, ompt_callback_t *callback);

/* lookup.c */
ompt_interface_fn_t ompt_lookup(const char *name);

/* The record, or NULL if it is no longer that of this id. */
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

/* The data word of a task, or NULL. For an implicit task whose end is not reported yet
 * it is the copy in the thread, as the record may be reused. */
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

/* The ompt_task_flag_t bits for the kind and flags of a record. */
int ompt_task_flags(uint32_t kind, uint32_t flags);

/* The frame of the ancestor task at `level` (0: the current task), in storage of the
 * thread that the next call overwrites. */
ompt_frame_t *ompt_task_frame(struct thread *t, const struct rec_task *task, unsigned level);

#pragma GCC visibility pop

#endif
