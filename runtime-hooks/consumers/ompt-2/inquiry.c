/* SPDX-License-Identifier: MIT
 *
 * The inquiry functions of interface version 2 (section 5 of the report), which a tool
 * looks up. Async-signal-safe: they read the calling thread's own records.
 */
#include "consumers/ompt-2/ompt-2.h"
#include "state/self.h"

#include <string.h>

static const struct {
    ompt_state_t state;
    const char *name;
} states[] = {
#define STATE(name)                                                                                \
    {                                                                                              \
        name, #name                                                                                \
    }
    STATE(ompt_state_work_serial),   STATE(ompt_state_work_parallel),
    STATE(ompt_state_idle),          STATE(ompt_state_overhead),
    STATE(ompt_state_wait_barrier),  STATE(ompt_state_wait_barrier_implicit),
    STATE(ompt_state_wait_taskwait), STATE(ompt_state_wait_taskgroup),
    STATE(ompt_state_wait_lock),     STATE(ompt_state_wait_critical),
    STATE(ompt_state_wait_atomic),   STATE(ompt_state_wait_ordered),
    STATE(ompt_state_undefined),
};

static int enumerate_state(ompt_state_t current, ompt_state_t *next, const char **name)
{
    unsigned count = sizeof(states) / sizeof(states[0]), i = 0;
    if (current != ompt_state_first) {
        while (i < count && states[i].state != current)
            i++;
        i++;
    }
    if (i >= count)
        return 0;
    *next = states[i].state;
    *name = states[i].name;
    return 1;
}

/* libgomp has one implementation of locks, and one lock for all atomics that need one. */
static int enumerate_lock_types(ompt_lock_type_t current, ompt_lock_type_t *next, const char **name)
{
    if (current != ompt_lock_type_first)
        return 0;
    *next = 1;
    *name = "mutex of libgomp";
    return 1;
}

static int enumerate_atomic_type(ompt_atomic_type_t current, ompt_atomic_type_t *next,
                                 const char **name)
{
    if (current != ompt_atomic_type_first)
        return 0;
    *next = 1;
    *name = "one mutex for all atomics";
    return 1;
}

static ompt_thread_id_t get_thread_id(void)
{
    const struct thread *t = self_known();
    return t ? t->id : 0;
}

static ompt_state_t get_state(ompt_wait_id_t *wait_id)
{
    const struct thread *t = self_known();
    if (wait_id)
        *wait_id = 0;
    if (!t)
        return self_unknown_region(t) ? ompt_state_overhead : ompt_state_undefined;
    uint64_t status = self_status(t);
    if (wait_id)
        *wait_id = self_wait_id(t, status);
    unsigned state = status & 0xff;
    return state == STATE_WAIT_NEST_LOCK ? ompt_state_wait_lock : (ompt_state_t)state;
}

static ompt_parallel_id_t get_parallel_id(int ancestor_level)
{
    const struct thread *t = self_known();
    if (!t || ancestor_level < 0)
        return 0;
    if (ompt_2_late)
        return ancestor_level == 0 ? event_region_id(t) : 0;
    if (ancestor_level == 0)
        return STATUS_REGION(self_status(t));
    const struct rec_region *region = self_region(t, (unsigned)ancestor_level);
    return region ? region->id : 0;
}

static int get_parallel_team_size(int ancestor_level)
{
    const struct thread *t = self_known();
    const struct rec_region *region =
        t && ancestor_level >= 0 ? self_region(t, (unsigned)ancestor_level) : NULL;
    return region ? (int)region->actual : -1;
}

/* The implicit task of a region that has ended has no record and no frames. */
static ompt_bool late_task_info(const struct thread *t, ompt_task_type_t *type,
                                ompt_task_id_t *task_id, ompt_frame_t **task_frame,
                                ompt_parallel_id_t *par_id)
{
    static ompt_frame_t none;
    if (type)
        *type = ompt_task_implicit;
    if (task_id)
        *task_id = event_task_id(t);
    if (task_frame)
        *task_frame = &none;
    if (par_id)
        *par_id = event_region_id(t);
    return 1;
}

/* The recorded task at an ancestor level, with its frame. If a target task is at that
 * level, its id in `target`, else 0, and the recorded task below it. A target task has a
 * frame only while it has encountered another one. */
