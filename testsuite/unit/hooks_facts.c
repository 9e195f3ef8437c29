/* SPDX-License-Identifier: MIT
 *
 * A program under ompd-run that compares what the records say of locks and of explicit
 * tasks - dependences, order, detached ones - with what it does.
 */
#include "testsuite/unit/hooks_records.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void *critical_word __asm__(".gomp_critical_user_owned");

/* As a reader finds it: by its hash chain. */
static struct rec_lock *lock_at(uintptr_t address)
{
    const struct rec_root *root = records_root();
    const uintptr_t *bucket = (const uintptr_t *)root->lock_buckets;
    struct rec_lock *lock = (struct rec_lock *)bucket[records_hash(address, root->lock_bits)];
    while (lock && (lock->address != address || !lock->id))
        lock = (struct rec_lock *)lock->next;
    return lock;
}

/* Records in use, and whether that of `address` is among them. */
static unsigned locks_in_slabs(uintptr_t address, bool *found)
{
    unsigned count = 0;
    *found = false;
    const struct rec_slab *slab = (const struct rec_slab *)records_root()->lock_slab;
    for (; slab; slab = (const struct rec_slab *)slab->next) {
        for (uint32_t i = 0; i < slab->used; i++) {
            const struct rec_lock *lock = (const struct rec_lock *)(slab->first + i * slab->stride);
            count += lock->id != 0;
            *found |= lock->id && lock->address == address;
        }
    }
    return count;
}

static bool task_in_slabs(const struct rec_task *wanted)
{
    const struct rec_slab *slab = (const struct rec_slab *)records_root()->task_slab;
    for (; slab; slab = (const struct rec_slab *)slab->next)
        for (uint32_t i = 0; i < slab->used; i++)
            if ((const struct rec_task *)(slab->first + i * slab->stride) == wanted)
                return true;
    return false;
}

/* The calls that acquire locks are in the functions that check it. */
static bool is_near(uintptr_t frame)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return frame - here < 4096 || here - frame < 4096;
}

static bool held_by_me(const struct rec_lock *lock, uint32_t kind, uint32_t count)
{
    const struct rec_thread *me = records_self();
    return lock && lock->kind == kind && lock->owner_id == me->id && lock->owner == (uintptr_t)me &&
           lock->owner_task == me->task && lock->owner_task_id == me->task_id &&
           lock->count == count && lock->codeptr != 0 && is_near(lock->frame);
}

static bool is_free(const struct rec_lock *lock)
{
    return lock && lock->owner_id == 0 && lock->owner == 0 && lock->count == 0 &&
           lock->owner_task_id == 0 && lock->codeptr == 0 && lock->frame == 0;
}

static void locks(void)
{
    omp_lock_t lock;
    bool found;
    omp_init_lock(&lock);
    uintptr_t address = (uintptr_t)&lock;
    uint64_t first_id = lock_at(address) ? lock_at(address)->id : 0;
    CHECK("lock made", is_free(lock_at(address)) && lock_at(address)->kind == LOCK_SIMPLE);
    CHECK("lock made", locks_in_slabs(address, &found) >= 1 && found);
    omp_set_lock(&lock);
    CHECK("lock set", held_by_me(lock_at(address), LOCK_SIMPLE, 1));
    CHECK("lock set twice", !omp_test_lock(&lock));
    CHECK("lock set twice", held_by_me(lock_at(address), LOCK_SIMPLE, 1));
    omp_unset_lock(&lock);
    CHECK("lock unset", is_free(lock_at(address)));
    CHECK("lock tested", omp_test_lock(&lock));
    CHECK("lock tested", held_by_me(lock_at(address), LOCK_SIMPLE, 1));
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    CHECK("lock destroyed", is_free(lock_at(address)));
    CHECK("lock destroyed", lock_at(address)->life == LOCK_DESTROYED);
    omp_set_lock(&lock); /* it is still there for libgomp */
    CHECK("destroyed lock set",
          held_by_me(lock_at(address), LOCK_SIMPLE, 1) && lock_at(address)->life == LOCK_DESTROYED);
    omp_unset_lock(&lock);
    omp_init_lock(&lock);
    CHECK("lock made again", lock_at(address)->life == LOCK_MADE);
    CHECK("lock made again", lock_at(address) && lock_at(address)->id != first_id);
    uint64_t second_id = lock_at(address)->id;
    omp_init_lock(&lock); /* without having been destroyed */
    CHECK("lock made again", lock_at(address) && lock_at(address)->id != second_id);
    omp_destroy_lock(&lock);
}

