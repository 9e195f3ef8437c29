/* SPDX-License-Identifier: MIT
 *
 * What the tool may ask about the calling thread, also in a signal handler: only the
 * thread's own records are read, nothing is locked and nothing allocated.
 *
 * A thread that is interrupted while it changes its records says that it cannot tell.
 */
#include "consumers/ompt/inquiry.h"
#include "consumers/ompt/ompt.h"
#include "state/self.h"

enum { NONE = 0, NOT_NOW = 1, THERE = 2 };

/* NULL if the thread is none of OpenMP, or none that is known. */
static struct thread *self(void)
{
    struct thread *t = hooks_self;
    return t && t->introduced && !t->untracked ? t : NULL;
}

static bool changing(const struct thread *t)
{
    return t->seq & 1;
}

ompt_data_t *ompt_get_thread_data(void)
{
    struct thread *t = self();
    return t ? (ompt_data_t *)&t->rec->tool_data : NULL;
}

/* The barrier at the end of a region is the one in which the implicit task is over. */
static int barrier_implicit(struct thread *t)
{
    const struct rec_task *task = current_task(t);
    return t->late.pending || (task && task->state == TASK_COMPLETED)
               ? ompt_state_wait_barrier_implicit_parallel
               : ompt_state_wait_barrier_implicit_workshare;
}

int ompt_get_state(ompt_wait_id_t *wait_id)
{
    struct thread *t = self();
    if (wait_id)
        *wait_id = ompt_wait_id_none;
    if (!t)
        return ompt_state_undefined;
    if (wait_id)
        *wait_id = t->rec->wait_id;
    switch ((enum thread_state)(self_status(t) & 0xff)) {
    case STATE_WORK_SERIAL:
        return ompt_state_work_serial;
    case STATE_WORK_PARALLEL:
        return ompt_state_work_parallel;
    case STATE_IDLE:
        return ompt_state_idle;
    case STATE_OVERHEAD:
        return ompt_state_overhead;
    case STATE_WAIT_BARRIER_IMPLICIT:
        return barrier_implicit(t);
    case STATE_WAIT_BARRIER:
        return ompt_state_wait_barrier;
    case STATE_WAIT_TASKWAIT:
        return ompt_state_wait_taskwait;
    case STATE_WAIT_TASKGROUP:
        return ompt_state_wait_taskgroup;
    case STATE_WAIT_LOCK:
    case STATE_WAIT_NEST_LOCK:
        return ompt_state_wait_lock;
    case STATE_WAIT_CRITICAL:
        return ompt_state_wait_critical;
    case STATE_WAIT_ATOMIC:
        return ompt_state_wait_atomic;
    case STATE_WAIT_ORDERED:
        return ompt_state_wait_ordered;
    }
    return ompt_state_undefined;
}

/* The thread at whose initial task the nest of regions begins. */
static struct thread *root_of(struct thread *t)
{
    struct region *r = t->region;
    if (t->initial || !r)
        return t->initial ? t : NULL;
    for (unsigned i = 0; r->outer.region && i < ANCESTORS_MOST; i++)
        r = r->outer.region;
    return r->owner && r->owner != t && r->owner->initial ? r->owner : NULL;
}

int ompt_get_parallel_info(int ancestor_level, ompt_data_t **parallel_data,
                           int *team_size)
{
    struct thread *t = self();
    if (!t || ancestor_level < 0)
        return NONE;
    if (changing(t))
        return NOT_NOW;
    uint64_t status = self_status(t);
    if (status == STATUS(0, STATE_IDLE) && !t->initial)
        return NONE;
    uint64_t id = STATUS_REGION(status);
    struct rec_region *region = NULL;
    if (id && !(region = ompt_region(t->rec->region, id)))
        return NOT_NOW;
    int level = 0;
    for (; region && level < ancestor_level && level < ANCESTORS_MOST; level++)
        region = region->parent ? ompt_region(region->parent, region->parent_id) : NULL;
    if (region) {
        if (level < ancestor_level)
            return NONE;
        if (parallel_data)
            *parallel_data = (ompt_data_t *)&region->tool_data;
        if (team_size)
            *team_size = (int)region->actual;
        return THERE;
    }
    struct thread *root = level == ancestor_level ? root_of(t) : NULL;
    if (!root)
        return NONE;
    if (parallel_data)
        *parallel_data = (ompt_data_t *)&root->rec->outside_data;
    if (team_size)
        *team_size = 1;
    return THERE;
}

