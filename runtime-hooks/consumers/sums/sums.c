/* SPDX-License-Identifier: MIT
 *
 * OMP_OMPD=sums: each thread keeps sums of its own, one for each place at which it did something, and
 * a stack of frames for what it is in: a region, its part of one, a wait, a task. The time between
 * two events is that of the innermost frame; a frame that ends adds it to its sum.
 *
 *     event of a worker          frames after it          adds
 *     implicit task begins       part
 *     arrives at a barrier       part, wait               the work so far to the sum of the barrier
 *     begins a task there        part, wait, task
 *     ends it                    part, wait               its time to its sum, and to the work
 *     leaves the barrier         part                     the wait to the sum of the barrier
 *     arrives at the region's    part (ARRIVED)           the work since then to the sum of the member
 *
 * When the last barrier of a region is over, a worker hears with its next region: the primary thread
 * adds the length of the region for the whole team, and a reader subtracts what the members did.
 */
#include "consumers/sums/sums.h"
#include "core/lock.h"
#include "records/memory.h"
#include "records/ticks.h"
#include "state/events.h"
#include "state/lock-records.h"

#include <string.h>

enum { CAPACITY = SUMS_CAPACITY, INDEX_BITS = 9, FRAMES = 128, HELD = 16 };
_Static_assert(CAPACITY < 1 << INDEX_BITS, "the index has free entries");

/* RELEASE: of a mutex, in which a thread may lose its processor to the next owner. */
enum what { REGION, PART, ARRIVED, WAIT, RELEASE, TASK };

struct frame {
    enum what what;
    uint32_t part; /* as sums.part, before */
    bool is_contended;
    struct rec_sum *sum; /* NULL: there was no room */
    uint64_t begun, own; /* ticks; the latter without those of inner frames */
    uint64_t object;
    uintptr_t holder;
};

struct sums {
    struct rec_sums rec;
    struct rec_sum all[CAPACITY];
    uint16_t index[1 << INDEX_BITS]; /* numbers in `all`, plus 1 */
    uint64_t last;                   /* ticks of the last event */
    uint32_t depth, part;            /* frames; the number of the innermost PART, or 0 */
    uint32_t held_count;
    struct {
        uint64_t object, since;
        struct rec_sum *sum;
    } held[HELD];
    struct frame frames[FRAMES]; /* time in frames beyond these is that of the last */
};

static struct frame *innermost(struct sums *s)
{
    return s->depth ? &s->frames[s->depth < FRAMES ? s->depth - 1 : FRAMES - 1] : NULL;
}

/* The sums of a thread at an event, or NULL. */
static struct sums *at_event(const struct thread *t)
{
    struct sums *s = t->sums;
    if (unlikely(!s))
        return NULL;
    uint64_t now = ticks_now();
    struct frame *frame = innermost(s);
    if (frame && now > s->last)
        frame->own += now - s->last;
    s->last = s->rec.last_ticks = now;
    ticks_keep(now);
    return s;
}

static struct rec_sum *sum_new(struct sums *s, uint16_t *slot, struct rec_sum key)
{
    uint32_t used = s->rec.used;
    if (used == CAPACITY) {
        s->rec.lost++;
        return NULL;
    }
    s->all[used] = key;
    publish_order();
    s->rec.used = used + 1;
    *slot = (uint16_t)(used + 1);
    return &s->all[used];
}

static struct rec_sum *sum_at(const struct thread *t, struct sums *s, uint32_t kind,
                              uintptr_t region, uintptr_t codeptr)
{
    uint32_t number = t->rec->thread_num;
    codeptr = event_code(t, codeptr);
    uint64_t hash =
        records_hash(codeptr ^ (uint64_t)region << 7 ^ kind ^ (uint64_t)number << 32, INDEX_BITS);
    for (;; hash = (hash + 1) % (1 << INDEX_BITS)) {
        if (!s->index[hash])
            return sum_new(
                s, &s->index[hash],
                (struct rec_sum){
                    .kind = kind, .number = number, .region = region, .codeptr = codeptr});
        struct rec_sum *sum = &s->all[s->index[hash] - 1];
        if (likely(sum->codeptr == codeptr && sum->kind == kind && sum->number == number &&
                   sum->region == region))
            return sum;
    }
}

