/* SPDX-License-Identifier: MIT
 *
 * Translates events of threads, parallel regions, implicit and initial tasks to
 * callbacks.
 */
#include "consumers/ompt/consume.h"

void ompt_on_thread_begin(struct thread *t)
{
    ompt_callback_thread_begin_t callback = OMPT_CALLBACK(thread_begin);
    if (callback)
        callback(t->rec->flags & THREAD_INITIAL ? ompt_thread_initial : ompt_thread_worker,
                 (ompt_data_t *)&t->rec->tool_data);
}

void ompt_on_thread_end(struct thread *t)
{
    ompt_callback_thread_end_t callback = OMPT_CALLBACK(thread_end);
    if (callback)
        callback((ompt_data_t *)&t->rec->tool_data);
}

/* At the end the standard has NULL for parallel_data; LLVM's runtime passes the region,
 * and Archer relies on that. */
void ompt_on_initial_task(struct thread *t, struct rec_task *task, enum endpoint endpoint)
{
    ompt_callback_implicit_task_t callback = OMPT_CALLBACK(implicit_task);
    if (!callback)
        return;
    callback((ompt_scope_endpoint_t)endpoint, (ompt_data_t *)&t->rec->outside_data,
             ompt_task_data(t, task), endpoint == EVENT_BEGIN, 1, ompt_task_initial);
}

static int region_flags(const struct region *r)
{
    unsigned invoker = r->old_style ? ompt_parallel_invoker_program : ompt_parallel_invoker_runtime;
    return (int)(invoker | (r->rec.kind == REGION_TEAMS ? (unsigned)ompt_parallel_league
                                                        : (unsigned)ompt_parallel_team));
}

static unsigned requested(const struct region *r)
{
    if (r->rec.requested)
        return r->rec.requested;
    if (r->rec.kind == REGION_PARALLEL)
        return (unsigned)r->arg.real->omp_get_max_threads();
    return 0;
}

void ompt_on_parallel_begin(struct thread *t, struct region *r)
{
    ompt_callback_parallel_begin_t callback = OMPT_CALLBACK(parallel_begin);
    if (!callback)
        return;
    struct rec_task *task = current_task(t);
    callback(ompt_task_data(t, task), ompt_task_frame(t, task, 0), (ompt_data_t *)&r->rec.tool_data,
             requested(r), region_flags(r), (const void *)r->rec.codeptr);
}

void ompt_on_parallel_end(struct thread *t, struct region *r)
{
    ompt_callback_parallel_end_t callback = OMPT_CALLBACK(parallel_end);
    if (callback)
        callback((ompt_data_t *)&r->rec.tool_data, ompt_task_data(t, current_task(t)),
                 region_flags(r), (const void *)r->rec.codeptr);
}

/* The teams of a league have initial tasks. */
static int task_flag(uint32_t region_kind)
{
    return region_kind == REGION_TEAMS ? ompt_task_initial : ompt_task_implicit;
}

void ompt_on_implicit_task_begin(struct thread *t, struct region *r, struct rec_task *task)
{
    ompt_callback_implicit_task_t callback = OMPT_CALLBACK(implicit_task);
    if (callback)
        callback(ompt_scope_begin, (ompt_data_t *)&r->rec.tool_data, ompt_task_data(t, task),
                 r->start.actual, task->thread_num, task_flag(r->rec.kind));
}

void ompt_on_implicit_task_end(struct thread *t)
{
    ompt_callback_implicit_task_t callback = OMPT_CALLBACK(implicit_task);
    if (callback)
        callback(ompt_scope_end,
                 t->late.kind == REGION_TEAMS ? ompt_region_data(t, t->late.task) : NULL,
                 (ompt_data_t *)&t->late.tool_data, 0, t->late.thread_num, task_flag(t->late.kind));
}
