/* SPDX-License-Identifier: MIT
 *
 * Parallel regions and leagues, from the construct to its end.
 *
 * A block has the record, the members and the implicit tasks. It comes from a pool of the
 * primary thread, so that teams share no lock.
 */
#include "state/icvs.h"
#include "state/region-events.h"
#include "core/lock.h"
#include "core/runtimes.h"
#include "records/memory.h"
#include "records/runtime-list.h"

#include <string.h>

enum { ANNOUNCE_PENDING = 0, ANNOUNCE_DONE = 1, ANNOUNCE_AWAITED = 2 };

#define SPINS 200

uint64_t last_region_id;

__thread const struct region *region_entering;

static unsigned size_class(unsigned capacity)
{
    return capacity <= 1 ? 0 : 32 - (unsigned)__builtin_clz(capacity - 1);
}

static struct region *block_new(unsigned class)
{
    size_t capacity = (size_t)1 << class;
    size_t member_size = (capacity * sizeof(struct rec_member) + 63) & ~(size_t)63;
    hooks_lock();
    struct region *r = memory_piece(sizeof(*r) + member_size + capacity * sizeof(struct rec_task));
    hooks_unlock();
    if (!r)
        return NULL;
    r->size_class = class;
    r->arg.region = r;
    r->rec.capacity = (uint32_t)capacity;
    r->rec.members = (uintptr_t)(r + 1);
    r->rec.implicit_tasks = (uintptr_t)(r + 1) + member_size;
    r->arg.members = (struct rec_member *)r->rec.members;
    r->arg.tasks = (struct rec_task *)r->rec.implicit_tasks;
    r->arg.capacity = (uint32_t)capacity;
    return r;
}

static struct region *block_take(struct thread *t, unsigned capacity)
{
    unsigned class = size_class(capacity);
    if (class >= REGION_CLASSES)
        return NULL;
    struct region *r = t->free_regions[class];
    if (likely(r)) {
        t->free_regions[class] = r->next_free;
        return r;
    }
    return block_new(class);
}

static void block_put(struct thread *t, struct region *r)
{
    r->next_free = t->free_regions[r->size_class];
    t->free_regions[r->size_class] = r;
}

/* In a target region on the host a region is encountered by an initial task, of which the runtime
 * makes one in the place of the task that encountered the target construct. Its record is the
 * region's. NULL: it is encountered by the thread's task, or there is no memory. */
static NOINLINE struct rec_task *target_initial(struct thread *t, const struct runtime *real,
                                                struct place place)
{
    struct rec_task *task = task_new_initial(t, t->id, real);
    if (!task)
        return NULL;
    task->enter_frame = place.frame;
    task->scheduling_task = t->rec->task;
    task->scheduling_task_id = t->rec->task_id;
    task_publish(t, task);
    return task;
}

