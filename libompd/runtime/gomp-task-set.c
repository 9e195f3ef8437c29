/* SPDX-License-Identifier: MIT
 *
 * The set: an array, and a hash table of its indices.
 */
#include <string.h>

#include "libompd/runtime/gomp-task-set.h"

enum { ROOM_FIRST = 64, PROBES_PER_STEP = 16 };

/* A target can choose addresses that collide: probing takes steps of the query. NULL: none
 * are left. */
static uint32_t *slot_of(const struct gomp_task_set *set, taddr task)
{
    uint32_t mask = 2 * set->room - 1;
    uint32_t at = (uint32_t)(task * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
    for (uint32_t i = 1; set->slot[at] && set->task[set->slot[at] - 1].address != task;
         i++) {
        at = (at + 1) & mask;
        if (i % PROBES_PER_STEP == 0 && gomp_take_steps(set->instance, 1) != RC_OK)
            return NULL;
    }
    return &set->slot[at];
}

void gomp_set_free(struct gomp_task_set *set)
{
    if (set->task) {
        set->instance->space->ops->release(set->task);
        set->instance->space->ops->release(set->slot);
    }
    set->task = NULL;
    set->count = set->room = 0;
}

static enum rc grow(struct gomp_task_set *set)
{
    struct gomp_task_set larger = *set;
    void *tasks, *slots;
    larger.room = set->room ? 2 * set->room : ROOM_FIRST;
    if (larger.room > GOMP_TASKS_MAX)
        return RC_NONSENSE;
    const struct target_ops *ops = set->instance->space->ops;
    enum rc rc = ops->alloc(larger.room * sizeof *larger.task, &tasks);
    if (rc != RC_OK)
        return rc;
    rc = ops->alloc(2 * larger.room * sizeof *larger.slot, &slots);
    if (rc != RC_OK) {
        ops->release(tasks);
        return rc;
    }
    larger.task = tasks;
    larger.slot = slots;
    memset(slots, 0, 2 * larger.room * sizeof *larger.slot);
    for (uint32_t i = 0; i < set->count; i++) {
        larger.task[i] = set->task[i];
        uint32_t *slot = slot_of(&larger, set->task[i].address);
        if (!slot) {
            gomp_set_free(&larger);
            return RC_INCOMPLETE;
        }
        *slot = i + 1;
    }
    gomp_set_free(set);
    *set = larger;
    return RC_OK;
}

enum rc gomp_set_add(struct gomp_task_set *set, taddr task, uint32_t team,
                     struct gomp_set_task **out)
{
    if (set->count == set->room) {
        enum rc rc = grow(set);
        if (rc != RC_OK)
            return rc;
    }
    uint32_t *slot = slot_of(set, task);
    if (!slot)
        return RC_INCOMPLETE;
    if (!*slot) {
        set->task[set->count++] = (struct gomp_set_task){.address = task, .team = team};
        *slot = set->count;
    }
    *out = &set->task[*slot - 1];
    return RC_OK;
}
