/* SPDX-License-Identifier: MIT
 *
 * Registration and end of threads, and fork. Thread records are in slabs and indexed by
 * thread-index.c.
 */
#include "state/threads.h"
#include "state/crash.h"
#include "state/events.h"
#include "state/icvs.h"
#include "core/lock.h"
#include "records/memory.h"
#include "records/thread-index.h"
#include "state/work.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Two pairs of cache lines for a record, against false sharing. With its header the first slab is
 * four pages of records. */
#define STRIDE 256
#define FIRST_CAPACITY 63
#define NEXT_CAPACITY 255

/* omp_pause_soft, which makes the runtime join its idle threads. */
#define PAUSE_SOFT 1

/* One second in total for threads that are ending. */
#define LEAVING_POLL_NS 200000
#define LEAVING_POLLS 5000

_Static_assert(sizeof(struct rec_thread) <= STRIDE, "a thread record outgrew its stride");
_Static_assert(sizeof(struct rec_slab) <= STRIDE, "the slab header outgrew its place");

__thread struct thread *hooks_self;

static struct rec_slab *last_slab;
static struct thread *last_private; /* private parts of last_slab's threads */
static struct thread *free_slots;
static uint64_t last_thread_id;
static pthread_key_t exit_key;
static bool exit_key_made;
static bool is_fork_child; /* the runtime may wait for threads of the parent */

static struct rec_thread *slab_record(const struct rec_slab *slab, uint32_t i)
{
    return (struct rec_thread *)(slab->first + (uintptr_t)i * slab->stride);
}

static bool add_slab(void)
{
    uint32_t capacity = last_slab ? NEXT_CAPACITY : FIRST_CAPACITY;
    size_t records = STRIDE * ((size_t)capacity + 1);
    char *memory = memory_pages(records + capacity * sizeof(struct thread));
    if (!memory)
        return false;
    struct rec_slab *slab = (struct rec_slab *)memory;
    slab->first = (uintptr_t)memory + STRIDE;
    slab->stride = STRIDE;
    slab->capacity = capacity;
    publish_order();
    if (last_slab)
        last_slab->next = (uintptr_t)slab;
    else
        ompd_hooks_root.slab = (uintptr_t)slab;
    last_slab = slab;
    last_private = (struct thread *)(memory + records);
    return true;
}

static struct thread *allocate_slot(void)
{
    struct thread *t = free_slots;
    if (t) {
        free_slots = t->next_free;
        return t;
    }
    if ((!last_slab || last_slab->used == last_slab->capacity) && !add_slab())
        return NULL;
    uint32_t i = last_slab->used;
    t = &last_private[i];
    t->rec = slab_record(last_slab, i);
    last_slab->used = i + 1;
    return t;
}

static void release_slot(struct thread *t)
{
    t->rec->id = 0;
    publish_order();
    t->rec->status = STATUS(0, STATE_IDLE);
    t->next_free = free_slots;
    free_slots = t;
}

/* `id` is the current or future id of the thread. */
static bool create_initial_task(struct thread *t, uint64_t id)
{
    struct rec_task *task = task_new_initial(t, id, t->real);
    if (!task)
        return false;
    struct rec_thread *rec = t->rec;
    task_publish(t, task);
    t->initial = task;
    rec->task = (uintptr_t)task;
    rec->task_id = task->id;
    return true;
}

/* The kernel's id of the calling thread, from a mutex that it owns: a seccomp filter of
 * the program may kill it for the system call. */
static uint32_t kernel_id(void)
{
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&mutex);
    uint32_t owner = (uint32_t)mutex.__data.__owner;
    pthread_mutex_unlock(&mutex);
    return owner ? owner : (uint32_t)syscall(SYS_gettid);
}

/* Fills the fields that are the same for initial threads and workers. */
static void fill_record(struct thread *t)
{
    struct rec_thread *rec = t->rec;
    t->seq = (t->seq + 1) & ~1u; /* odd if a fork has interrupted its last writer */
    memset((char *)rec + sizeof(rec->id), 0, sizeof(*rec) - sizeof(rec->id));
    rec->seq = t->seq;
    rec->status = STATUS(0, STATE_IDLE);
    rec->team_size = 1;
    rec->lwp = kernel_id();
    rec->pthread = (uintptr_t)pthread_self();
    t->region = NULL;
    t->creating = NULL;
    t->initial = NULL;
    t->untracked = false;
    t->unrecorded = 0;
    t->expects_initial = false;
    t->reported = t->in_callback = false;
    t->contention = MUTEX_UNWATCHED;
    t->late.pending = false;
    t->open_work.kind = 0;
    t->cancelled_task = 0;
    t->target.depth = 0;
    t->target_data.depth = 0;
    t->reported_targets = 0;
    t->pool = (struct pool){0, 0};
    t->last_pool = 0;
    t->target_body = NULL;
    t->target_task = 0;
}