struct region *region_begin(struct thread *t, const struct runtime *real, uint32_t kind, body_fn fn,
                            void *data, unsigned requested, unsigned capacity, struct place place)
{
    if (unlikely(t->untracked))
        return NULL;
    struct region *r = block_take(t, capacity);
    if (unlikely(!r))
        return NULL;
    struct rec_thread *rec = t->rec;
    struct rec_task *outer = current_task(t), *encountering = outer;
    r->initial = NULL;
    if (unlikely(t->target_task == rec->task_id) && (kind & ~REGION_OLD_STYLE) == REGION_PARALLEL &&
        (r->initial = target_initial(t, real, place)))
        encountering = r->initial;

    if (r->arg.first_word)
        r->arg.first_word = 0;
    if (r->arg.codeptr != place.codeptr)
        r->arg.codeptr = place.codeptr;
    if (r->arg.real != real)
        r->arg.real = real;
    r->start.fn = fn;
    r->start.data = data;
    r->start.encountering_task = (uintptr_t)encountering;
    r->start.encountering_task_id = encountering->id;
    r->cancelled = 0;
    r->old_style = kind & REGION_OLD_STYLE;
    r->report = REGION_UNREPORTED;
    r->work = 0;
    __atomic_store_n(&r->start.announced, ANNOUNCE_PENDING, __ATOMIC_RELAXED);

    r->rec.kind = kind & ~REGION_OLD_STYLE;
    r->rec.requested = requested;
    r->rec.actual = 0;
    if (unlikely(r->rec.cancelled))
        r->rec.cancelled = 0;
    if (unlikely(r->rec.met_odd | r->rec.met_even)) {
        r->rec.met_even = r->rec.met_odd = r->rec.parted_first = r->rec.parted_other = 0;
        r->rec.parted = 0;
    }
    r->rec.function = (uintptr_t)fn;
    if (unlikely(r->rec.runtime != (uintptr_t)real->omp_get_thread_num)) {
        r->rec.runtime = (uintptr_t)real->omp_get_thread_num;
        if (real->recorded)
            runtime_list_add(r->rec.runtime);
    }
    r->rec.codeptr = place.codeptr;
    r->rec.parent = t->region ? (uintptr_t)&t->region->rec : 0;
    r->rec.parent_id = t->region ? t->region->rec.id : 0;
    r->rec.encountering_task = (uintptr_t)encountering;
    r->rec.encountering_task_id = encountering->id;
    r->rec.master = (uintptr_t)rec;
    r->rec.master_id = t->id;
    publish_order();
    r->start.first_task_id = ids_take(&t->task_ids, &last_task_id, r->arg.capacity);
    r->start.id = ids_take(&t->region_ids, &last_region_id, 1);
    r->rec.id = r->start.id;

    outer_save(&r->outer.state, rec);
    r->outer.region = t->region;
    r->outer.real = t->real;
    r->outer.thread_num = rec->thread_num;
    r->outer.team_size = rec->team_size;
    r->outer.level = rec->level;
    r->outer.barrier = rec->barrier;
    r->outer.task = rec->task;
    r->outer.task_id = rec->task_id;
    r->outer.enter_frame = outer->enter_frame;

    outer->enter_frame = place.frame;
    rec->codeptr = place.codeptr;
    rec->frame = place.frame;
    publish_order();
    set_status(rec, STATUS(r->rec.parent_id, STATE_OVERHEAD));
    if (event_wanted(~0u))
        notify_region_begin(t, r);
    if (unlikely(r->initial)) {
        changing_begin(t);
        rec->task = (uintptr_t)r->initial;
        rec->task_id = r->initial->id;
        changing_end(t);
    }
    return r;
}

static inline void set_reported(struct rec_thread *rec, bool reported)
{
    uint32_t flags = rec->flags & ~(uint32_t)THREAD_REPORTED;
    flags |= reported ? THREAD_REPORTED : 0;
    if (unlikely(rec->flags != flags))
        rec->flags = flags;
}

static inline void set(uint32_t *field, uint32_t value)
{
    if (*field != value)
        *field = value;
}

/* Whichever member of the team is first, or several at once. The record of an enclosing region
 * is that of the primary thread; in a target region on the host levels restart at 0. */
void region_describe_team(struct region *r, uint32_t actual, uint32_t level, uint32_t active_level)
{
    const struct region *outer = r->outer.region;
    uintptr_t icvs = icvs_of_region(r);
    set(&r->start.actual, actual);
    set(&r->start.level, level);
    set(&r->start.active_level, active_level);
    set(&r->rec.level, level);
    set(&r->rec.active_level, active_level);
    if (unlikely(r->arg.icvs != icvs))
        r->arg.icvs = icvs;
    if (outer && outer->arg.real == r->arg.real && level <= outer->rec.level)
        r->rec.parent = r->rec.parent_id = 0;
    publish_order();
    set(&r->rec.actual, actual);
}

