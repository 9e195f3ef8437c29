/* SPDX-License-Identifier: MIT
 *
 * The cold halves of regions.c, where a consumer wants events of regions.
 */
#include "state/region-events.h"
#include "state/work.h"

/* A signal handler finds all of it or nothing pending. */
static void late_set(struct thread *t, struct late_end late)
{
    bool pending = late.pending;
    t->late.pending = late.pending = false;
    publish_order();
    t->late = late;
    publish_order();
    t->late.pending = pending;
}

void notify_region_begin(struct thread *t, struct region *r)
{
    uintptr_t codeptr = event_code(t, r->rec.codeptr);
    r->rec.tool_data = 0;
    r->report = t->in_callback ? REGION_SUPPRESSED : REGION_REPORTED;
    r->owner = t;
    r->outer_late.pending = t->late.pending;
    if (unlikely(t->late.pending))
        r->outer_late = t->late;
    t->late.pending = false;
    r->rec.codeptr = codeptr;
    if (unlikely(r->arg.codeptr != codeptr)) /* workers have it in their caches */
        r->arg.codeptr = codeptr;
    event_parallel_begin(t, r);
}

void notify_region_end(struct thread *t, struct region *r)
{
    if (r->report == REGION_UNREPORTED)
        return;
    if (r->report == REGION_REPORTED)
        event_parallel_end(t, r);
    late_set(t, r->outer_late);
}

void notify_implicit_begin(struct thread *t, struct region *r, struct rec_task *task)
{
    if (r->report != REGION_REPORTED)
        return;
    if (t == r->owner && r->start.level == 1 && r->start.actual > 1 &&
        r->rec.kind == REGION_PARALLEL)
        t->pool.size = r->start.actual;
    event_implicit_task_begin(t, r, task);
    if (r->work)
        work_begin_open(t, (enum work_kind)r->work, r->work_count, r->arg.codeptr);
}

/* Tools may use the data word until the last barrier is complete: in the barrier they get
 * that of the copy. */
void notify_implicit_end(struct thread *t, const struct region *r, uintptr_t codeptr)
{
    struct rec_task *task = current_task(t);
    bool teams = r->rec.kind == REGION_TEAMS;
    if (r->report != REGION_REPORTED)
        return;
    if (!teams) {
        work_close(t);
        event_sync_region(t, SYNC_BARRIER_PARALLEL, EVENT_BEGIN, codeptr);
        event_sync_wait(t, SYNC_BARRIER_PARALLEL, EVENT_BEGIN, codeptr);
    }
    late_set(t, (struct late_end){
                    .pending = true,
                    .kind = r->rec.kind,
                    .level = r->start.level,
                    .owner = r->owner,
                    .owner_id = r->rec.master_id,
                    .pool_id = r->owner->pool.id,
                    .thread_num = task->thread_num,
                    .task = task,
                    .task_id = task->id,
                    .region_id = task->region_id,
                    .tool_data = task->tool_data,
                    .codeptr = codeptr,
                });
    if (teams)
        implicit_end_late(t);
}

void implicit_end_late(struct thread *t)
{
    if (!t->late.pending)
        return;
    if (t->late.kind != REGION_TEAMS) {
        event_sync_wait(t, SYNC_BARRIER_PARALLEL, EVENT_END, t->late.codeptr);
        event_sync_region(t, SYNC_BARRIER_PARALLEL, EVENT_END, t->late.codeptr);
    }
    event_implicit_task_end(t);
    t->late.pending = false;
}

/* A worker that was reported idle is in a team again. */
void notify_awake(struct thread *t)
{
    if (!t->late.pending)
        return;
    implicit_end_late(t);
    event_idle(t, EVENT_BEGIN);
    event_idle(t, EVENT_END);
}
