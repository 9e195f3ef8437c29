/* SPDX-License-Identifier: MIT
 *
 * Async-signal-safe access of a thread to its own records. A handler may run between any
 * two stores of its thread, and other threads may release records that these refer to:
 * each reference is checked by its id.
 */
#ifndef OMPD_HOOKS_SELF_H
#define OMPD_HOOKS_SELF_H

#include "state/globals.h"
#include "state/state.h"

/* The calling thread; NULL if nothing is recorded or the thread is not registered. */
static inline struct thread *self_known(void)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON ? hooks_self : NULL;
}

/* The runtime of the calling thread's region, or the first one. */
static inline const struct runtime *self_runtime(void)
{
    const struct thread *t = hooks_self;
    return t ? t->real : globals_runtime;
}

/* The thread is in a region that began before recording started. */
static inline bool self_unknown_region(const struct thread *t)
{
    if (t)
        return t->untracked;
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON &&
           globals_runtime->omp_get_level() > 0;
}

/* Region id and state by one load; see STATUS(). */
static inline uint64_t self_status(const struct thread *t)
{
    return __atomic_load_n(&t->rec->status, __ATOMIC_RELAXED);
}

/* The wait id that belongs to a status loaded before. */
static inline uint64_t self_wait_id(const struct thread *t, uint64_t status)
{
    publish_order();
    return (status & 0xff) >= STATE_WAIT_BARRIER ? t->rec->wait_id : 0;
}

/* The ancestor region, 0 being the thread's own; NULL beyond the outermost. */
const struct rec_region *self_region(const struct thread *t, unsigned ancestor);

/* Of a target region on the host, which to tools is no task of its own but a part of the one below
 * it, of the target construct. */
static inline bool is_target_initial(const struct rec_task *task)
{
    return task->kind == TASK_INITIAL && task->scheduling_task_id;
}

/* The current task at 0, then the task that its thread executed before, which for a
 * worker's implicit task is the encountering task. NULL beyond the initial task, or if
 * the task has ended. */
struct rec_task *self_task(const struct thread *t, unsigned ancestor);
struct rec_task *self_task_below(const struct rec_task *task);

#endif