static void push(struct sums *s, enum what what, struct rec_sum *sum, uint64_t object)
{
    if (s->depth++ >= FRAMES)
        return;
    s->frames[s->depth - 1] = (struct frame){
        .what = what, .part = s->part, .sum = sum, .begun = s->last, .object = object};
    if (what == PART)
        s->part = s->depth;
}

/* Ends the innermost frame of that kind, and those in it whose end was not seen; NULL without one. */
static struct frame *pop(struct sums *s, enum what what)
{
    if (s->depth > FRAMES) {
        s->depth--;
        return NULL;
    }
    for (uint32_t depth = s->depth; depth; depth--) {
        struct frame *frame = &s->frames[depth - 1];
        if (frame->what == what) {
            s->depth = depth - 1;
            s->part = frame->part;
            return frame;
        }
    }
    return NULL;
}

/* Work of the innermost part in another frame. */
static void add_work(struct sums *s, uint64_t ticks)
{
    struct frame *part = s->part ? &s->frames[s->part - 1] : NULL;
    if (part && part->what == PART) {
        part->own += ticks;
    } else if (part && part->sum) {
        part->sum->ticks += ticks;
        part->sum->contended += ticks;
    }
}

/* With a straight line between powers of two. */
static uint64_t logarithm(uint64_t ticks)
{
    if (!ticks)
        return 0;
    unsigned whole = 63 - (unsigned)__builtin_clzll(ticks);
    return whole * SUM_LOG_ONE + ((ticks << (63 - whole) << 1) / (UINT64_MAX / SUM_LOG_ONE + 1));
}

/* Adds what it has worked to a SUM, and returns that. */
static uint64_t take_work(struct sums *s, struct rec_sum *sum)
{
    struct frame *part = s->part ? &s->frames[s->part - 1] : NULL;
    if (!part || part->what != PART)
        return 0;
    uint64_t own = part->own;
    if (sum)
        sum->ticks += own;
    part->own = 0;
    return own;
}

static void add_longest(struct rec_sum *sum, uint64_t ticks, uintptr_t holder)
{
    if (ticks <= sum->longest)
        return;
    sum->longest = ticks;
    sum->holder = holder;
}

static NOINLINE struct sums *sums_new(void)
{
    hooks_lock();
    struct sums *s = memory_piece(sizeof(*s));
    if (s) {
        s->rec.sums = (uintptr_t)s->all;
        s->rec.next = ompd_hooks_root.sums;
        publish_order();
        ompd_hooks_root.sums = (uintptr_t)&s->rec;
    }
    hooks_unlock();
    return s;
}

/* The sums of a thread that has ended are gone on with by the next one in its place. */
static void on_thread_begin(struct thread *t)
{
    struct sums *s = t->sums ? t->sums : sums_new();
    t->sums = s;
    if (!s)
        return;
    s->last = s->rec.last_ticks = ticks_now();
    s->rec.lwp = t->rec->lwp;
    if (!s->rec.threads++)
        s->rec.first_ticks = s->last;
    s->depth = s->part = s->held_count = 0;
}

static void on_parallel_begin(struct thread *t, struct region *r)
{
    struct sums *s = at_event(t);
    if (!s || r->rec.kind == REGION_TEAMS)
        return;
    r->begun = s->last;
    push(s, REGION, sum_at(t, s, SUM_REGION, 0, r->rec.codeptr), 0);
}

static void on_parallel_end(struct thread *t, struct region *r)
{
    struct sums *s = at_event(t);
    struct frame *frame = s && r->rec.kind != REGION_TEAMS ? pop(s, REGION) : NULL;
    if (!frame)
        return;
    uint64_t length = s->last - frame->begun;
    if (frame->sum) {
        frame->sum->count++;
        frame->sum->ticks += length;
        frame->sum->waited += length * r->rec.actual;
        frame->sum->contended += r->rec.actual;
        add_longest(frame->sum, length, 0);
    }
    add_work(s, length);
}

static void on_implicit_task_begin(struct thread *t, struct region *r, struct rec_task *task)
{
    struct sums *s = at_event(t);
    if (!s || r->rec.kind == REGION_TEAMS)
        return;
    if (task->thread_num)
        s->depth = s->part = 0;
    struct rec_sum *sum = sum_at(t, s, SUM_MEMBER, 0, r->rec.codeptr);
    push(s, PART, sum, 0);
    if (sum && r->begun && s->last > r->begun)
        sum->waited += s->last - r->begun;
}

