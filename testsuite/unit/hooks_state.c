/* SPDX-License-Identifier: MIT
 *
 * A program under ompd-run that knows where it is in each construct and compares that
 * with what its own records say.
 */
#include "testsuite/unit/hooks_records.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The words that name critical sections. */
extern void *critical_word __asm__(".gomp_critical_user_named");

static bool near_above(uintptr_t high, uintptr_t low)
{
    return high > low && high - low < 4096;
}

static uintptr_t own_frame(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

static bool is_region(const struct rec_region *r, uint64_t id)
{
    return r && r->id == id && id != 0;
}

static void serial(const char *name)
{
    struct rec_thread *me = records_self();
    struct rec_task *task = task_of(me);
    CHECK(name, state_of(me) == WORK_SERIAL && region_of(me) == 0 && me->region == 0);
    CHECK(name, me->flags == THREAD_INITIAL && !(me->seq & 1) && me->wait_id == 0);
    CHECK(name, me->codeptr == 0 && me->frame == 0);
    CHECK(name, me->thread_num == 0 && me->team_size == 1 && me->level == 0);
    CHECK(name, task && task->id == me->task_id && task->kind == TASK_INITIAL);
    CHECK(name, task->parent == 0 && task->function == 0 && task->enter_frame == 0);
    CHECK(name, task->exit_frame == 0 && task->thread_id == me->id);
    CHECK(name, records_find((uint64_t)pthread_self()) == me);
}

/* Of any thread inside a region of `size` threads at `level`. */
static void inside(const char *name, unsigned size, unsigned level, uintptr_t frame)
{
    struct rec_thread *me = records_self();
    struct rec_region *region = (struct rec_region *)me->region;
    struct rec_task *task = task_of(me);
    unsigned num = (unsigned)omp_get_thread_num();
    CHECK(name, state_of(me) == WORK_PARALLEL && !(me->seq & 1));
    CHECK(name, me->codeptr == 0 && me->frame == 0 && me->wait_id == 0);
    CHECK(name, is_region(region, region_of(me)) && region->kind == REGION_PARALLEL);
    CHECK(name, region->actual == size && region->capacity >= size);
    CHECK(name, region->level == level && me->level == level && task->level == level);
    CHECK(name, region->active_level == (unsigned)omp_get_active_level());
    CHECK(name, me->thread_num == num && me->team_size == size);
    CHECK(name, task->kind == TASK_IMPLICIT && task->id == me->task_id);
    CHECK(name, task->thread_num == num && task->thread_id == me->id);
    CHECK(name, task->region == (uintptr_t)region && task->region_id == region->id);
    CHECK(name, task->function == region->function && region->function != 0);
    CHECK(name, task->parent == region->encountering_task);
    CHECK(name, task->parent_id == region->encountering_task_id);
    CHECK(name, task == (struct rec_task *)region->implicit_tasks + num);
    const struct rec_member *member = (const struct rec_member *)region->members + num;
    CHECK(name, member->thread == (uintptr_t)me && member->thread_id == me->id);
    CHECK(name, near_above(task->exit_frame, frame) && task->enter_frame == 0);
    const struct rec_thread *master = (const struct rec_thread *)region->master;
    CHECK(name, master->id == region->master_id && (num != 0 || master == me));
}

static void parallel(void)
{
    uintptr_t outer_frame = own_frame();
    struct rec_thread *me = records_self();
    uint64_t serial_task = me->task_id, region_id[2] = {0, 0};
#pragma omp parallel num_threads(4)
    {
        inside("parallel", 4, 1, own_frame());
#pragma omp master
        {
            const struct rec_region *region = (const struct rec_region *)me->region;
            const struct rec_task *parent = (const struct rec_task *)region->encountering_task;
            CHECK("parallel", region->requested == 4 && region->parent == 0);
            CHECK("parallel", parent->id == serial_task);
            /* Entered from this function's frame, left to a deeper one. */
            CHECK("parallel", near_above(outer_frame + 1024, parent->enter_frame));
            CHECK("parallel", parent->enter_frame > task_of(me)->exit_frame);
            region_id[0] = region->id;
        }
#pragma omp barrier
    }
    serial("after parallel");
#pragma omp parallel num_threads(3)
#pragma omp master
    region_id[1] = region_of(me);
    CHECK("region ids differ", region_id[0] && region_id[1] && region_id[0] != region_id[1]);
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
    {
        struct rec_thread *me = records_self();
        uint64_t outer_region = region_of(me), outer_task = me->task_id;
        unsigned num = me->thread_num;
#pragma omp parallel num_threads(2)
        {
            inside("nested", 2, 2, own_frame());
            const struct rec_region *region = (const struct rec_region *)records_self()->region;
            CHECK("nested", region->parent_id == outer_region);
            CHECK("nested", region->encountering_task_id == outer_task);
#pragma omp parallel num_threads(2)
            inside("nested", 2, 3, own_frame());
        }
        CHECK("after nested", region_of(me) == outer_region && me->task_id == outer_task);
        CHECK("after nested", me->thread_num == num && me->team_size == 2 && me->level == 1);
        CHECK("after nested", state_of(me) == WORK_PARALLEL);
    }
    serial("after nested");
}

/* A wait has begun lately, by its record; it may be stored after the state. */
static bool has_begun(const struct rec_thread *t)
{
    struct timespec now;
    uint64_t since = 0, end;
    for (int i = 0; i < 10000 && !since; i++) {
        since = __atomic_load_n(&t->wait_since, __ATOMIC_ACQUIRE);
        sched_yield();
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    end = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return since && since <= end && end - since < UINT64_C(60000000000);
}

/* Where nobody else is, nothing is contended, and a barrier or wait for tasks is a wait. */
static void uncontended(void)
{
    struct rec_thread *me = records_self();
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
    {
#pragma omp taskwait
        CHECK("a taskwait begins", has_begun(me));
#pragma omp critical(named)
        CHECK("a free critical section", me->wait_since == 0);
#pragma omp taskwait
        omp_set_lock(&lock);
        CHECK("a free lock", me->wait_since == 0);
        omp_unset_lock(&lock);
#pragma omp barrier
        CHECK("a barrier begins", has_begun(me));
    }
    omp_destroy_lock(&lock);
}

/* Tests in a row of one lock, however often a task is yielded to meanwhile. */
static void tests(void)
{
    omp_lock_t lock, other;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_lock(&other);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
    {
        const struct rec_thread *me = records_self();
        CHECK("nothing is tested yet", me->tested == 0);
        if (omp_get_thread_num() == 0) {
            omp_set_lock(&lock);
            omp_set_lock(&other);
            omp_set_nest_lock(&nest);
        }
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
            for (unsigned i = 1; i <= 3; i++) {
                CHECK("a test fails", !omp_test_lock(&lock));
                CHECK("a test", me->tested == (uintptr_t)&lock && me->tests == i);
                CHECK("a test", me->tested_since != 0 && me->wait_id == 0);
#pragma omp taskyield
            }
            omp_test_lock(&other);
            CHECK("another lock", me->tested == (uintptr_t)&other && me->tests == 1);
            omp_test_nest_lock(&nest);
            CHECK("a nest lock", me->tested == (uintptr_t)&nest && me->tests == 1);
        }
#pragma omp barrier
        CHECK("a wait ends the row", me->tested == 0);
        if (omp_get_thread_num() == 0) {
            omp_test_lock(&lock);
            CHECK("one's own lock", me->tested == (uintptr_t)&lock && me->tests == 1);
            omp_unset_lock(&lock);
            CHECK("a test of a free lock", omp_test_lock(&lock) && me->tested == 0);
            omp_unset_lock(&lock);
            omp_unset_lock(&other);
            omp_test_lock(&other);
            omp_test_lock(&other);
        }
    }
    CHECK("the region's end ends the row", records_self()->tested == 0);
    omp_destroy_lock(&lock);
    omp_destroy_lock(&other);
    omp_destroy_nest_lock(&nest);
}

/* Worker 1 waits for something that thread 0 holds; thread 0 looks. */
static void waits(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    struct rec_thread *worker = NULL;
    int entered = 0;
#pragma omp parallel num_threads(2)
    {
        bool holder = omp_get_thread_num() == 0;
        if (!holder)
            __atomic_store_n(&worker, records_self(), __ATOMIC_RELEASE);
#pragma omp barrier
#define MEET()                                                                                     \
    _Pragma("omp barrier") if (holder) __atomic_store_n(&entered, 0, __ATOMIC_RELEASE);            \
    _Pragma("omp barrier")
#define HOLD(name, state, id)                                                                      \
    __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);                                               \
    CHECK(name, reaches(worker, state));                                                           \
    CHECK(name, worker->wait_id == (uintptr_t)(id));                                               \
    CHECK(name, has_begun(worker));                                                                \
    CHECK(name, worker->codeptr != 0 && worker->frame != 0);                                       \
    CHECK(name, task_of(worker)->enter_frame == ((state) == WAIT_BARRIER ? worker->frame : 0))
#define FOLLOW()                                                                                   \
    while (!__atomic_load_n(&entered, __ATOMIC_ACQUIRE))                                           \
    continue
        if (!holder)
            FOLLOW();
#pragma omp critical(named)
        if (holder) {
            HOLD("wait critical", WAIT_CRITICAL, &critical_word);
        }
        MEET()
        if (!holder)
            FOLLOW();
#pragma omp critical
        if (holder) {
            HOLD("wait unnamed critical", WAIT_CRITICAL, records_root()->unnamed_critical);
        }
        MEET()
        if (!holder)
            FOLLOW();
        omp_set_lock(&lock);
        if (holder) {
            HOLD("wait lock", WAIT_LOCK, &lock);
        }
        omp_unset_lock(&lock);
        MEET()
        if (!holder)
            FOLLOW();
        omp_set_nest_lock(&nest_lock);
        if (holder) {
            HOLD("wait nest lock", WAIT_NEST_LOCK, &nest_lock);
        }
        omp_unset_nest_lock(&nest_lock);
        MEET()
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; i++) {
#pragma omp ordered
            if (holder) {
                HOLD("wait ordered", WAIT_ORDERED, region_of(records_self()));
            }
        }
        MEET()
        if (holder) {
            HOLD("wait barrier", WAIT_BARRIER, region_of(records_self()));
        }
#pragma omp barrier
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 1; i++) {
            __atomic_store_n(&entered, 1 + omp_get_thread_num(), __ATOMIC_RELEASE);
            struct rec_thread *other = worker;
            if (!holder)
                other = (struct rec_thread *)((struct rec_region *)worker->region)->master;
            CHECK("wait loop end", reaches(other, WAIT_BARRIER_IMPLICIT));
            CHECK("wait loop end", other->wait_id == region_of(other));
        }
        CHECK("after waits", state_of(records_self()) == WORK_PARALLEL);
        CHECK("after waits", records_self()->wait_id == 0);
        CHECK("after waits", records_self()->codeptr == 0 && records_self()->frame == 0);
        CHECK("after waits", task_of(records_self())->enter_frame == 0);
        /* The worker leaves; the master sees it in the last barrier, which no other
         * implicit one can be taken for any more. */
