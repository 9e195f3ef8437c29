/* SPDX-License-Identifier: MIT
 *
 * taskwait, taskyield and taskgroup.
 */
#include "state/waits.h"

WRAPPER(void, GOMP_taskwait, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_taskwait());
    struct wait w;
    struct place here = HERE;
    sync_begin(&w, t, SYNC_TASKWAIT, STATE_WAIT_TASKWAIT, task_wait_id(t), here);
    real->GOMP_taskwait();
    sync_end(&w, t, SYNC_TASKWAIT, here);
}

/* OMPT has a task for a taskwait with depend clauses; its record is not published. NULL
 * without memory. */
static NOINLINE struct rec_task *notify_depend(struct thread *t, void **depend, uintptr_t codeptr)
{
    struct rec_task *task = task_new(t);
    if (!task)
        return NULL;
    struct rec_task *current = current_task(t);
    task->kind = TASK_EXPLICIT;
    task->flags = TASK_FLAG_TASKWAIT | TASK_FLAG_UNDEFERRED | TASK_FLAG_MERGEABLE;
    task->parent = (uintptr_t)current;
    task->parent_id = current->id;
    task->codeptr = codeptr;
    task_depends(task, depend);
    event_taskwait_depend(t, task, EVENT_BEGIN);
    return task;
}

WRAPPER(void, GOMP_taskwait_depend, (void **depend), (depend))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_taskwait_depend(depend));
    struct wait w;
    struct place here = HERE;
    sync_begin(&w, t, SYNC_TASKWAIT, STATE_WAIT_TASKWAIT, task_wait_id(t), here);
    struct rec_task *task = NULL;
    if (event_wanted(EVENT_BIT(taskwait_depend)) && !t->untracked)
        task = notify_depend(t, depend, here.codeptr);
    real->GOMP_taskwait_depend(depend);
    if (task) {
        event_taskwait_depend(t, task, EVENT_END);
        task_release(t, task);
    }
    sync_end(&w, t, SYNC_TASKWAIT, here);
}

WRAPPER(void, GOMP_taskyield, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_taskyield());
    struct wait w;
    schedule_begin(&w, t, STATE_OVERHEAD, 0, HERE);
    real->GOMP_taskyield();
    schedule_end(&w, t);
}

/* Events only. */
WRAPPER(void, GOMP_taskgroup_start, (void), ())
{
    FORWARD_UNLESS_WANTED(t, EVENT_BIT(sync_region), real->GOMP_taskgroup_start());
    event_sync_region(t, SYNC_TASKGROUP, EVENT_BEGIN, HERE.codeptr);
    real->GOMP_taskgroup_start();
}

WRAPPER(void, GOMP_taskgroup_end, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_taskgroup_end());
    struct wait w;
    struct place here = HERE;
    schedule_begin(&w, t, STATE_WAIT_TASKGROUP, task_wait_id(t), here);
    event_sync_wait(t, SYNC_TASKGROUP, EVENT_BEGIN, here.codeptr);
    real->GOMP_taskgroup_end();
    if (event_wanted(SYNC_EVENTS))
        notify_sync_end(t, SYNC_TASKGROUP, here.codeptr);
    schedule_end(&w, t);
}