static void describe(struct region *r)
{
    const struct runtime *real = r->arg.real;
    int actual =
        r->rec.kind == REGION_TEAMS ? real->omp_get_num_teams() : real->omp_get_num_threads();
    region_describe_team(r, (uint32_t)actual, (uint32_t)real->omp_get_level(),
                         (uint32_t)real->omp_get_active_level());
}

/* On the primary thread. */
static void enter(struct thread *t, struct region *r)
{
    struct rec_thread *rec = t->rec;

    changing_begin(t);
    rec->region = (uintptr_t)&r->rec;
    set_reported(rec, !r->arg.real->recorded);
    set_status(rec, STATUS(r->rec.id, STATE_OVERHEAD));
    rec->thread_num = 0;
    rec->team_size = r->start.actual;
    rec->level = r->rec.level;
    rec->barrier = 0;
    changing_end(t);
    t->region = r;

    breakpoint_region_begin(r);
    if (r->start.actual > 1 && r->rec.kind != REGION_TEAMS &&
        __atomic_exchange_n(&r->start.announced, ANNOUNCE_DONE, __ATOMIC_RELEASE) ==
            ANNOUNCE_AWAITED)
        word_wake_all(&r->start.announced);
}

void region_announce(struct thread *t, struct region *r)
{
    describe(r);
    enter(t, r);
}

void region_announce_team(struct thread *t, struct region *r, uint32_t actual, uint32_t level,
                          uint32_t active_level)
{
    region_describe_team(r, actual, level, active_level);
    enter(t, r);
}

static void NOINLINE await_announcement_slowly(struct region *r)
{
    for (unsigned i = 0; i < SPINS; i++) {
        cpu_relax();
        if (__atomic_load_n(&r->start.announced, __ATOMIC_ACQUIRE) == ANNOUNCE_DONE)
            return;
    }
    for (;;) {
        uint32_t seen = ANNOUNCE_PENDING;
        if (!__atomic_compare_exchange_n(&r->start.announced, &seen, ANNOUNCE_AWAITED, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE) &&
            seen == ANNOUNCE_DONE)
            return;
        word_wait(&r->start.announced, ANNOUNCE_AWAITED);
    }
}

/* On a machine with more threads than processors the primary thread often is the last to begin.
 * To wait for it costs a switch of threads, and is of use only if a debugger wants it to stop
 * before any member of its team has begun. */
bool region_await(struct region *r)
{
    if (__atomic_load_n(&r->start.announced, __ATOMIC_ACQUIRE) == ANNOUNCE_DONE)
        return true;
    if (!breakpoint_is_planted())
        return false;
    await_announcement_slowly(r);
    return true;
}

/* Fields that mostly are as the last task of this block has left them: a worker then does
 * not write to their cache lines. */
static inline void begin_facts(const struct region *r, struct rec_task *task, unsigned num)
{
    uintptr_t icvs =
        unlikely(icvs_have_places) ? icvs_in_partition(r->arg.real, r->arg.icvs) : r->arg.icvs;
    if (unlikely(task->icvs != icvs))
        task->icvs = icvs;
    if (unlikely(task->children))
        task->children = 0;
    if (num == 0) {
        task->scheduling_task = r->outer.task;
        task->scheduling_task_id = r->outer.task_id;
    }
}

