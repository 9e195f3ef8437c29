/* SPDX-License-Identifier: MIT
 *
 * Waiting for tasks.
 */
#include "state.h"

void GOMP_taskwait(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_taskwait());
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_TASKWAIT, task_wait_id(t), HERE);
    real.GOMP_taskwait();
    schedule_end(&w, t);
}

void GOMP_taskwait_depend(void **depend)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_taskwait_depend(depend));
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_TASKWAIT, task_wait_id(t), HERE);
    real.GOMP_taskwait_depend(depend);
    schedule_end(&w, t);
}

void GOMP_taskyield(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_taskyield());
    struct wait w;
    schedule_begin(&w, t, STATE_OVERHEAD, 0, HERE);
    real.GOMP_taskyield();
    schedule_end(&w, t);
}

void GOMP_taskgroup_end(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_taskgroup_end());
    struct wait w;
    schedule_begin(&w, t, STATE_WAIT_TASKGROUP, task_wait_id(t), HERE);
    real.GOMP_taskgroup_end();
    schedule_end(&w, t);
}
