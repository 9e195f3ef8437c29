/* SPDX-License-Identifier: MIT
 *
 * OMP_OMPD=history: each thread keeps its last events in a ring of its own, which nobody but a
 * debugger reads. An event is a counter of the processor and a few words: some nanoseconds. What
 * waits has one event, stored as the wait begins; when it is over its duration is added.
 */
#include "consumers/history/history.h"
#include "core/lock.h"
#include "records/memory.h"
#include "records/ticks.h"
#include "state/events.h"

enum { CAPACITY = HISTORY_CAPACITY };

struct history {
    struct rec_history rec;
    struct rec_event events[CAPACITY];
    /* Numbers of the waits that are not over, by depth: tasks run inside of waits. Of a deeper
     * nesting the outermost are overwritten, and so have their events been. */
    uint64_t open[CAPACITY];
    unsigned depth;
};

/* Stores an event, whose `kind` is HISTORY_*; NULL without memory. */
static struct rec_event *add(struct thread *t, uint32_t kind, uint64_t object, uintptr_t codeptr)
{
    struct history *history = t->history;
    if (unlikely(!history))
        return NULL;
    uint64_t number = history->rec.count + 1;
    struct rec_event *event = &history->events[(number - 1) % CAPACITY];
    event->number = 0;
    publish_order();
    event->ticks = ticks_now();
    event->waited = 0;
    event->object = object;
    event->codeptr = event_code(t, codeptr);
    event->kind = kind;
    publish_order();
    event->number = number;
    history->rec.count = number;
    ticks_keep(event->ticks);
    return event;
}

static void wait_begins(struct thread *t, uint32_t kind, uint64_t object, uintptr_t codeptr)
{
    const struct rec_event *event = add(t, kind, object, codeptr);
    struct history *history = t->history;
    if (event)
        history->open[history->depth++ % CAPACITY] = event->number;
}

/* The wait at DEPTH; NULL if its event has been overwritten. */
static struct rec_event *open_wait(struct history *history, unsigned depth)
{
    uint64_t number = history->open[depth % CAPACITY];
    struct rec_event *event = &history->events[(number - 1) % CAPACITY];
    return event->number == number && !event->waited ? event : NULL;
}

/* The waits deeper than DEPTH are over, and since when is not known. */
static void leave(struct history *history, unsigned depth)
{
    while (history->depth > depth) {
        struct rec_event *event = open_wait(history, --history->depth);
        if (event)
            event->waited = HISTORY_OVER;
    }
}

static void wait_ends(struct thread *t, uint32_t kind, bool is_known)
{
    struct history *history = t->history;
    unsigned depth = history ? history->depth : 0;
    struct rec_event *event = NULL;
    while (depth && (event = open_wait(history, depth - 1)) && event->kind != kind)
        depth--;
    if (!depth)
        return;
    leave(history, depth);
    history->depth--;
    if (!event)
        return;
    uint64_t now = ticks_now(), waited = now - event->ticks;
    ticks_keep(now);
    event->waited = !is_known ? HISTORY_OVER : waited ? waited : 1;
}

static NOINLINE struct history *ring_new(void)
{
    hooks_lock();
    struct history *history = memory_piece(sizeof(*history));
    hooks_unlock();
    return history;
}

/* The ring of a thread that has ended is the next one's in its place. */
static void on_thread_begin(struct thread *t)
{
    struct history *history = t->history ? t->history : ring_new();
    t->history = history;
    if (!history)
        return;
    history->rec.count = 0;
    publish_order();
    for (unsigned i = 0; i < CAPACITY; i++)
        history->events[i].number = 0;
    history->depth = 0;
    history->rec.capacity = CAPACITY;
    history->rec.events = (uintptr_t)history->events;
    publish_order();
    t->rec->history = (uintptr_t)&history->rec;
}

static void on_parallel_begin(struct thread *t, struct region *r)
{
    add(t, HISTORY_REGION_BEGIN, r->rec.id, r->rec.codeptr);
}

static void on_parallel_end(struct thread *t, struct region *r)
{
    add(t, HISTORY_REGION_END, r->rec.id, r->rec.codeptr);
}

/* What a worker has waited for at the end of its last region is over. */
static void on_implicit_task_begin(struct thread *t, struct region *r, struct rec_task *task)
{
    if (!task->thread_num)
        return;
    if (t->history)
        leave(t->history, 0);
    add(t, HISTORY_JOIN, r->rec.id, r->rec.codeptr);
}

static void on_task_create(struct thread *t, struct rec_task *task, uint32_t flags)
{
    (void)flags;
    add(t, HISTORY_TASK_CREATE, task->id, task->codeptr);
}