static void on_task_create(struct thread *t, struct rec_task *task, uint32_t flags)
{
    struct sums *s = at_event(t);
    struct rec_sum *sum = s ? sum_at(t, s, SUM_TASK_CREATED, 0, task->codeptr) : NULL;
    (void)flags;
    if (sum)
        sum->count++;
}

static void task_leaves(struct sums *s, bool is_over)
{
    const struct frame *frame = pop(s, TASK);
    if (!frame)
        return;
    if (frame->sum) {
        frame->sum->count += is_over;
        frame->sum->ticks += frame->own;
        add_longest(frame->sum, frame->own, 0);
    }
    add_work(s, frame->own);
}

static void on_task_schedule(struct thread *t, struct rec_task *prior, enum schedule status,
                             struct rec_task *next)
{
    struct sums *s = at_event(t);
    if (!s)
        return;
    if (status != SCHEDULE_SWITCH) {
        if (status != SCHEDULE_EARLY_FULFIL && status != SCHEDULE_LATE_FULFIL)
            task_leaves(s, true);
    } else if (next && next->kind == TASK_EXPLICIT && next->scheduling_task == (uintptr_t)prior) {
        push(s, TASK, sum_at(t, s, SUM_TASK, 0, next->codeptr), 0);
    } else {
        task_leaves(s, false);
    }
}

static void sync_begins(struct thread *t, struct sums *s, enum sync_kind kind, uintptr_t codeptr)
{
    struct frame *part = s->part ? &s->frames[s->part - 1] : NULL;
    if (kind == SYNC_TASKWAIT || kind == SYNC_TASKGROUP) {
        push(s, WAIT, sum_at(t, s, SUM_TASKWAIT, 0, codeptr), 0);
    } else if (kind != SYNC_BARRIER_PARALLEL) {
        uintptr_t region = part && part->sum ? part->sum->codeptr : 0;
        struct rec_sum *sum = sum_at(t, s, SUM_BARRIER, region, codeptr);
        uint64_t work = take_work(s, sum);
        if (sum)
            sum->logs += logarithm(work);
        push(s, WAIT, sum, 0);
    } else if (part && part->what == PART) {
        uint64_t work = take_work(s, part->sum);
        part->what = ARRIVED;
        if (part->sum) {
            part->sum->count++;
            part->sum->logs += logarithm(work);
            part->sum->contended += s->last - part->begun;
        }
    }
}

static void on_sync_wait(struct thread *t, enum sync_kind kind, enum endpoint endpoint,
                         uintptr_t codeptr)
{
    struct sums *s = at_event(t);
    if (!s)
        return;
    if (endpoint == EVENT_BEGIN) {
        sync_begins(t, s, kind, codeptr);
        return;
    }
    const struct frame *frame = kind == SYNC_BARRIER_PARALLEL ? NULL : pop(s, WAIT);
    if (!frame || !frame->sum)
        return;
    frame->sum->count++;
    frame->sum->waited += frame->own;
    add_longest(frame->sum, frame->own, 0);
    if (frame->sum->kind == SUM_BARRIER)
        take_work(s, frame->sum);
}

/* A test does not wait. */
static bool is_test(enum mutex_kind kind)
{
    return kind == MUTEX_TEST_LOCK || kind == MUTEX_TEST_NEST_LOCK;
}

static struct rec_sum *mutex_sum(const struct thread *t, struct sums *s, enum mutex_kind kind,
                                 uintptr_t codeptr)
{
    return sum_at(t, s, SUM_MUTEX + (uint32_t)kind - is_test(kind), 0, codeptr);
}

static void on_mutex_acquire(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                             uintptr_t codeptr)
{
    struct sums *s = is_test(kind) ? NULL : at_event(t);
    if (s)
        push(s, WAIT, mutex_sum(t, s, kind, codeptr), wait_id);
}

static void on_mutex_wait(struct thread *t, enum mutex_kind kind, enum endpoint endpoint)
{
    struct frame *frame = t->sums ? innermost(t->sums) : NULL;
    (void)kind;
    if (!frame || frame->what != WAIT || endpoint != EVENT_BEGIN)
        return;
    const struct rec_lock *lock = lock_find((uintptr_t)frame->object);
    frame->is_contended = true;
    frame->holder = lock ? lock->codeptr : 0;
}