/* Who was interrupted by the task, or where that is not kept, who made it; its id too. */
static struct rec_task *outer_task(const struct rec_task *task, uint64_t *id)
{
    *id = task->scheduling_task_id;
    struct rec_task *outer = ompt_task_if(task->scheduling_task, *id);
    if (outer && !(task->kind == TASK_IMPLICIT && task->thread_num))
        return outer;
    *id = task->parent_id;
    return ompt_task_if(task->parent, *id);
}

/* The implicit task of which only the end is left to tell. */
static int late_task(struct thread *t, int *flags, ompt_data_t **task_data,
                     ompt_frame_t **task_frame, ompt_data_t **parallel_data,
                     int *thread_num)
{
    if (flags)
        *flags = t->late.kind == REGION_TEAMS ? ompt_task_initial : ompt_task_implicit;
    if (task_data)
        *task_data = (ompt_data_t *)&t->late.tool_data;
    if (task_frame)
        *task_frame = ompt_task_frame(t, NULL, 0);
    if (parallel_data)
        *parallel_data = NULL;
    if (thread_num)
        *thread_num = (int)t->late.thread_num;
    return THERE;
}

int ompt_get_task_info(int ancestor_level, int *flags, ompt_data_t **task_data,
                       ompt_frame_t **task_frame, ompt_data_t **parallel_data,
                       int *thread_num)
{
    struct thread *t = self();
    if (!t || ancestor_level < 0)
        return NONE;
    if (changing(t))
        return NOT_NOW;
    bool late = t->late.pending && t->late.task == current_task(t);
    uint64_t id = t->rec->task_id;
    struct rec_task *task = ompt_task_if(t->rec->task, id);
    if (!task)
        return late && !ancestor_level ? late_task(t, flags, task_data, task_frame,
                                                   parallel_data, thread_num)
                                       : NONE;
    int level = 0;
    for (; task && level < ancestor_level && level < ANCESTORS_MOST; level++)
        task = outer_task(task, &id);
    if (!task || level < ancestor_level)
        return NONE;
    if (flags) {
        *flags = ompt_task_flags(task->kind, task->flags);
        struct rec_region *region = ompt_region(task->region, task->region_id);
        if (task->kind == TASK_IMPLICIT && region && region->kind == REGION_TEAMS)
            *flags = ompt_task_initial;
    }
    if (task_data)
        *task_data = late && !level ? (ompt_data_t *)&t->late.tool_data
                                    : (ompt_data_t *)&task->tool_data;
    if (task_frame)
        *task_frame = ompt_task_frame(t, task, (unsigned)level);
    if (parallel_data) {
        struct thread *root = task->region ? t : root_of(t);
        *parallel_data = root ? ompt_region_data(root, task) : NULL;
    }
    if (thread_num)
        *thread_num = (int)task->thread_num;
    publish_order();
    return task->id == id ? THERE : NOT_NOW; /* another thread may end its task */
}

/* The runtime does not say where it keeps a task's variables. */
int ompt_get_task_memory(void **addr, size_t *size, int block)
{
    (void)block;
    if (addr)
        *addr = NULL;
    if (size)
        *size = 0;
    return 0;
}

/* Host code of a target region is no operation on a device. */
int ompt_get_target_info(uint64_t *device_num, ompt_id_t *target_id,
                         ompt_id_t *host_op_id)
{
    struct thread *t = self();
    if (!t || !t->target.depth || t->target.depth > TARGET_LEVELS)
        return 0;
    const struct target_level *level = &t->target.level[t->target.depth - 1];
    if (device_num)
        *device_num = (uint64_t)(int64_t)level->device;
    if (target_id)
        *target_id = level->id;
    if (host_op_id)
        *host_op_id = ompt_id_none;
    return 1;
}

uint64_t ompt_get_unique_id(void)
{
    static uint64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}
