/* SPDX-License-Identifier: MIT
 *
 * Waiting for tasks.
 */
#include "state.h"

void GOMP_taskwait(void)
{
    struct thread *t = tracked_thread();
    if (!t) {
        real.GOMP_taskwait();
        return;
    }
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_TASKWAIT, task_wait_id(t), HERE);
    real.GOMP_taskwait();
    schedule_end(&w, t);
}

void GOMP_taskwait_depend(void **depend)
{
    struct thread *t = tracked_thread();
    if (!t) {
        real.GOMP_taskwait_depend(depend);
        return;
    }
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_TASKWAIT, task_wait_id(t), HERE);
    real.GOMP_taskwait_depend(depend);
    schedule_end(&w, t);
}

void GOMP_taskyield(void)
{
    struct thread *t = tracked_thread();
    if (!t) {
        real.GOMP_taskyield();
        return;
    }
    struct wait w;
    schedule_begin(&w, t, STATE_OVERHEAD, 0, HERE);
    real.GOMP_taskyield();
    schedule_end(&w, t);
}

void GOMP_taskgroup_end(void)
{
    struct thread *t = tracked_thread();
    if (!t) {
        real.GOMP_taskgroup_end();
        return;
    }
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_TASKGROUP, task_wait_id(t), HERE);
    real.GOMP_taskgroup_end();
    schedule_end(&w, t);
}