static void nest_locks(void)
{
    omp_nest_lock_t lock;
    uintptr_t address = (uintptr_t)&lock;
    omp_init_nest_lock(&lock);
    CHECK("nest lock", is_free(lock_at(address)) && lock_at(address)->kind == LOCK_NEST);
    omp_set_nest_lock(&lock);
    uintptr_t place = lock_at(address)->codeptr;
    omp_set_nest_lock(&lock);
    CHECK("nest lock", held_by_me(lock_at(address), LOCK_NEST, 2));
    CHECK("nest lock", omp_test_nest_lock(&lock) == 3);
    CHECK("nest lock", held_by_me(lock_at(address), LOCK_NEST, 3));
    CHECK("nest lock", lock_at(address)->codeptr == place);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        CHECK("nest lock of another", !omp_test_nest_lock(&lock));
    CHECK("nest lock of another", held_by_me(lock_at(address), LOCK_NEST, 3));
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    CHECK("nest lock", held_by_me(lock_at(address), LOCK_NEST, 1));
    omp_unset_nest_lock(&lock);
    CHECK("nest lock", is_free(lock_at(address)));
    omp_destroy_nest_lock(&lock);
    CHECK("nest lock", is_free(lock_at(address)));
}

/* Of many locks that were destroyed the last ones are known. */
static void destroyed_locks(void)
{
    enum { MANY = 500, KEPT = 64 };
    static omp_lock_t lock[MANY];
    bool found;
    unsigned before = locks_in_slabs(0, &found), known = 0;
    for (unsigned i = 0; i < MANY; i++)
        omp_init_lock(&lock[i]);
    CHECK("many locks", locks_in_slabs(0, &found) == before + MANY);
    for (unsigned i = 0; i < MANY; i++)
        omp_destroy_lock(&lock[i]);
    for (unsigned i = 0; i < MANY; i++) {
        struct rec_lock *record = lock_at((uintptr_t)&lock[i]);
        CHECK("many locks destroyed", !record == (i < MANY - KEPT));
        known += record && record->life == LOCK_DESTROYED;
    }
    CHECK("many locks destroyed", known == KEPT);
    CHECK("many locks destroyed", locks_in_slabs(0, &found) <= before + KEPT);
}

static void critical_sections(void)
{
    struct rec_root *root = records_root();
    long double sum = 0;
#pragma omp parallel num_threads(3) shared(sum)
    for (int i = 0; i < 500; i++) {
#pragma omp critical(owned)
        CHECK("critical", held_by_me(lock_at((uintptr_t)&critical_word), LOCK_CRITICAL, 1));
#pragma omp critical
        CHECK("unnamed critical",
              held_by_me(lock_at((uintptr_t)root->unnamed_critical), LOCK_CRITICAL, 1));
#pragma omp atomic
        sum += 1;
    }
    CHECK("critical", is_free(lock_at((uintptr_t)&critical_word)));
    CHECK("unnamed critical", is_free(lock_at((uintptr_t)root->unnamed_critical)));
    CHECK("atomic", sum == 1500);
    CHECK("atomic", is_free(lock_at((uintptr_t)root->atomic)));
    CHECK("atomic", lock_at((uintptr_t)root->atomic)->kind == LOCK_ATOMIC);
}