#pragma omp barrier
        if (holder) {
            CHECK("wait region end", reaches(worker, WAIT_BARRIER_IMPLICIT));
            CHECK("wait region end", worker->wait_id == region_of(worker));
            CHECK("wait region end", task_of(worker)->state == TASK_COMPLETED);
            CHECK("wait region end",
                  worker->codeptr == ((struct rec_region *)worker->region)->codeptr);
        }
    }
    CHECK("idle", reaches(worker, IDLE) && region_of(worker) == 0);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
}

/* Of the thread that runs an explicit task. */
static void inside_task(const char *name, uint64_t parent, uint32_t flags, uintptr_t frame)
{
    struct rec_thread *me = records_self();
    struct rec_task *task = task_of(me);
    CHECK(name, task->id == me->task_id && task->id != 0 && task->kind == TASK_EXPLICIT);
    CHECK(name, task->state == TASK_RUNNING && task->parent_id == parent);
    CHECK(name, (task->flags & flags) == flags);
    CHECK(name, task->function != 0 && task->codeptr != 0);
    CHECK(name, task->thread_id == me->id && task->thread == (uintptr_t)me);
    CHECK(name, task->region_id == region_of(me) && task->level == me->level);
    CHECK(name, near_above(task->exit_frame, frame));
    CHECK(name, state_of(me) == (region_of(me) ? WORK_PARALLEL : WORK_SERIAL));
    CHECK(name, me->codeptr == 0 && me->frame == 0);
}

