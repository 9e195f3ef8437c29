/* SPDX-License-Identifier: MIT
 *
 * Translates events of synchronization, worksharing and the error directive to callbacks.
 */
#include "consumers/ompt/consume.h"

/* At the end of its last barrier the region has ended: parallel_data is NULL. */
static void sync_callback(ompt_callback_sync_region_t callback, struct thread *t,
                          enum sync_kind kind, enum endpoint endpoint, uintptr_t codeptr)
{
    if (!callback)
        return;
    bool over = kind == SYNC_BARRIER_PARALLEL && endpoint == EVENT_END;
    struct rec_task *task = over && t->late.pending ? t->late.task : current_task(t);
    callback((ompt_sync_region_t)kind, (ompt_scope_endpoint_t)endpoint,
             over ? NULL : ompt_region_data(t, task), ompt_task_data(t, task),
             (const void *)event_code(t, codeptr));
}

void ompt_on_sync_region(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                         uintptr_t codeptr)
{
    sync_callback((ompt_callback_sync_region_t)ompt_callback(ompt_callback_sync_region), t, kind,
                  endpoint, codeptr);
}

void ompt_on_sync_wait(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                       uintptr_t codeptr)
{
    sync_callback((ompt_callback_sync_region_t)ompt_callback(ompt_callback_sync_region_wait), t,
                  kind, endpoint, codeptr);
}

static void acquire_callback(struct thread *t, ompt_callbacks_t event, enum mutex_kind kind,
                             uint64_t wait_id, uintptr_t codeptr)
{
    ompt_callback_mutex_acquire_t callback = (ompt_callback_mutex_acquire_t)ompt_callback(event);
    if (callback)
        callback((ompt_mutex_t)kind, 0, ompt_mutex_impl_none, wait_id,
                 (const void *)event_code(t, codeptr));
}

static void mutex_callback(struct thread *t, ompt_callbacks_t event, enum mutex_kind kind,
                           uint64_t wait_id, uintptr_t codeptr)
{
    ompt_callback_mutex_t callback = (ompt_callback_mutex_t)ompt_callback(event);
    if (callback)
        callback((ompt_mutex_t)kind, wait_id, (const void *)event_code(t, codeptr));
}

#define MUTEX(name, how)                                                                           \
    void ompt_on_##name(struct thread *t, enum mutex_kind kind, uint64_t wait_id,                  \
                        uintptr_t codeptr)                                                         \
    {                                                                                              \
        how##_callback(t, ompt_callback_##name, kind, wait_id, codeptr);                           \
    }
MUTEX(mutex_acquire, acquire)
MUTEX(mutex_acquired, mutex)
MUTEX(mutex_released, mutex)
MUTEX(lock_init, acquire)
MUTEX(lock_destroy, mutex)

void ompt_on_nest_lock(struct thread *t, enum endpoint endpoint, uint64_t wait_id,
                       uintptr_t codeptr)
{
    ompt_callback_nest_lock_t callback = OMPT_CALLBACK(nest_lock);
    if (callback)
        callback((ompt_scope_endpoint_t)endpoint, wait_id, (const void *)event_code(t, codeptr));
}

void ompt_on_work(struct thread *t, enum work_kind kind, enum endpoint endpoint, uint64_t count,
                  uintptr_t codeptr)
{
    ompt_callback_work_t callback = OMPT_CALLBACK(work);
    struct rec_task *task = current_task(t);
    if (callback)
        callback((ompt_work_t)kind, (ompt_scope_endpoint_t)endpoint, ompt_region_data(t, task),
                 ompt_task_data(t, task), count, (const void *)event_code(t, codeptr));
}

void ompt_on_error(struct thread *t, bool fatal, const char *message, size_t length,
                   uintptr_t codeptr)
{
    ompt_callback_error_t callback = OMPT_CALLBACK(error);
    if (callback)
        callback(fatal ? ompt_fatal : ompt_warning, message, length,
                 (const void *)event_code(t, codeptr));
}