/* Threads make, take and destroy locks of changing addresses all at once. */
static void changing_locks(void)
{
    enum { MANY = 300 };
    static omp_lock_t lock[4][MANY];
#pragma omp parallel num_threads(4)
    for (int round = 0; round < 20; round++) {
        omp_lock_t *mine = lock[omp_get_thread_num()];
        for (int i = 0; i < MANY; i++)
            omp_init_lock(&mine[i]);
        for (int i = 0; i < MANY; i++) {
            omp_set_lock(&mine[i]);
            CHECK("changing locks", held_by_me(lock_at((uintptr_t)&mine[i]), LOCK_SIMPLE, 1));
            omp_unset_lock(&mine[i]);
        }
        for (int i = 0; i < MANY; i++)
            omp_destroy_lock(&mine[i]);
    }
    bool found;
    CHECK("changing locks", locks_in_slabs((uintptr_t)&lock[0][0], &found) < 10 + 64 && !found);
}

static unsigned longest_chain(void)
{
    const struct rec_root *root = records_root();
    const uintptr_t *bucket = (const uintptr_t *)root->lock_buckets;
    unsigned longest = 0;
    for (size_t i = 0; i < (size_t)1 << root->lock_bits; i++) {
        unsigned length = 0;
        for (uintptr_t lock = bucket[i]; lock; lock = ((struct rec_lock *)lock)->next)
            length++;
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* More than there are records for: those without one work all the same. */
static void too_many_locks(void)
{
    enum { MANY = 70000 };
    static omp_lock_t lock[MANY];
    for (int i = 0; i < MANY; i++)
        omp_init_lock(&lock[i]);
    for (int i = 0; i < MANY; i++) {
        omp_set_lock(&lock[i]);
        struct rec_lock *rec = lock_at((uintptr_t)&lock[i]);
        CHECK("too many locks", !rec || held_by_me(rec, LOCK_SIMPLE, 1));
        omp_unset_lock(&lock[i]);
    }
    bool found;
    CHECK("too many locks", locks_in_slabs((uintptr_t)&lock[0], &found) == 65536 && found);
    CHECK("too many locks", longest_chain() < 10);
    for (int i = 0; i < MANY; i++)
        omp_destroy_lock(&lock[i]);
    CHECK("too many locks", locks_in_slabs((uintptr_t)&lock[0], &found) < 10 + 64 && !found);
}

static bool depends(const struct rec_task *task, uint32_t i, const void *on, uint32_t kind)
{
    const struct rec_dependence *dependence = (const struct rec_dependence *)task->dependences;
    return i < task->dependences_held && dependence[i].address == (uintptr_t)on &&
           dependence[i].kind == kind;
}

/* Undeferred tasks, which look at themselves. */
static void dependences(void)
{
    int a[80], b = 0, c = 0;
    omp_depend_t object;
    struct rec_thread *me = records_self();
#pragma omp task if (0) shared(a, b, c) depend(in : a[0]) depend(out : b) depend(inout : c)
    {
        const struct rec_task *task = task_of(me);
        CHECK("dependences", task->dependence_count == 3 && task->dependences_held == 3);
        CHECK("dependences",
              depends(task, 0, &b, DEPENDENCE_OUT) || depends(task, 1, &b, DEPENDENCE_OUT));
        CHECK("dependences",
              depends(task, 0, &c, DEPENDENCE_OUT) || depends(task, 1, &c, DEPENDENCE_OUT));
        CHECK("dependences", depends(task, 2, &a[0], DEPENDENCE_IN));
    }
#pragma omp task if (0) shared(a, b, c) depend(mutexinoutset : a[1]) depend(in : b)
    {
        CHECK("mutexinoutset", task_of(me)->dependences_held == 2);
        CHECK("mutexinoutset", depends(task_of(me), 0, &a[1], DEPENDENCE_MUTEXINOUTSET));
        CHECK("mutexinoutset", depends(task_of(me), 1, &b, DEPENDENCE_IN));
    }
#pragma omp depobj(object) depend(inout : c)
#pragma omp task if (0) shared(a, b, c) depend(depobj : object) depend(out : b)
    {
        CHECK("depend object", task_of(me)->dependences_held == 2);
        CHECK("depend object", depends(task_of(me), 0, &b, DEPENDENCE_OUT));
        CHECK("depend object", depends(task_of(me), 1, &c, DEPENDENCE_OUT));
    }
#pragma omp depobj(object) update(in)
#pragma omp task if (0) shared(a, b, c) depend(depobj : object)
    CHECK("depend object", depends(task_of(me), 0, &c, DEPENDENCE_IN));
#pragma omp depobj(object) destroy
    for (int n = 1; n <= 80; n++) {
#pragma omp task if (0) shared(a, b, c) depend(iterator(int i = 0 : n), in : a[i])
        {
            const struct rec_task *task = task_of(me);
            uint32_t held = n < 64 ? (uint32_t)n : 64;
            CHECK("many dependences", task->dependence_count == (uint32_t)n);
            CHECK("many dependences", task->dependences_held == held);
            uint32_t right = 0;
            while (right < held && depends(task, right, &a[right], DEPENDENCE_IN))
                right++;
            CHECK("many dependences", right == held);
        }
    }
#pragma omp task if (0) shared(a, b, c)
    CHECK("no dependences", !task_of(me)->dependences && !task_of(me)->dependence_count);
}

static const struct rec_task *child(uint64_t parent, uint32_t serial)
{
    const struct rec_slab *slab = (const struct rec_slab *)records_root()->task_slab;
    for (; slab; slab = (const struct rec_slab *)slab->next) {
        for (uint32_t i = 0; i < slab->used; i++) {
            const struct rec_task *task = (const struct rec_task *)(slab->first + i * slab->stride);
            if (task->id && task->parent_id == parent && task->serial == serial)
                return task;
        }
    }
    return NULL;
}

/* The second thread stays away from the runtime, so nobody runs what the first makes. */
static void waiting_tasks(void)
{
    int go = 0, ran = 0, x = 0;
#pragma omp parallel num_threads(2) shared(go, ran, x)
    {
        if (omp_get_thread_num() == 0) {
            struct rec_thread *me = records_self();
            uint64_t mine = me->task_id;
            for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : x) shared(ran)
                {
                    struct rec_task *task = task_of(records_self());
                    CHECK("scheduling task",
                          task->scheduling_task_id != 0 && task->scheduling_task_id != task->id);
                    ran++;
                }
            }
            for (uint32_t serial = 1; serial <= 3; serial++) {
                const struct rec_task *task = child(mine, serial);
                CHECK("waiting tasks", task && task->state == TASK_CREATED);
                CHECK("waiting tasks", task && depends(task, 0, &x, DEPENDENCE_OUT));
                CHECK("waiting tasks", task && task->icvs == task_of(me)->icvs);
                CHECK("waiting tasks", task && !task->scheduling_task_id && !task->thread_id);
                CHECK("waiting tasks", task && task->codeptr && task->function);
            }
            CHECK("waiting tasks", !child(mine, 4) && task_of(me)->children == 3);
            __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
            CHECK("waiting tasks", !child(mine, 1) && !child(mine, 2) && !child(mine, 3));
        } else {
            while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
                sched_yield();
        }
    }
    CHECK("waiting tasks", ran == 3);
    struct rec_thread *me = records_self();
    CHECK("initial task in slabs", task_in_slabs(task_of(me)));
    uint64_t mine = me->task_id;
#pragma omp task if (0)
    {
        CHECK("scheduling task", task_of(me)->scheduling_task_id == mine);
        CHECK("scheduling task", task_of(me)->scheduling_task == task_of(me)->parent);
    }
#pragma omp parallel num_threads(2)
    {
        const struct rec_task *task = task_of(records_self());
        CHECK("scheduling task", task->scheduling_task_id == (omp_get_thread_num() ? 0 : mine));
        CHECK("implicit task", !task->serial && !task->dependences && !task->event);
    }
    uint32_t before = task_of(me)->children;
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 8; i++)
        CHECK("taskloop serial", task_of(records_self())->serial == before + 1);
    CHECK("taskloop serial", task_of(me)->children == before + 1);
}

