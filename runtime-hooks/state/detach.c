/* SPDX-License-Identifier: MIT
 *
 * Hash table of detachable tasks by event, and omp_fulfill_event(); see detach.h.
 */
#include "state/detach.h"
#include "core/lock.h"
#include "records/memory.h"

#include <sched.h>

#define BUCKET_BITS 8
#define YIELDS 1000000

struct open_task {
    struct open_task *next;
    struct rec_task *task;
    uint64_t event;
    bool leaving;   /* detach_leaving() has returned SCHEDULE_DETACH */
    bool fulfilled; /* before detach_body_over() */
    bool reporting; /* SCHEDULE_EARLY_FULFIL is being dispatched */
};

static struct open_task *buckets[1 << BUCKET_BITS];
static struct open_task *free_entries;

static struct open_task **chain(uint64_t event)
{
    return &buckets[records_hash(event, BUCKET_BITS)];
}

static struct open_task **find(uint64_t event)
{
    struct open_task **link = chain(event);
    while (*link && (*link)->event != event)
        link = &(*link)->next;
    return link;
}

static void drop(struct open_task **link)
{
    struct open_task *entry = *link;
    *link = entry->next;
    entry->next = free_entries;
    free_entries = entry;
}

/* While the record has the task's id it is not reused: only the executing thread releases
 * it, in detach_body_over(), after a call of this function. */
void detach_event(struct rec_task *task, uint64_t id, uint64_t event)
{
    hooks_lock();
    if (task->id == id && !task->event && event) {
        struct open_task *entry = free_entries;
        if (entry)
            free_entries = entry->next;
        else
            entry = memory_piece(sizeof(*entry));
        if (entry) {
            entry->task = task;
            entry->event = event;
            entry->leaving = entry->fulfilled = entry->reporting = false;
            entry->next = *chain(event);
            *chain(event) = entry;
            task->event = event;
        }
    }
    hooks_unlock();
}

/* Waits until SCHEDULE_EARLY_FULFIL has been dispatched, which precedes the completion of
 * the task; not for ever, as the callback may not return. */
static struct open_task **find_reported(uint64_t event)
{
    struct open_task **link = find(event);
    for (unsigned i = 0; i < YIELDS && *link && (*link)->reporting; i++) {
        hooks_unlock();
        sched_yield();
        hooks_lock();
        link = find(event);
    }
    return link;
}

enum schedule detach_leaving(struct rec_task *task)
{
    hooks_lock();
    struct open_task **link = find_reported(task->event);
    bool over = !*link || (*link)->fulfilled;
    if (!over)
        (*link)->leaving = true;
    hooks_unlock();
    return over ? SCHEDULE_COMPLETE : SCHEDULE_DETACH;
}

bool detach_body_over(struct thread *t, struct rec_task *task, enum schedule status)
{
    hooks_lock();
    struct open_task **link = find(task->event);
    bool over = !*link || (*link)->fulfilled;
    if (*link && over)
        drop(link);
    if (!over) {
        task->thread_id = 0;
        publish_order();
        task->thread = 0;
        task->state = TASK_DETACHED;
    }
    hooks_unlock();
    if (over && status == SCHEDULE_DETACH)
        event_task_schedule(t, task, SCHEDULE_LATE_FULFIL, NULL);
    return over;
}

void detach_discard(const struct rec_task *task)
{
    if (!task->event)
        return;
    hooks_lock();
    struct open_task **link = find(task->event);
    if (*link)
        drop(link);
    hooks_unlock();
}

/* Called before the runtime fulfils the event, as it may reuse it afterwards. */
static void fulfil(struct thread *t, uint64_t event)
{
    struct rec_task *over = NULL, *early = NULL;
    hooks_lock();
    struct open_task **link = find(event);
    if (*link) {
        struct rec_task *task = (*link)->task;
        if (task->state == TASK_DETACHED) {
            drop(link);
            over = task;
        } else {
            if (!(*link)->leaving)
                early = task;
            (*link)->reporting = early && event_wanted(EVENT_BIT(task_schedule));
            (*link)->fulfilled = true;
        }
    }
    hooks_unlock();
    if (early && event_wanted(EVENT_BIT(task_schedule))) {
        event_task_schedule(t, early, SCHEDULE_EARLY_FULFIL, NULL);
        hooks_lock();
        if (*(link = find(event)))
            (*link)->reporting = false;
        hooks_unlock();
    }
    if (over) {
        event_task_schedule(t, over, SCHEDULE_LATE_FULFIL, NULL);
        task_release(t, over);
    }
}

WRAPPER(void, omp_fulfill_event, (uintptr_t event), (event))
{
    FORWARD_UNLESS_TRACKED(t, real->omp_fulfill_event(event));
    fulfil(t, event);
    real->omp_fulfill_event(event);
}

WRAPPER(void, omp_fulfill_event_, (intptr_t event), (event))
{
    FORWARD_UNLESS_TRACKED(t, real->omp_fulfill_event_(event));
    fulfil(t, (uintptr_t)event);
    real->omp_fulfill_event_(event);
}