static void on_task_schedule(struct thread *t, struct rec_task *prior, enum schedule status,
                             struct rec_task *next)
{
    if (status == SCHEDULE_COMPLETE || status == SCHEDULE_CANCEL || status == SCHEDULE_DETACH)
        add(t, HISTORY_TASK_END, prior->id, prior->codeptr);
    else if (status == SCHEDULE_SWITCH && next && next->kind == TASK_EXPLICIT)
        add(t, HISTORY_TASK_BEGIN, next->id, next->codeptr);
}

static void on_sync_wait(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                         uintptr_t codeptr)
{
    uint32_t own = HISTORY_SYNC + (uint32_t)kind;
    if (endpoint == EVENT_BEGIN)
        wait_begins(t, own, event_region_id(t), codeptr);
    else /* a worker's of the end of its region is reported when it is in a team again */
        wait_ends(t, own, kind != SYNC_BARRIER_PARALLEL || !t->late.pending);
}

static inline bool is_test(enum mutex_kind kind)
{
    return kind == MUTEX_TEST_LOCK || kind == MUTEX_TEST_NEST_LOCK;
}

static void on_mutex_acquire(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                             uintptr_t codeptr)
{
    if (!is_test(kind)) /* which does not wait */
        wait_begins(t, HISTORY_MUTEX + (uint32_t)kind, wait_id, codeptr);
}

static void on_mutex_acquired(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    struct rec_event *event;
    if (!is_test(kind))
        wait_ends(t, HISTORY_MUTEX + (uint32_t)kind, true);
    else if ((event = add(t, HISTORY_MUTEX + (uint32_t)kind, wait_id, codeptr)))
        event->waited = 1;
}

static void on_mutex_released(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    add(t, HISTORY_RELEASE + (uint32_t)kind, wait_id, codeptr);
}

/* The owner acquires it once more, or releases it, and keeps it. */
static void on_nest_lock(struct thread *t, enum endpoint endpoint, uint64_t wait_id,
                         uintptr_t codeptr)
{
    if (endpoint == EVENT_BEGIN)
        wait_ends(t, HISTORY_MUTEX + MUTEX_NEST_LOCK, true);
    else
        add(t, HISTORY_RELEASE + MUTEX_NEST_LOCK, wait_id, codeptr);
}

static void on_work(struct thread *t, enum work_kind kind, enum endpoint endpoint, uint64_t count,
                    uintptr_t codeptr)
{
    if (endpoint == EVENT_BEGIN && kind != WORK_SINGLE_OTHER)
        add(t, HISTORY_WORK + (uint32_t)kind, count, codeptr);
}

static void on_cancel(struct thread *t, uint32_t flags, uintptr_t codeptr)
{
    add(t, HISTORY_CANCEL, flags, codeptr);
}

/* The record of the thread has which device it is for. */
static void on_target(struct thread *t, enum target_kind kind, enum endpoint endpoint, int device,
                      struct place place)
{
    (void)device;
    uint32_t own = HISTORY_TARGET + (uint32_t)kind;
    if (endpoint == EVENT_BEGIN)
        wait_begins(t, own, t->rec->target_device, place.codeptr);
    else
        wait_ends(t, own, true);
}

#define WANTED                                                                                     \
    (EVENT_BIT(thread_begin) | EVENT_BIT(parallel_begin) | EVENT_BIT(parallel_end) |               \
     EVENT_BIT(implicit_task_begin) | EVENT_BIT(task_create) | EVENT_BIT(task_schedule) |          \
     EVENT_BIT(sync_wait) | EVENT_BIT(mutex_acquire) | EVENT_BIT(mutex_acquired) |                 \
     EVENT_BIT(mutex_released) | EVENT_BIT(nest_lock) | EVENT_BIT(work) | EVENT_BIT(cancel) |      \
     EVENT_BIT(target))

static bool is_started;

static void on_forked(void);

struct consumer consumer_history = {
    .rank = CONSUMER_HISTORY,
    .wants_reported = true,
    .forked = on_forked,
    .thread_begin = on_thread_begin,
    .parallel_begin = on_parallel_begin,
    .parallel_end = on_parallel_end,
    .implicit_task_begin = on_implicit_task_begin,
    .task_create = on_task_create,
    .task_schedule = on_task_schedule,
    .sync_wait = on_sync_wait,
    .mutex_acquire = on_mutex_acquire,
    .mutex_acquired = on_mutex_acquired,
    .mutex_released = on_mutex_released,
    .nest_lock = on_nest_lock,
    .work = on_work,
    .cancel = on_cancel,
    .target = on_target,
};

/* The child's thread begins a history of its own. */
static void on_forked(void)
{
    if (is_started)
        consumer_wants(&consumer_history, WANTED);
}

void history_start(void)
{
    if (is_started)
        return;
    ticks_start();
    is_started = true;
    consumer_wants(&consumer_history, WANTED);
}