void implicit_begin(struct thread *t, struct region *r, unsigned num, uintptr_t exit_frame)
{
    const struct region_start *start = &r->start;
    struct rec_thread *rec = t->rec;
    struct rec_task *task = &r->arg.tasks[num];
    struct rec_member *member = &r->arg.members[num];
    bool wanted = event_wanted(~0u);

    task->kind = TASK_IMPLICIT;
    task->flags = 0;
    task->state = TASK_RUNNING;
    task->thread_num = num;
    task->level = start->level;
    task->active_level = start->active_level;
    task->function = (uintptr_t)start->fn;
    task->exit_frame = exit_frame;
    task->enter_frame = 0;
    task->codeptr = 0;
    task->parent = start->encountering_task;
    task->parent_id = start->encountering_task_id;
    task->region = (uintptr_t)&r->rec;
    task->region_id = start->id;
    task->thread = (uintptr_t)rec;
    task->thread_id = t->id;
    begin_facts(r, task, num);
    if (unlikely(wanted))
        task->tool_data = 0;
    publish_order();
    task->id = start->first_task_id + num;

    member->thread = (uintptr_t)rec;
    publish_order();
    member->thread_id = t->id;

    t->region = r;
    t->real = r->arg.real;
    runtime_entered(r->arg.real);
    changing_begin(t);
    rec->region = (uintptr_t)&r->rec;
    set_reported(rec, !r->arg.real->recorded);
    rec->task = (uintptr_t)task;
    rec->task_id = start->first_task_id + num;
    rec->thread_num = num;
    rec->team_size = start->actual;
    rec->level = start->level;
    rec->barrier = 0;
    rec->wait_id = 0;
    rec->codeptr = 0;
    rec->frame = 0;
    set_status(rec, STATUS(start->id, STATE_WORK_PARALLEL));
    changing_end(t);
    if (unlikely(wanted))
        notify_implicit_begin(t, r, task);
}

void implicit_end(struct thread *t, struct region *r, struct place place)
{
    struct rec_thread *rec = t->rec;
    struct rec_task *task = current_task(t);
    task->state = TASK_COMPLETED;
    task->exit_frame = 0;
    rec->codeptr = place.codeptr;
    rec->frame = place.frame;
    rec->wait_id = r->start.id;
    rec->wait_since = clock_now();
    rec->tested = 0;
    barrier_enter(rec, BARRIER_AT_END);
    publish_order();
    set_status(rec, STATUS(r->start.id, STATE_WAIT_BARRIER_IMPLICIT));
    if (event_wanted(~0u))
        notify_implicit_end(t, r, place.codeptr);
}

void NOINLINE ompd_hooks_region(void *arg)
{
    struct region *r = ((struct region_arg *)arg)->region;
    body_fn fn = r->start.fn;
    void *data = r->start.data;
    const struct runtime *real = r->arg.real;
    unsigned num = (unsigned)real->omp_get_thread_num();
    struct thread *t;
    struct place place = {r->arg.codeptr, 0};
    bool newborn = false;

    if (num == 0) {
        t = hooks_self;
        region_announce(t, r);
        place.frame = current_task(t)->enter_frame;
    } else {
        if (!region_await(r))
            describe(r);
        newborn = !hooks_self;
        if (unlikely(newborn))
            region_entering = r;
        t = thread_worker(real);
        if (event_wanted(~0u) && t)
            notify_awake(t);
    }
    if (unlikely(!t || num >= r->arg.capacity)) {
        region_entering = NULL;
        fn(data);
        return;
    }
    implicit_begin(t, r, num, (uintptr_t)__builtin_dwarf_cfa());
    if (unlikely(newborn))
        region_entering = NULL;
    fn(data);
    implicit_end(t, r, place);
}

/* Called for each team of the league in turn, on one thread. */
void NOINLINE ompd_hooks_teams(void *arg)
{
    struct region *r = ((struct region_arg *)arg)->region;
    body_fn fn = r->start.fn;
    void *data = r->start.data;
    unsigned num = (unsigned)r->arg.real->omp_get_team_num();
    struct thread *t = hooks_self;
    struct rec_task *encountering = (struct rec_task *)r->rec.encountering_task;
    struct place place = {r->arg.codeptr, encountering->enter_frame};

    if (num == 0)
        region_announce(t, r);
    if (unlikely(num >= r->arg.capacity)) {
        fn(data);
        return;
    }
    implicit_begin(t, r, num, (uintptr_t)__builtin_dwarf_cfa());
    fn(data);
    implicit_end(t, r, place);
}