static void mutex_held(struct sums *s, struct rec_sum *sum, uint64_t object)
{
    uint32_t at = 0;
    while (at < s->held_count && s->held[at].object != object)
        at++;
    if (at == HELD)
        return;
    s->held_count += at == s->held_count;
    s->held[at].object = object;
    s->held[at].since = s->last;
    s->held[at].sum = sum;
}

static void on_mutex_acquired(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    struct sums *s = at_event(t);
    if (!s)
        return;
    const struct frame *frame = is_test(kind) ? NULL : pop(s, WAIT);
    struct rec_sum *sum = frame ? frame->sum : mutex_sum(t, s, kind, codeptr);
    if (!sum)
        return;
    if (!sum->count++)
        sum->object = wait_id;
    else if (sum->object != wait_id)
        sum->flags |= SUM_SEVERAL;
    if (event_is_reported)
        sum->flags |= SUM_REPORTED;
    else
        mutex_held(s, sum, wait_id);
    if (frame && (frame->is_contended || event_is_reported)) {
        sum->contended += frame->is_contended;
        sum->waited += frame->own;
        add_longest(sum, frame->own, frame->holder);
    }
}

static void on_mutex_releasing(struct thread *t, uint64_t wait_id)
{
    struct sums *s = at_event(t);
    for (uint32_t at = s ? s->held_count : 0; at-- > 0;)
        if (s->held[at].object == wait_id) {
            s->held[at].sum->ticks += s->last - s->held[at].since;
            s->held[at] = s->held[--s->held_count];
            break;
        }
    if (s)
        push(s, RELEASE, NULL, wait_id);
}

static void on_mutex_released(struct thread *t, enum mutex_kind kind, uint64_t wait_id,
                              uintptr_t codeptr)
{
    struct sums *s = at_event(t);
    const struct frame *frame = s ? innermost(s) : NULL;
    (void)kind;
    (void)codeptr;
    if (frame && frame->what == RELEASE && frame->object == wait_id)
        pop(s, RELEASE);
}

/* The owner acquires it once more, or releases it, and keeps it. */
static void on_nest_lock(struct thread *t, enum endpoint endpoint, uint64_t wait_id,
                         uintptr_t codeptr)
{
    struct sums *s = endpoint == EVENT_BEGIN ? at_event(t) : NULL;
    (void)codeptr;
    if (s && s->depth && innermost(s)->what == WAIT && innermost(s)->object == wait_id)
        pop(s, WAIT);
}

#define WANTED                                                                                     \
    (EVENT_BIT(thread_begin) | EVENT_BIT(parallel_begin) | EVENT_BIT(parallel_end) |               \
     EVENT_BIT(implicit_task_begin) | EVENT_BIT(task_create) | EVENT_BIT(task_schedule) |          \
     EVENT_BIT(sync_wait) | EVENT_BIT(mutex_acquire) | EVENT_BIT(mutex_wait) |                     \
     EVENT_BIT(mutex_acquired) | EVENT_BIT(mutex_releasing) | EVENT_BIT(mutex_released) |          \
     EVENT_BIT(nest_lock))

static bool is_started;

static void on_forked(void);

struct consumer consumer_sums = {
    .rank = CONSUMER_SUMS,
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
    .mutex_wait = on_mutex_wait,
    .mutex_acquired = on_mutex_acquired,
    .mutex_releasing = on_mutex_releasing,
    .mutex_released = on_mutex_released,
    .nest_lock = on_nest_lock,
};

/* The child's sums begin with it. */
static void on_forked(void)
{
    for (struct sums *s = (struct sums *)ompd_hooks_root.sums; s; s = (struct sums *)s->rec.next) {
        s->rec.used = 0;
        s->rec.lost = s->rec.threads = 0;
        memset(s->index, 0, sizeof(s->index));
        s->depth = s->part = s->held_count = 0;
    }
    if (is_started)
        consumer_wants(&consumer_sums, WANTED);
}

void sums_start(void)
{
    if (is_started)
        return;
    ticks_start();
    is_started = true;
    consumer_wants(&consumer_sums, WANTED);
}