static struct rec_task *task_at(const struct thread *t, unsigned level, uint64_t *target,
                                ompt_frame_t **frame)
{
    static ompt_frame_t none;
    struct ompt_2_targets *targets = &ompt_2_targets;
    struct rec_task *task = ompt_2_creator ? ompt_2_creator : self_task(t, 0);
    unsigned above = targets->begun;
    bool beginning = targets->depth > above && above < OMPT_2_TARGETS;
    ompt_frame_t *entered = beginning ? &targets->level[above].entered : NULL;
    *target = 0;
    for (; task; task = self_task_below(task)) {
        for (; above && targets->level[above - 1].parent == task->id; above--) {
            if (level-- == 0) {
                *target = targets->level[above - 1].id;
                *frame = entered ? entered : &none;
                return task;
            }
            entered = &targets->level[above - 1].entered;
        }
        if (level-- == 0) {
            *frame = entered ? entered : ompt_2_frame(task);
            return task;
        }
        entered = NULL;
    }
    return NULL;
}

static ompt_bool get_task_info(int ancestor_level, ompt_task_type_t *type, ompt_task_id_t *task_id,
                               ompt_frame_t **task_frame, ompt_parallel_id_t *par_id)
{
    const struct thread *t = self_known();
    if (!t || ancestor_level < 0)
        return 0;
    if (ompt_2_late && ancestor_level == 0)
        return late_task_info(t, type, task_id, task_frame, par_id);
    uint64_t target;
    ompt_frame_t *frame;
    struct rec_task *task =
        ompt_2_late ? NULL : task_at(t, (unsigned)ancestor_level, &target, &frame);
    if (!task)
        return 0;
    if (type)
        *type = target ? ompt_task_target : (ompt_task_type_t)task->kind;
    if (task_id)
        *task_id = target ? target : task->id;
    if (task_frame)
        *task_frame = frame;
    if (par_id)
        *par_id = task->region_id;
    return 1;
}
_Static_assert(TASK_INITIAL == (int)ompt_task_initial && TASK_IMPLICIT == (int)ompt_task_implicit &&
                   TASK_EXPLICIT == (int)ompt_task_explicit,
               "the kinds of tasks are not numbered as in the report");

/* 0 until the program has called omp_get_num_devices(), which initializes the devices. */
static int get_num_devices(void)
{
    const struct rec_globals *known = (const struct rec_globals *)ompd_hooks_root.globals;
    return known && known->num_devices != NUM_DEVICES_UNKNOWN ? (int)known->num_devices : 0;
}

static int target_get_device_id(void)
{
    const struct ompt_2_targets *targets = &ompt_2_targets;
    if (targets->depth == 0 || targets->depth > OMPT_2_TARGETS)
        return -1;
    return targets->level[targets->depth - 1].device;
}

/* Returns an error: only the number of a device is known. */
static int target_get_device_info(int device_id, const char **type, ompt_target_device_t **device,
                                  ompt_function_lookup_t *lookup, const char *documentation)
{
    (void)device_id;
    (void)type;
    (void)device;
    (void)lookup;
    (void)documentation;
    return 1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
ompt_interface_fn_t ompt_2_lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } functions[] = {
#define FUNCTION(name, function) {#name, (ompt_interface_fn_t)(1 ? (function) : (name##_t)NULL)}
        FUNCTION(ompt_set_callback, ompt_2_set_callback),
        FUNCTION(ompt_get_callback, ompt_2_get_callback),
        FUNCTION(ompt_enumerate_state, enumerate_state),
        FUNCTION(ompt_enumerate_lock_types, enumerate_lock_types),
        FUNCTION(ompt_enumerate_atomic_type, enumerate_atomic_type),
        FUNCTION(ompt_get_thread_id, get_thread_id),
        FUNCTION(ompt_get_state, get_state),
        FUNCTION(ompt_get_parallel_id, get_parallel_id),
        FUNCTION(ompt_get_parallel_team_size, get_parallel_team_size),
        FUNCTION(ompt_get_task_info, get_task_info),
        FUNCTION(ompt_get_num_devices, get_num_devices),
        FUNCTION(ompt_target_get_device_id, target_get_device_id),
        FUNCTION(ompt_target_get_device_info, target_get_device_info),
    };
    for (unsigned i = 0; name && i < sizeof(functions) / sizeof(functions[0]); i++)
        if (strcmp(name, functions[i].name) == 0)
            return functions[i].function;
    return NULL;
}
#pragma GCC diagnostic pop