/* Only after the real function is the region's last barrier known to be complete: marks
 * the workers idle.
 *
 * The workers of an outermost region stay in the pool of the primary thread, and only
 * that writes their status now. Those of a nested one are ending, and their records may
 * have been reused: a status other than waiting in this region is kept. */
static void release_workers(struct region *r, unsigned count)
{
    bool resting = r->rec.level == 1;
    uint64_t waiting = STATUS(r->rec.id, STATE_WAIT_BARRIER_IMPLICIT);
    for (unsigned i = 1; i < count; i++) {
        struct rec_thread *worker = (struct rec_thread *)r->arg.members[i].thread;
        uint64_t seen = waiting;
        if (!worker)
            continue;
        if (resting)
            set_status(worker, STATUS(0, STATE_IDLE));
        else
            __atomic_compare_exchange_n(&worker->status, &seen, STATUS(0, STATE_IDLE), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

void region_end(struct thread *t, struct region *r)
{
    struct rec_thread *rec = t->rec;
    struct rec_task *outer = (struct rec_task *)r->outer.task;
    unsigned count = r->rec.actual < r->rec.capacity ? r->rec.actual : r->rec.capacity;

    if (event_wanted(~0u))
        implicit_end_late(t);
    changing_begin(t);
    set_status(rec, STATUS(r->rec.id, STATE_OVERHEAD));
    rec->wait_id = 0;
    rec->task = r->rec.encountering_task;
    rec->task_id = r->rec.encountering_task_id;
    changing_end(t);
    if (r->rec.kind != REGION_TEAMS) /* a league is one thread */
        release_workers(r, count);
    breakpoint_region_end(r);
    if (unlikely(r->cancelled))
        tasks_reclaim(t, r->rec.id);

    changing_begin(t);
    rec->region = r->outer.region ? (uintptr_t)&r->outer.region->rec : 0;
    rec->task = r->outer.task;
    rec->task_id = r->outer.task_id;
    set_reported(rec, r->outer.region && !r->outer.region->arg.real->recorded);
    rec->thread_num = r->outer.thread_num;
    rec->team_size = r->outer.team_size;
    rec->level = r->outer.level;
    rec->barrier = r->outer.barrier;
    set_status(rec, STATUS(STATUS_REGION(r->outer.state.status), STATE_OVERHEAD));
    changing_end(t);
    t->region = r->outer.region;
    t->real = r->outer.real;
    if (event_wanted(~0u))
        notify_region_end(t, r);
    outer_restore(&r->outer.state, rec);
    outer->enter_frame = r->outer.enter_frame;

    r->rec.id = 0;
    publish_order();
    for (unsigned i = 0; i < count; i++) {
        r->arg.tasks[i].id = 0;
        r->arg.members[i].thread_id = 0;
        r->arg.members[i].thread = 0;
    }
    if (unlikely(r->initial))
        task_release(t, r->initial);
    block_put(t, r);
}

void region_keep_only(struct region *r, uint64_t thread_id)
{
    bool is_primary = r->rec.master_id == thread_id;
    if (!is_primary) {
        r->rec.encountering_task = r->rec.encountering_task_id = 0;
        r->rec.master = r->rec.master_id = 0;
    }
    unsigned count = r->rec.actual < r->rec.capacity ? r->rec.actual : r->rec.capacity;
    for (unsigned i = 0; i < count; i++) {
        if (r->arg.members[i].thread_id == thread_id) {
            if (!is_primary)
                r->arg.tasks[i].parent = r->arg.tasks[i].parent_id = 0;
            continue;
        }
        r->arg.members[i].thread_id = 0;
        r->arg.members[i].thread = 0;
        r->arg.tasks[i].id = 0;
    }
}

/* The primary thread may be reusing the block for a new team: only the thread's own id is
 * removed. */
void region_leave(struct region *r, unsigned num, uint64_t thread_id)
{
    if (num < r->rec.capacity)
        __atomic_compare_exchange_n(&r->arg.members[num].thread_id, &thread_id, 0, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