static void deferred_tasks(void)
{
    struct rec_thread *waiter = NULL;
    int go = 0;
#pragma omp parallel num_threads(2)
    {
        struct rec_thread *me = records_self();
        uint64_t my_task = me->task_id;
#pragma omp single nowait
        {
            __atomic_store_n(&waiter, me, __ATOMIC_RELEASE);
            /* Run by the other thread, which looks at this one. */
#pragma omp task shared(waiter, go)
            {
                while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
                    continue;
                inside_task("task", my_task, 0, own_frame());
                CHECK("task", !(task_of(records_self())->flags & TASK_FLAG_UNDEFERRED));
                if (records_self() != waiter) {
                    CHECK("wait taskwait", reaches(waiter, WAIT_TASKWAIT));
                    CHECK("wait taskwait", waiter->wait_id == my_task);
                    CHECK("wait taskwait", task_of(waiter)->enter_frame == waiter->frame);
                }
            }
            struct timespec nap = {0, 50000000};
            nanosleep(&nap, NULL); /* let the other thread begin it */
            __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
            CHECK("after taskwait", me->task_id == my_task && me->wait_id == 0);
#pragma omp taskgroup
            {
#pragma omp task
                inside_task("task in group", my_task, 0, own_frame());
            }
            char large[5000];
            memset(large, 7, sizeof(large));
#pragma omp task firstprivate(large) untied mergeable
            {
                inside_task("task with a large block", my_task, TASK_FLAG_UNTIED, own_frame());
                CHECK("task with a large block", large[0] == 7 && large[4999] == 7);
            }
            int on __attribute__((unused)) = 0;
#pragma omp task depend(out : on)
            inside_task("task with depend", my_task, TASK_FLAG_DEPEND, own_frame());
#pragma omp task depend(in : on) final(1)
            inside_task("task with depend", my_task, TASK_FLAG_DEPEND | TASK_FLAG_FINAL,
                        own_frame());
        }
    }
    serial("after tasks");
}

