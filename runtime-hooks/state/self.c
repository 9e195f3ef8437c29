/* SPDX-License-Identifier: MIT
 *
 * The regions and tasks around the calling thread; see self.h.
 */
#include "state/self.h"

static const struct rec_region *region_if(uintptr_t address, uint64_t id)
{
    const struct rec_region *region = (const struct rec_region *)address;
    return region && id && region->id == id ? region : NULL;
}

/* While the thread enters or leaves a region, one of the two pointers may not match the
 * id. */
static const struct rec_region *current_region(const struct thread *t)
{
    uint64_t id = STATUS_REGION(self_status(t));
    const struct rec_region *region = region_if(t->rec->region, id);
    const struct region *mine = t->region;
    return region || !mine ? region : region_if((uintptr_t)&mine->rec, id);
}

const struct rec_region *self_region(const struct thread *t, unsigned ancestor)
{
    const struct rec_region *region = current_region(t);
    while (region && ancestor--)
        region = region_if(region->parent, region->parent_id);
    return region;
}

static struct rec_task *task_at(uintptr_t address, uint64_t id)
{
    struct rec_task *task = (struct rec_task *)address;
    return task && id && task->id == id ? task : NULL;
}

static struct rec_task *task_if(uintptr_t address, uint64_t id)
{
    struct rec_task *task = task_at(address, id);
    return task && is_target_initial(task)
               ? task_at(task->scheduling_task, task->scheduling_task_id)
               : task;
}

struct rec_task *self_task_below(const struct rec_task *task)
{
    if (task->kind == TASK_INITIAL)
        return NULL;
    if (task->kind == TASK_EXPLICIT || task->thread_num == 0)
        return task_if(task->scheduling_task, task->scheduling_task_id);
    return task_if(task->parent, task->parent_id);
}

struct rec_task *self_task(const struct thread *t, unsigned ancestor)
{
    struct rec_task *task = current_task(t); /* stale while the thread is idle */
    task = task ? task_if((uintptr_t)task, task->id) : NULL;
    if (!task || (self_status(t) & 0xff) == STATE_IDLE)
        return NULL;
    while (task && ancestor--)
        task = self_task_below(task);
    return task;
}
