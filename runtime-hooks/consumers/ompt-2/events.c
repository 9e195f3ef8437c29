/* SPDX-License-Identifier: MIT
 *
 * Translates events of state/events.def to the callbacks of interface version 2; see
 * events.def here.
 */
#include "state/lock-records.h"
#include "consumers/ompt-2/ompt-2.h"

#include <errno.h>
#include <stdlib.h>

__thread bool ompt_2_late;
__thread struct rec_task *ompt_2_creator;
__thread struct ompt_2_targets ompt_2_targets;

/* TYPE_parallel_begin, ...: the signature of each callback. */
#define OMPT_2_EVENT(name, code, signature, needs, answer, remark) typedef signature TYPE_##name;
#include "consumers/ompt-2/events.def"
#undef OMPT_2_EVENT

/* Invokes the callback for ompt_event_NAME if one is registered. */
#define NOTIFY(name, ...)                                                                          \
    do {                                                                                           \
        TYPE_##name callback = (TYPE_##name)ompt_2_callback(ompt_event_##name);                    \
        if (callback)                                                                              \
            callback(__VA_ARGS__);                                                                 \
    } while (0)
#define NOTIFY_BY_ENDPOINT(name, endpoint, ...)                                                    \
    do {                                                                                           \
        if ((endpoint) == EVENT_BEGIN)                                                             \
            NOTIFY(name##_begin, __VA_ARGS__);                                                     \
        else                                                                                       \
            NOTIFY(name##_end, __VA_ARGS__);                                                       \
    } while (0)
#define SCOPE(endpoint) ((ompt_scope_endpoint_t)(endpoint))
_Static_assert(EVENT_BEGIN == (int)ompt_scope_begin && EVENT_END == (int)ompt_scope_end,
               "endpoints are not numbered as in the report");

enum { NO_HINT = 0, LOCK_IMPL = 1, ATOMIC_TYPE = 1 };

#pragma GCC diagnostic ignored "-Wcast-function-type"

static const void *code(uintptr_t address)
{
    return (const void *)address;
}

/* The id that the tool gets for a recorded task: that of the innermost target task above
 * it, if there is one. */
static uint64_t visible_id(uint64_t id)
{
    const struct ompt_2_targets *targets = &ompt_2_targets;
    unsigned i = targets->begun;
    return i && targets->level[i - 1].parent == id ? targets->level[i - 1].id : id;
}

static ompt_thread_type_t type_of(const struct thread *t)
{
    return t->rec->flags & THREAD_INITIAL ? ompt_thread_initial : ompt_thread_worker;
}

static void on_thread_begin(struct thread *t)
{
    NOTIFY(thread_begin, type_of(t), t->id);
}

static void on_thread_end(struct thread *t)
{
    NOTIFY(thread_end, type_of(t), t->id);
}

static void on_initial_task(struct thread *t, struct rec_task *task, enum endpoint endpoint)
{
    (void)t;
    NOTIFY_BY_ENDPOINT(initial_task, endpoint, SCOPE(endpoint), task->id);
}

static ompt_invoker_t invoker(const struct region *r)
{
    return r->old_style ? ompt_invoker_program : ompt_invoker_runtime;
}

static void on_parallel_begin(struct thread *t, struct region *r)
{
    struct rec_task *parent = current_task(t);
    ompt_2_used();
    NOTIFY(parallel_begin, visible_id(parent->id), ompt_2_frame(parent), r->rec.id,
           r->rec.requested, code(r->rec.function), invoker(r));
}

static void on_parallel_end(struct thread *t, struct region *r)
{
    NOTIFY(parallel_end, r->rec.id, visible_id(t->rec->task_id), invoker(r));
}

static void on_implicit_task_begin(struct thread *t, struct region *r, struct rec_task *task)
{
    (void)t;
    NOTIFY(implicit_task_begin, ompt_scope_begin, r->rec.id, task->id);
}

/* A cleanup function, as the callback may throw. */
static void reset_late(const bool *late)
{
    (void)late;
    ompt_2_late = false;
}

/* Sets ompt_2_late until the function returns. */
#define SET_LATE(late)                                                                             \
    const bool is_late __attribute__((cleanup(reset_late))) = ompt_2_late = (late)

static void on_implicit_task_end(struct thread *t)
{
    SET_LATE(true);
    NOTIFY(implicit_task_end, ompt_scope_end, event_region_id(t), event_task_id(t));
}

static void on_idle(struct thread *t, enum endpoint endpoint)
{
    (void)t;
    NOTIFY_BY_ENDPOINT(idle, endpoint, SCOPE(endpoint));
}

/* A cleanup function, as the callback may throw. */
static void reset_creator(const bool *here)
{
    (void)here;
    ompt_2_creator = NULL;
}

/* A task of a taskloop may have been created by another thread: then its parent is not
 * the current task, and the frames of the parent are not those of this thread. */
static void on_task_create(struct thread *t, struct rec_task *task, uint32_t flags)
{
    (void)flags;
    static const ompt_frame_t none;
    const bool here __attribute__((cleanup(reset_creator))) =
        t->rec->task == task->parent && t->rec->task_id == task->parent_id;
    struct rec_task *parent = (struct rec_task *)task->parent;
    if (!here && parent && parent->id == task->parent_id)
        ompt_2_creator = parent;
    const ompt_frame_t *frame = here ? ompt_2_frame(parent) : &none;
    NOTIFY(task_begin, here ? visible_id(task->parent_id) : task->parent_id, frame, task->id,
           code(task->function));
}

static uint32_t dependence_type(uint32_t kind)
{
    return kind == DEPENDENCE_IN ? ompt_task_dependence_type_in : ompt_task_dependence_type_inout;
}

static void on_task_dependences(struct thread *t, struct rec_task *task)
{
    const struct rec_dependence *item = (const struct rec_dependence *)task->dependences;
    uint32_t count = task->dependences_held;
    (void)t;
    if (!ompt_2_callback(ompt_event_task_dependences) || !count)
        return;
    int saved_errno = errno;
    ompt_task_dependence_t *list = malloc(count * sizeof(*list));
    errno = saved_errno;
    if (!list)
        return;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (ompt_task_dependence_t){(void *)(uintptr_t)item[i].address,
                                           dependence_type(item[i].kind)};
    NOTIFY(task_dependences, task->id, list, (int)count);
    free(list);
}

static void on_task_schedule(struct thread *t, struct rec_task *prior, enum schedule status,
                             struct rec_task *next)
{
    (void)t;
    bool over =
        status == SCHEDULE_COMPLETE || status == SCHEDULE_CANCEL || status == SCHEDULE_LATE_FULFIL;
    if (over)
        NOTIFY(task_end, prior->id);
    if (status == SCHEDULE_SWITCH && next)
        NOTIFY(task_switch, prior ? visible_id(prior->id) : 0, next->id);
}

static void on_task_resumed(struct thread *t, struct rec_task *prior, bool over,
                            struct rec_task *next)
{
    (void)t;
    if (next)
        NOTIFY(task_switch, over ? 0 : prior->id, visible_id(next->id));
}

static void on_task_discarded(struct thread *t, struct rec_task *task)
{
    (void)t;
    NOTIFY(task_end, task->id);
}

#define SYNC(name, kind)                                                                           \
    NOTIFY_BY_ENDPOINT(name, endpoint, kind, SCOPE(endpoint), event_region_id(t),                  \
                       visible_id(event_task_id(t)), code(codeptr))

static void on_sync_region(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                           uintptr_t codeptr)
{
    SET_LATE(t->late.pending && kind == SYNC_BARRIER_PARALLEL);
    if (kind == SYNC_TASKWAIT)
        SYNC(taskwait, ompt_sync_region_taskwait);
    else if (kind == SYNC_TASKGROUP)
        SYNC(taskgroup, ompt_sync_region_taskgroup);
    else
        SYNC(barrier, ompt_sync_region_barrier);
}

static void on_sync_wait(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                         uintptr_t codeptr)
{
    SET_LATE(t->late.pending && kind == SYNC_BARRIER_PARALLEL);
    if (kind == SYNC_TASKWAIT)
        SYNC(wait_taskwait, ompt_sync_region_taskwait);
    else if (kind == SYNC_TASKGROUP)
        SYNC(wait_taskgroup, ompt_sync_region_taskgroup);
    else
        SYNC(wait_barrier, ompt_sync_region_barrier);
}

/* True if the calling task holds the nest lock, so that it will not wait. */
static bool has_nest_lock(const struct thread *t, uint64_t wait_id)
{
    const struct rec_lock *lock = lock_find((uintptr_t)wait_id);
    return lock && lock->owner_id == t->id && lock->owner_task_id == t->rec->task_id;
}

static void on_mutex_acquire(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                             uintptr_t codeptr)
{
    (void)codeptr;
    switch (kind) {
    case MUTEX_LOCK:
        NOTIFY(wait_lock, ompt_mutex_lock, ompt_scope_begin, wait_id);
        break;
    case MUTEX_NEST_LOCK:
        if (!has_nest_lock(t, wait_id))
            NOTIFY(wait_nest_lock, ompt_mutex_nest_lock, ompt_scope_begin, wait_id);
        break;
    case MUTEX_CRITICAL:
        NOTIFY(wait_critical, 0, wait_id, NO_HINT, LOCK_IMPL);
        break;
    case MUTEX_ATOMIC:
        NOTIFY(wait_atomic, wait_id, ATOMIC_TYPE);
        break;
    case MUTEX_ORDERED:
        NOTIFY(wait_ordered, wait_id);
        break;
    case MUTEX_TEST_LOCK:
    case MUTEX_TEST_NEST_LOCK:
        break;
    }
}

#define ON_MUTEX(event, lock, nest_lock, critical, atomic, ordered)                                \
    static void on_##event(struct thread *t, enum mutex_kind kind, uint64_t wait_id,               \
                           uintptr_t codeptr)                                                      \
    {                                                                                              \
        (void)t;                                                                                   \
        (void)codeptr;                                                                             \
        switch (kind) {                                                                            \
        case MUTEX_LOCK:                                                                           \
        case MUTEX_TEST_LOCK:                                                                      \
            lock;                                                                                  \
            break;                                                                                 \
        case MUTEX_NEST_LOCK:                                                                      \
        case MUTEX_TEST_NEST_LOCK:                                                                 \
            nest_lock;                                                                             \
            break;                                                                                 \
        case MUTEX_CRITICAL:                                                                       \
            critical;                                                                              \
            break;                                                                                 \
        case MUTEX_ATOMIC:                                                                         \
            atomic;                                                                                \
            break;                                                                                 \
        case MUTEX_ORDERED:                                                                        \
            ordered;                                                                               \
            break;                                                                                 \
        }                                                                                          \
    }

ON_MUTEX(mutex_acquired, NOTIFY(acquired_lock, ompt_mutex_lock, ompt_scope_end, wait_id),
         NOTIFY(acquired_nest_lock_first, ompt_mutex_nest_lock, ompt_scope_end, wait_id),
         NOTIFY(acquired_critical, wait_id), NOTIFY(acquired_atomic, wait_id),
         NOTIFY(acquired_ordered, wait_id))
ON_MUTEX(mutex_released, NOTIFY(release_lock, ompt_mutex_lock, wait_id),
         NOTIFY(release_nest_lock_last, ompt_mutex_nest_lock, wait_id),
         NOTIFY(release_critical, ompt_mutex_critical, wait_id),
         NOTIFY(release_atomic, ompt_mutex_atomic, wait_id),
         NOTIFY(release_ordered, ompt_mutex_ordered, wait_id))

static void on_nest_lock(struct thread *t, enum endpoint endpoint, uint64_t wait_id,
                         uintptr_t codeptr)
{
    (void)t;
    (void)codeptr;
    if (endpoint == EVENT_BEGIN)
        NOTIFY(acquired_nest_lock_next, ompt_scope_end, wait_id);
    else
        NOTIFY(release_nest_lock_prev, wait_id);
}

static void on_lock_init(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                         uintptr_t codeptr)
{
    (void)t;
    (void)codeptr;
    if (kind == MUTEX_NEST_LOCK)
        NOTIFY(init_nest_lock, 1, wait_id, NO_HINT, LOCK_IMPL);
    else
        NOTIFY(init_lock, 0, wait_id, NO_HINT, LOCK_IMPL);
}

static void on_lock_destroy(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                            uintptr_t codeptr)
{
    (void)t;
    (void)kind;
    (void)codeptr;
    NOTIFY(destroy_lock, wait_id);
}

static void on_work(struct thread *t, enum work_kind kind, enum endpoint endpoint, uint64_t count,
                    uintptr_t codeptr)
{
    (void)count;
    ompt_worksharing_type_t type;
    switch (kind) {
    case WORK_LOOP:
        type = ompt_worksharing_loop;
        break;
    case WORK_SECTIONS:
        type = ompt_worksharing_sections;
        break;
    case WORK_SINGLE_EXECUTOR:
    case WORK_SINGLE_OTHER:
        type = ompt_worksharing_single;
        break;
    default:
        return; /* newer than the report */
    }
    uint64_t region = event_region_id(t), task = visible_id(event_task_id(t));
    if (endpoint == EVENT_BEGIN)
        NOTIFY(worksharing_begin, type, region, task, code(codeptr));
    else
        NOTIFY(worksharing_end, type, region, task);
}

/* libgomp creates no task for a target construct on the host: only an id is generated.
 * The callbacks run in the context of the encountering task. */
static void on_target(struct thread *t, enum target_kind kind, enum endpoint endpoint, int device,
                      struct place place)
{
    struct ompt_2_targets *targets = &ompt_2_targets;
    const struct rec_task *task = current_task(t);
    if (endpoint == EVENT_BEGIN) {
        unsigned i = targets->depth++;
        if (i >= OMPT_2_TARGETS)
            return;
        uint64_t id = ids_take(&t->task_ids, &last_task_id, 1);
        targets->level[i].id = id;
        targets->level[i].parent = t->rec->task_id;
        targets->level[i].device = device;
        targets->level[i].entered = (ompt_frame_t){
            task && visible_id(task->id) == task->id ? (void *)task->exit_frame : NULL,
            (void *)place.frame};
        NOTIFY(target_task_begin, visible_id(t->rec->task_id), &targets->level[i].entered, id,
               device, code(place.codeptr), (ompt_target_task_type_t)(kind & ~TARGET_NOWAIT));
        targets->begun = i + 1;
    } else if (targets->depth && --targets->depth < OMPT_2_TARGETS) {
        targets->begun = targets->depth;
        NOTIFY(target_task_end, targets->level[targets->depth].id);
    }
}

static void forked(void)
{
    ompt_2_targets.depth = ompt_2_targets.begun = 0;
    ompt_2_forget();
}

struct consumer consumer_ompt_2 = {
    .rank = CONSUMER_OMPT_2,
    .wants_reported = true,
    .forked = forked,
    .thread_begin = on_thread_begin,
    .thread_end = on_thread_end,
    .initial_task = on_initial_task,
    .parallel_begin = on_parallel_begin,
    .parallel_end = on_parallel_end,
    .implicit_task_begin = on_implicit_task_begin,
    .implicit_task_end = on_implicit_task_end,
    .idle = on_idle,
    .task_create = on_task_create,
    .task_dependences = on_task_dependences,
    .task_schedule = on_task_schedule,
    .task_resumed = on_task_resumed,
    .task_discarded = on_task_discarded,
    .sync_region = on_sync_region,
    .sync_wait = on_sync_wait,
    .mutex_acquire = on_mutex_acquire,
    .mutex_acquired = on_mutex_acquired,
    .mutex_released = on_mutex_released,
    .nest_lock = on_nest_lock,
    .lock_init = on_lock_init,
    .lock_destroy = on_lock_destroy,
    .work = on_work,
    .target = on_target,
};