static void undeferred_tasks(void)
{
    struct rec_thread *me = records_self();
    uint64_t my_task = me->task_id;
#pragma omp task if (0)
    {
        inside_task("undeferred task", my_task, TASK_FLAG_UNDEFERRED, own_frame());
        uint64_t outer = me->task_id;
        CHECK("undeferred task",
              ((struct rec_task *)task_of(me)->parent)->enter_frame > task_of(me)->exit_frame);
#pragma omp task if (0)
        inside_task("undeferred task in another", outer, TASK_FLAG_UNDEFERRED, own_frame());
        CHECK("undeferred task in another", me->task_id == outer);
    }
    serial("after undeferred tasks");
    int runs = 0;
#pragma omp taskloop grainsize(2) shared(runs)
    for (int i = 0; i < 10; i++) {
        inside_task("taskloop", my_task, TASK_FLAG_TASKLOOP | TASK_FLAG_UNDEFERRED, own_frame());
        runs++;
    }
    CHECK("taskloop", runs == 10);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        uint64_t creator = records_self()->task_id;
#pragma omp taskloop num_tasks(4)
        for (unsigned long long i = 0; i < 10; i++)
            inside_task("deferred taskloop", creator, TASK_FLAG_TASKLOOP, own_frame());
    }
    serial("after taskloop");
}

static void teams(void)
{
    uint64_t seen[3] = {0, 0, 0};
#pragma omp teams num_teams(3)
    {
        struct rec_thread *me = records_self();
        const struct rec_region *region = (const struct rec_region *)me->region;
        CHECK("teams", is_region(region, region_of(me)) && region->kind == REGION_TEAMS);
        CHECK("teams", region->actual == 3 && region->level == 0);
        CHECK("teams", me->thread_num == (unsigned)omp_get_team_num() && me->team_size == 3);
        seen[omp_get_team_num()] = me->task_id;
#pragma omp parallel num_threads(2)
        {
            inside("parallel in teams", 2, 1, own_frame());
            CHECK("parallel in teams",
                  ((struct rec_region *)records_self()->region)->parent_id == region->id);
        }
    }
    CHECK("teams", seen[0] && seen[1] && seen[2] && seen[0] != seen[1] && seen[1] != seen[2]);
    serial("after teams");
}

static void *initial_thread(void *unused)
{
    (void)unused;
    if (!records_find((uint64_t)pthread_self())) {
#pragma omp parallel num_threads(2)
        inside("parallel of another pthread", 2, 1, own_frame());
    }
    serial("another initial thread");
    return (void *)(uintptr_t)records_self()->id;
}

static void pthreads(void)
{
    pthread_t thread;
    void *id = NULL;
    pthread_create(&thread, NULL, initial_thread, NULL);
    pthread_join(thread, &id);
    CHECK("another initial thread", id != NULL && (uintptr_t)id != records_self()->id);
    CHECK("ended thread", !records_find((uint64_t)thread));
}

static void many_threads(void)
{
    enum { MANY = 200 };
#pragma omp parallel num_threads(MANY)
    inside("many threads", MANY, 1, own_frame());
    CHECK("many threads", records_count() >= MANY && !records_root()->index_overflow);
}

static void forks(void)
{
    int status = -1;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        uint64_t id = records_self()->id;
        pid_t pid = fork();
        if (pid == 0) {
            struct rec_thread *me = records_find((uint64_t)getpid());
            bool fine = me && me->id == id && me->lwp == (uint32_t)getpid() &&
                        records_root()->pid == (uint32_t)getpid() && records_count() == 1 &&
                        state_of(me) == WORK_PARALLEL && task_of(me)->id == me->task_id;
            _exit(fine ? 0 : 1);
        }
        waitpid(pid, &status, 0);
    }
    CHECK("fork in a region", WIFEXITED(status) && WEXITSTATUS(status) == 0);
    serial("after fork");
}

int main(void)
{
    omp_set_max_active_levels(4);
    omp_set_dynamic(0);
    CHECK("tracking", records_root()->tracking == 1);
    CHECK("tracking", records_root()->pid == (uint32_t)getpid());
    serial("at the start");
    parallel();
    nested();
    uncontended();
    tests();
    waits();
    deferred_tasks();
    undeferred_tasks();
    teams();
    pthreads();
    many_threads();
    forks();
    return checks_done();
}