/* Removes the record of a thread that ended without its destructors, and whose kernel id
 * or pthread_t this thread has got. */
static void remove_stale(uint64_t key)
{
    struct rec_thread *old = index_find(key);
    if (old) {
        old->id = 0;
        index_remove(old->lwp, old);
        index_remove(old->pthread, old);
    }
}

static int announcing;

void threads_announce(void)
{
    if (!__atomic_exchange_n(&announcing, 1, __ATOMIC_ACQ_REL) && hooks_self)
        event_ompd_bp_thread_begin();
}

enum position { WORKER, OUTSIDE_REGIONS, IN_REGION };

static struct thread *thread_register(const struct runtime *real, enum position position)
{
    int saved_errno = errno;
    hooks_lock();
    struct thread *t = allocate_slot();
    hooks_unlock();
    if (!t) {
        errno = saved_errno;
        return NULL;
    }

    fill_record(t);
    t->real = real;
    struct rec_thread *rec = t->rec;
    if (position == WORKER && !real->recorded)
        rec->flags = THREAD_REPORTED;
    if (position == IN_REGION) {
        rec->flags = THREAD_UNTRACKED;
        t->untracked = true;
        rec->status = STATUS(0, STATE_WORK_PARALLEL);
    } else if (position == OUTSIDE_REGIONS) {
        rec->flags = THREAD_INITIAL;
        rec->status = STATUS(0, STATE_WORK_SERIAL);
    }

    hooks_lock();
    uint64_t id = ++last_thread_id;
    remove_stale(rec->lwp);
    remove_stale(rec->pthread);
    hooks_unlock();

    if (position == OUTSIDE_REGIONS && !create_initial_task(t, id)) {
        hooks_lock();
        release_slot(t);
        hooks_unlock();
        errno = saved_errno;
        return NULL;
    }
    publish_order();
    hooks_lock();
    index_add_begin();
    rec->id = t->id = id;
    index_add(rec->lwp, rec);
    index_add(rec->pthread, rec);
    index_add_end();
    hooks_unlock();

    hooks_self = t;
    crash_thread_start(&t->crash_stack);
    if (exit_key_made)
        pthread_setspecific(exit_key, t);
    if (__atomic_load_n(&announcing, __ATOMIC_ACQUIRE))
        event_ompd_bp_thread_begin();
    if (event_wanted(~0u))
        event_report_thread(t);
    errno = saved_errno;
    return t;
}

/* For an untracked thread whose region has ended. */
static void start_to_track(struct thread *t)
{
    if (!create_initial_task(t, t->rec->id))
        return;
    struct rec_thread *rec = t->rec;
    rec->status = STATUS(0, STATE_WORK_SERIAL);
    rec->flags = THREAD_INITIAL;
    t->untracked = false;
}

struct thread *thread_self_slow(const struct runtime *real)
{
    struct thread *t = hooks_self;
    if (!t)
        return thread_register(real, real->omp_get_level() > 0 ? IN_REGION : OUTSIDE_REGIONS);
    if (!t->unrecorded && real->omp_get_level() == 0)
        start_to_track(t);
    return t;
}

struct thread *thread_initial(const struct runtime *real)
{
    struct thread *t = hooks_self;
    return t ? t : thread_register(real, OUTSIDE_REGIONS);
}

struct thread *thread_worker(const struct runtime *real)
{
    struct thread *t = hooks_self;
    if (unlikely(!t))
        return thread_register(real, WORKER);
    if (unlikely(t->untracked)) {
        t->untracked = false;
        t->rec->flags &= ~(uint32_t)THREAD_UNTRACKED;
    }
    return t;
}

void thread_report_end(struct thread *t)
{
    if (!t->reported)
        return;
    implicit_end_late(t);
    if (t->initial) {
        work_close(t);
        event_initial_task(t, t->initial, EVENT_END);
    }
    event_thread_end(t);
    t->reported = false;
}

/* True if the runtime ends the worker: after its nested team, the target region, or the
 * thread that has it in its pool, or if a later team was smaller. */
static bool is_leaving(const struct thread *t)
{
    const struct late_end *late = &t->late;
    if (!__atomic_load_n(&t->reported, __ATOMIC_ACQUIRE) || !late->pending ||
        late->thread_num == 0 || late->kind != REGION_PARALLEL)
        return false;
    if (late->level > 1 || late->owner->rec->id != late->owner_id)
        return true;
    const struct pool *pool = &late->owner->pool;
    return late->pool_id > pool->id ||
           (late->pool_id == pool->id && late->thread_num >= pool->size);
}

