/* SPDX-License-Identifier: MIT
 *
 * Entry points about the calling thread. Async-signal-safe: they read the thread's own
 * records, acquire no lock and allocate nothing.
 *
 * In a signal handler that interrupts an update of the records, ompt_get_parallel_info
 * and ompt_get_task_info return 1, "not available now".
 */
#include "consumers/ompt/inquiry.h"
#include "consumers/ompt/ompt.h"
#include "state/self.h"

enum { NONE = 0, UNAVAILABLE = 1, AVAILABLE = 2 };

/* The calling thread; NULL if it has not been reported to the tool. */
static struct thread *self(void)
{
    struct thread *t = hooks_self;
    return t && t->reported && !t->untracked ? t : NULL;
}

static bool is_mid_update(const struct thread *t)
{
    return t->seq & 1;
}

ompt_data_t *ompt_get_thread_data(void)
{
    struct thread *t = self();
    return t ? (ompt_data_t *)&t->rec->tool_data : NULL;
}

/* The implicit task is completed in the barrier that ends a region, and only there. */
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

/* The thread whose initial task encountered the outermost region; NULL if unknown. */
static struct thread *root_of(struct thread *t)
{
    struct region *r = t->region;
    if (t->initial || !r)
        return t->initial ? t : NULL;
    for (unsigned i = 0; r->outer.region && i < MAX_ANCESTORS; i++)
        r = r->outer.region;
    return r->owner && r->owner != t && r->owner->initial ? r->owner : NULL;
}

int ompt_get_parallel_info(int ancestor_level, ompt_data_t **parallel_data, int *team_size)
{
    struct thread *t = self();
    if (!t || ancestor_level < 0)
        return NONE;
    if (is_mid_update(t))
        return UNAVAILABLE;
    uint64_t status = self_status(t);
    if (status == STATUS(0, STATE_IDLE) && !t->initial)
        return NONE;
    uint64_t id = STATUS_REGION(status);
    struct rec_region *region = NULL;
    if (id && !(region = ompt_region(t->rec->region, id)))
        return UNAVAILABLE;
    int level = 0;
    for (; region && level < ancestor_level && level < MAX_ANCESTORS; level++)
        region = region->parent ? ompt_region(region->parent, region->parent_id) : NULL;
    if (region) {
        if (level < ancestor_level)
            return NONE;
        if (parallel_data)
            *parallel_data = (ompt_data_t *)&region->tool_data;
        if (team_size)
            *team_size = (int)region->actual;
        return AVAILABLE;
    }
    struct thread *root = level == ancestor_level ? root_of(t) : NULL;
    if (!root)
        return NONE;
    if (parallel_data)
        *parallel_data = (ompt_data_t *)&root->rec->outside_data;
    if (team_size)
        *team_size = 1;
    return AVAILABLE;
}

/* A task as tools see it. */
static struct rec_task *seen_task(struct rec_task *task, uint64_t *id)
{
    if (!task || !is_target_initial(task))
        return task;
    *id = task->scheduling_task_id;
    return ompt_task_if(task->scheduling_task, *id);
}

/* The task that the thread suspended to run this one. For a worker's implicit task, and
 * where that is unknown, the parent task. */
static struct rec_task *outer_task(const struct rec_task *task, uint64_t *id)
{
    *id = task->scheduling_task_id;
    struct rec_task *outer = ompt_task_if(task->scheduling_task, *id);
    if (outer && !(task->kind == TASK_IMPLICIT && task->thread_num))
        return outer;
    *id = task->parent_id;
    return seen_task(ompt_task_if(task->parent, *id), id);
}

/* An implicit task that has ended and whose end has not been reported yet. */
static int late_task(struct thread *t, int *flags, ompt_data_t **task_data,
                     ompt_frame_t **task_frame, ompt_data_t **parallel_data, int *thread_num)
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
    return AVAILABLE;
}

int ompt_get_task_info(int ancestor_level, int *flags, ompt_data_t **task_data,
                       ompt_frame_t **task_frame, ompt_data_t **parallel_data, int *thread_num)
{
    struct thread *t = self();
    if (!t || ancestor_level < 0)
        return NONE;
    if (is_mid_update(t))
        return UNAVAILABLE;
    bool late = t->late.pending && t->late.task == current_task(t);
    uint64_t id = t->rec->task_id;
    struct rec_task *task = seen_task(ompt_task_if(t->rec->task, id), &id);
    if (!task)
        return late && !ancestor_level
                   ? late_task(t, flags, task_data, task_frame, parallel_data, thread_num)
                   : NONE;
    int level = 0;
    for (; task && level < ancestor_level && level < MAX_ANCESTORS; level++)
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
        *task_data =
            late && !level ? (ompt_data_t *)&t->late.tool_data : (ompt_data_t *)&task->tool_data;
    if (task_frame)
        *task_frame = ompt_task_frame(t, task, (unsigned)level);
    if (parallel_data) {
        struct thread *root = task->region ? t : root_of(t);
        *parallel_data = root ? ompt_region_data(root, task) : NULL;
    }
    if (thread_num)
        *thread_num = (int)task->thread_num;
    publish_order();
    return task->id == id ? AVAILABLE : UNAVAILABLE; /* another thread may end it */
}

/* Where libgomp stores the variables of a task is unknown. */
int ompt_get_task_memory(void **addr, size_t *size, int block)
{
    (void)block;
    if (addr)
        *addr = NULL;
    if (size)
        *size = 0;
    return 0;
}

/* host_op_id is none, as there are no device operations on the host. */
int ompt_get_target_info(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id)
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
