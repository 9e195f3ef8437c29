/* SPDX-License-Identifier: MIT
 *
 * Waits of a thread that its task shows: libgomp flags a task that sleeps in a taskwait, for
 * dependences, or at the end of a taskgroup.
 */
#include "libompd/runtime/gomp-task.h"

/* Did the task open its taskgroup? It inherits that of its parent. */
static enum rc has_own_taskgroup(const struct instance *instance, const struct gomp_task *task,
                                 bool *out)
{
    *out = task->kind == GOMP_KIND_IMPLICIT;
    if (*out || !task->parent)
        return RC_OK;
    struct gomp_task parent;
    enum rc rc = gomp_read_task(instance, task->parent, &parent);
    if (rc != RC_OK)
        return rc;
    taddr group = parent.taskgroup;
    struct cycle cycle = {0};
    while (group && cycle_advance(&cycle, group, GOMP_LEVELS_MAX)) {
        if (group == task->taskgroup)
            return RC_OK;
        struct gomp_bytes object;
        rc = gomp_fetch(instance, GOMP_STRUCT_gomp_taskgroup, group, &object);
        if (rc != RC_OK)
            return rc;
        group = gomp_field(instance, object.bytes, GOMP_gomp_taskgroup_prev);
    }
    *out = true;
    return RC_OK;
}

enum rc gomp_task_state(const struct instance *instance, taddr at, enum state otherwise,
                        struct fact *out)
{
    struct gomp_task task;
    struct gomp_bytes object;
    *out = (struct fact){KNOWN, otherwise};
    enum rc rc = gomp_read_task(instance, at, &task);
    if (rc != RC_OK)
        return rc;
    if (task.taskwait) {
        rc = gomp_fetch(instance, GOMP_STRUCT_gomp_taskwait, task.taskwait, &object);
        if (rc != RC_OK)
            return rc;
        if (gomp_field(instance, object.bytes, GOMP_gomp_taskwait_in_taskwait) == 1 ||
            gomp_field(instance, object.bytes, GOMP_gomp_taskwait_in_depend_wait) == 1) {
            out->value = STATE_wait_taskwait;
            return RC_OK;
        }
    }
    if (!task.taskgroup)
        return RC_OK;
    rc = gomp_fetch(instance, GOMP_STRUCT_gomp_taskgroup, task.taskgroup, &object);
    if (rc != RC_OK || gomp_field(instance, object.bytes, GOMP_gomp_taskgroup_in_wait) != 1)
        return rc;
    bool own;
    rc = has_own_taskgroup(instance, &task, &own);
    if (rc == RC_OK && own)
        out->value = STATE_wait_taskgroup;
    return rc;
}