static bool gets(const uint32_t *state, uint32_t wanted)
{
    time_t end = time(NULL) + 10;
    while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != wanted) {
        if (time(NULL) > end)
            return false;
        sched_yield();
    }
    return true;
}

static void detached_tasks(void)
{
    omp_event_handle_t event, early;
    int own = 0;
#pragma omp parallel num_threads(2) private(event, early) shared(own)
    {
#pragma omp single nowait
        {
            uint64_t mine = task_of(records_self())->id;
            uint32_t serial = task_of(records_self())->children;
#pragma omp task detach(event)
            own++;
            struct rec_task *task = (struct rec_task *)child(mine, serial + 1);
            CHECK("detached", task && task->flags & TASK_FLAG_DETACH);
            uint64_t id = task ? task->id : 0;
            if (task) {
                CHECK("detached", task->event == (uint64_t)event);
                /* The other thread runs it in the barrier. */
                CHECK("detached", gets(&task->state, TASK_DETACHED));
                CHECK("detached", task->id == id && own == 1);
                CHECK("detached", !task->thread_id && !task->thread && !task->exit_frame);
            }
            omp_fulfill_event(event);
            CHECK("detached", !task || task->id != id);
#pragma omp task detach(early) firstprivate(mine)
            {
                omp_fulfill_event(early);
                CHECK("fulfilled early", task_of(records_self())->parent_id == mine);
                own++;
            }
#pragma omp taskwait
            CHECK("fulfilled early", !child(mine, serial + 2));
        }
    }
    CHECK("detached", own == 2);
    /* Undeferred: the construct itself waits, and the body fulfils. */
    struct rec_task *self = NULL;
#pragma omp task if (0) detach(event) shared(self)
    {
        self = task_of(records_self());
        CHECK("undeferred detachable", self->event == (uint64_t)event);
        omp_fulfill_event(event);
    }
    CHECK("undeferred detachable", self && !self->id);
}