static bool anybody_leaves(void)
{
    for (struct rec_slab *slab = (struct rec_slab *)ompd_hooks_root.slab; slab;
         slab = (struct rec_slab *)slab->next) {
        const char *privates = (char *)slab + STRIDE * ((size_t)slab->capacity + 1);
        for (uint32_t i = 0; i < slab->used; i++)
            if (is_leaving((const struct thread *)privates + i))
                return true;
    }
    return false;
}

static void await_leaving(void)
{
    const struct timespec moment = {0, LEAVING_POLL_NS};
    for (unsigned i = 0; i < LEAVING_POLLS && anybody_leaves(); i++)
        nanosleep(&moment, NULL);
}

void threads_finalize(bool process_ends)
{
    struct thread *t = hooks_self;
    int saved_errno = errno;
    if (t && !t->untracked && !t->rec->region && (uintptr_t)t->initial == t->rec->task) {
        if (process_ends && t->real->omp_pause_resource_all && !is_fork_child)
            t->real->omp_pause_resource_all(PAUSE_SOFT);
        if (!t->in_callback)
            thread_report_end(t);
    }
    await_leaving();
    errno = saved_errno;
}

/* Destructor of exit_key, on the thread that ends. */
static void thread_exit(void *self)
{
    struct thread *t = self;
    int saved_errno = errno;
    event_ompd_bp_thread_end();
    if (event_wanted(~0u))
        thread_report_end(t);
    struct rec_thread *rec = t->rec;
    hooks_self = NULL;
    set_status(rec, STATUS(0, STATE_IDLE));
    if (t->region)
        region_leave(t->region, rec->thread_num, rec->id);
    hooks_lock();
    /* Remove it from the index first, so that a lookup by kernel id cannot return a
     * thread that is ending. */
    index_remove(rec->lwp, rec);
    index_remove(rec->pthread, rec);
    publish_order();
    rec->id = 0;
    publish_order();
    hooks_unlock();
    crash_thread_end(t->crash_stack);
    if (t->initial)
        task_release(t, t->initial); /* may acquire the lock */
    hooks_lock();
    release_slot(t);
    hooks_unlock();
    errno = saved_errno;
}

/* LLVM's runtime has a forked child begin anew: its thread is outside of all regions. That of a
 * worker has no initial task, and nothing of the runtime is called here to make one. */
static void leave_reported(struct thread *t)
{
    struct rec_thread *rec = t->rec;
    for (const struct region *r = t->region; r; r = r->outer.region)
        if (r->arg.real != hooks_reporting)
            return;
    if (!t->region || !t->initial)
        return;
    changing_begin(t);
    t->region = NULL;
    rec->region = rec->wait_id = 0;
    rec->task = (uintptr_t)t->initial;
    rec->task_id = t->initial->id;
    rec->thread_num = rec->level = rec->barrier = 0;
    rec->team_size = 1;
    set_status(rec, STATUS(0, STATE_WORK_SERIAL));
    changing_end(t);
}

void threads_forked(void)
{
    struct thread *self = hooks_self;
    if (!ompd_hooks_root.tracking)
        return;
    is_fork_child = true;
    free_slots = NULL;
    index_clear();
    for (struct rec_slab *slab = (struct rec_slab *)ompd_hooks_root.slab; slab;
         slab = (struct rec_slab *)slab->next) {
        char *privates = (char *)slab + STRIDE * ((size_t)slab->capacity + 1);
        for (uint32_t i = 0; i < slab->used; i++) {
            struct thread *t = (struct thread *)privates + i;
            if (t == self)
                continue;
            /* They may be torn. */
            t->task_ids = t->region_ids = (struct ids){0, 0};
            t->reported = false;
            release_slot(t);
        }
    }
    if (self) {
        self->rec->lwp = kernel_id();
        index_add_begin();
        index_add(self->rec->lwp, self->rec);
        index_add(self->rec->pthread, self->rec);
        index_add_end();
        self->reported = self->late.pending = false;
        self->open_work.kind = 0;
        for (struct region *r = self->region; r; r = r->outer.region) {
            r->report = REGION_UNREPORTED;
            region_keep_only(r, self->rec->id);
        }
    }
    tasks_keep_only(self ? self->rec->id : 0);
    ompd_hooks_root.pid = kernel_id();
    ompd_hooks_root.forks++;
    if (self)
        leave_reported(self);
}

/* If no key is left, the end of a thread is not seen: its record is released when its
 * kernel id or pthread_t is reused. */
void threads_start(void)
{
    if (!exit_key_made)
        exit_key_made = pthread_key_create(&exit_key, thread_exit) == 0;
}
