/* SPDX-License-Identifier: MIT
 *
 * The thread that has begun an explicit task of a stock libgomp.
 */
#include "libompd/runtime/gomp-task-walk.h"

static struct gomp_runner *slot_of(const struct instance *instance, const struct gomp_located *task)
{
    return &gomp_state(instance)->runners[task->task.address / 64 % GOMP_RUNNERS];
}

static void keep(struct instance *instance, const struct gomp_located *task)
{
    *slot_of(instance, task) = (struct gomp_runner){
        .team = task->team.address,
        .task = task->task.address,
        .has_thread = task->has_thread,
        .is_certain = task->is_certain,
        .number = task->number,
        .thread = task->thread,
    };
}

static enum rc search_runner(struct instance *instance, struct gomp_located *task)
{
    taddr address = task->task.address;
    unsigned found = 0;
    for (uint32_t i = 0; i < task->team.nthreads; i++) {
        struct gomp_team team;
        struct gomp_thread thread;
        uint32_t number;
        enum rc rc = gomp_member(instance, &task->team, i, &thread);
        if (rc == RC_OK)
            rc = gomp_find_ancestor(instance, &thread, address, &team, &number);
        if (rc == RC_UNAVAILABLE || rc == RC_STALE_HANDLE)
            continue;
        if (rc != RC_OK)
            return rc;
        if (!found++ || thread.task == address) {
            task->thread = thread;
            task->number = number;
        }
        if (thread.task == address) {
            found = 1;
            break;
        }
    }
    task->has_thread = found > 0;
    task->is_certain = found == 1;
    return RC_OK;
}

enum rc gomp_find_runner(struct instance *instance, struct gomp_located *task)
{
    const struct gomp_runner *known = slot_of(instance, task);
    if (gomp_state(instance)->walk)
        return gomp_walk_runner(gomp_state(instance)->walk, task);
    if (!memory_of(instance)->query.depth || known->team != task->team.address ||
        known->task != task->task.address) {
        enum rc rc = search_runner(instance, task);
        if (rc == RC_OK)
            keep(instance, task);
        return rc;
    }
    task->has_thread = known->has_thread;
    task->is_certain = known->is_certain;
    task->number = known->number;
    task->thread = known->thread;
    return RC_OK;
}