/* In the child nothing runs but what the forking thread ran. */
static unsigned tasks_of_others(uint64_t thread_id)
{
    unsigned count = 0;
    const struct rec_slab *slab = (const struct rec_slab *)records_root()->task_slab;
    for (; slab; slab = (const struct rec_slab *)slab->next) {
        for (uint32_t i = 0; i < slab->used; i++) {
            const struct rec_task *task = (const struct rec_task *)(slab->first + i * slab->stride);
            count += task->id && task->thread_id && task->thread_id != thread_id;
        }
    }
    return count;
}

static void forks(void)
{
    int go = 0, running = 0, status = -1;
#pragma omp parallel num_threads(2) shared(go, running, status)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task shared(go, running)
            {
                __atomic_store_n(&running, 1, __ATOMIC_RELEASE);
                while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
                    sched_yield();
            }
            while (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
                sched_yield();
            uint64_t me = records_self()->id;
            CHECK("fork", tasks_of_others(me) == 1);
            pid_t pid = fork();
            if (pid == 0)
                _exit(tasks_of_others(me) ? 1 : 0);
            waitpid(pid, &status, 0);
            __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
        }
    }
    CHECK("fork", WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    locks();
    nest_locks();
    destroyed_locks();
    critical_sections();
    changing_locks();
    too_many_locks();
    dependences();
    waiting_tasks();
    detached_tasks();
    forks();
    return checks_done();
}
