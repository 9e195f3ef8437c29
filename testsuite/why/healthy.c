/* SPDX-License-Identifier: MIT
 *
 * Programs that are well, of the kinds of which a look at states alone might say otherwise.
 * They run until they are killed.
 */
#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "hang.h"

static omp_lock_t locks[4];
static omp_nest_lock_t nest;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t grown = PTHREAD_COND_INITIALIZER;
static int waiting;
static double grid[4096];

NOINLINE static double work(int amount)
{
    double sum = 0;
    for (int i = 0; i < amount; i++)
        sum += grid[i % 4096] * 0.5 + i;
    return sum;
}

static void barriers(void)
{
    for (;;)
#pragma omp parallel num_threads(4)
        for (int i = 0; i < 100; i++) {
            grid[omp_get_thread_num()] = work(200 * omp_get_thread_num());
#pragma omp barrier
        }
}

static void resizes(void)
{
    for (int size = 2;; size ^= 6) {
#pragma omp parallel for num_threads(size)
        for (int i = 0; i < 64; i++)
            grid[i] = work(100);
    }
}

static void loops(void)
{
    for (;;) {
#pragma omp parallel for schedule(dynamic) num_threads(4)
        for (int i = 0; i < 64; i++)
            grid[i] = work(i * 20);
#pragma omp parallel num_threads(3)
        {
#pragma omp for
            for (int i = 0; i < 64; i++)
                grid[i] += 1;
#pragma omp single
            grid[0] = work(1000);
        }
    }
}

static int fib(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void)
{
    for (;;)
#pragma omp parallel num_threads(4)
#pragma omp single
        grid[0] = fib(12);
}

/* The others execute them in the one barrier that there is. */
static void generates(void)
{
#pragma omp parallel num_threads(8)
#pragma omp single
    for (;;)
#pragma omp task
        grid[omp_get_thread_num()] = work(100);
}

static int halves(int n)
{
    int a, b;
    if (n < 1000)
        return (int)work(20 * n);
#pragma omp task shared(a)
    a = halves(n / 2);
#pragma omp task shared(b)
    b = halves(n / 2);
#pragma omp taskwait
    return a + b;
}

static void recursion(void)
{
    for (;;)
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(1)
        for (int i = 0; i < 64; i++)
            grid[i] = halves(100000);
}

static void depends(void)
{
    for (;;)
#pragma omp parallel num_threads(3)
#pragma omp single
        for (int i = 0; i < 200; i++) {
            double *cell = &grid[i % 5];
#pragma omp task depend(inout : cell[0])
            *cell += work(300);
        }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
    for (;;)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
        {
            grid[omp_get_thread_num()] = work(300);
#pragma omp barrier
#pragma omp critical(sum)
            grid[9] += work(50);
        }
}

static void inner(void)
{
#pragma omp parallel num_threads(2)
    {
        double sum = work(50);
#pragma omp atomic
        grid[8] += sum;
    }
}

static void turns(void)
{
    omp_set_max_active_levels(2);
    for (;;)
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
        for (int i = 0; i < 6; i++) {
#pragma omp ordered
            inner();
        }
}

/* Regions in tasks: at the end of one a thread is out of it, and its task has not ended. */
static void regions_in_tasks(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (;;) {
#pragma omp task
        inner();
#pragma omp task
        inner();
#pragma omp taskwait
    }
}

/* Locks in order, handed on from thread to thread, and held across waits that end. */
static void pipeline(void)
{
    for (;;)
#pragma omp parallel num_threads(4)
        for (int i = 0; i < 50; i++)
            for (int stage = 0; stage < 4; stage++) {
                omp_set_lock(&locks[stage]);
                grid[stage] += work(100);
                if (stage < 3) {
                    omp_set_lock(&locks[stage + 1]);
                    grid[stage + 1] += 1;
                    omp_unset_lock(&locks[stage + 1]);
                }
                omp_unset_lock(&locks[stage]);
                omp_set_nest_lock(&nest);
                omp_set_nest_lock(&nest);
                grid[8] += 1;
                omp_unset_nest_lock(&nest);
                omp_unset_nest_lock(&nest);
#pragma omp critical
                grid[7] += 1;
            }
}

/* Some wait for a condition that another one brings about. */
static void conditions(void)
{
    for (;;)
#pragma omp parallel num_threads(3)
        for (int i = 0; i < 100; i++)
            if (omp_get_thread_num()) {
                pthread_mutex_lock(&mutex);
                waiting++;
                while (waiting > 0)
                    pthread_cond_wait(&grown, &mutex);
                pthread_mutex_unlock(&mutex);
#pragma omp barrier
            } else {
                int come = 0;
                while (come < 2) {
                    pthread_mutex_lock(&mutex);
                    come = waiting;
                    if (come == 2) {
                        waiting = 0;
                        pthread_cond_broadcast(&grown);
                    }
                    pthread_mutex_unlock(&mutex);
                }
#pragma omp barrier
            }
}

/* Iterations that wait for the one before, in all schedules. */
static void doacross(void)
{
    for (;;) {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
        for (int i = 1; i < 60; i++) {
            grid[i + 100] = work(200);
#pragma omp ordered depend(sink : i - 1)
            grid[i] = grid[i - 1] + work(100);
#pragma omp ordered depend(source)
        }
#pragma omp parallel for ordered(1) schedule(dynamic) num_threads(3)
        for (int i = 1; i < 60; i++) {
#pragma omp ordered depend(sink : i - 1)
            grid[i] = grid[i - 1] + work(100);
#pragma omp ordered depend(source)
        }
#pragma omp parallel for ordered num_threads(3)
        for (int i = 1; i < 60; i++) {
            grid[i + 100] = work(200);
#pragma omp ordered
            grid[i] = work(50);
        }
    }
}

/* The first to find something cancels the rest, as they notice sooner or later. */
static void cancels(void)
{
    for (;;)
#pragma omp parallel num_threads(3)
        {
#pragma omp for
            for (int i = 0; i < 90; i++) {
                grid[i] = work(400);
                if (i == 50) {
#pragma omp cancel for
                }
#pragma omp cancellation point for
            }
            grid[omp_get_thread_num()] = work(3000);
            if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
            }
            grid[omp_get_thread_num()] = work(2000);
        }
}

/* Sections that poll and sleep, more of them than threads. */
static void sleeps(void)
{
    for (;;)
#pragma omp parallel sections num_threads(2)
        {
#pragma omp section
            usleep(3000);
#pragma omp section
            usleep(5000);
#pragma omp section
            grid[0] = work(500);
#pragma omp section
            usleep(1000);
        }
}

/* Each acquires one lock or two by tests, gives the first back where the second is not free, and meets
 * the others at a barrier, at which one arrives with a lock that the rest polls until it is late. */
static void tests(void)
{
    for (;;)
#pragma omp parallel num_threads(4)
        for (int i = 0; i < 50; i++) {
            int number = omp_get_thread_num(), other = (number + 1) % 4;
            for (;;) {
                while (!omp_test_lock(&locks[number])) {
#pragma omp taskyield
                }
                if (omp_test_lock(&locks[other]))
                    break;
                omp_unset_lock(&locks[number]);
                usleep(50 * number);
            }
            grid[number] = work(200);
            omp_unset_lock(&locks[number]);
            if (!number)
                usleep(300);
            omp_unset_lock(&locks[other]);
#pragma omp barrier
            if (!number)
                omp_set_nest_lock(&nest);
#pragma omp barrier
            for (int n = 0; number && n < 100 && !omp_test_nest_lock(&nest); n++)
                work(20);
#pragma omp barrier
            if (!number)
                omp_unset_nest_lock(&nest);
#pragma omp barrier
        }
}

/* A task polls what another one writes that runs, and its successor waits for it. */
static void flags(void)
{
    static volatile int done;
    static int x;
    for (;;)
#pragma omp parallel num_threads(3)
#pragma omp single
        for (int i = 0; i < 20; i++) {
            done = 0;
#pragma omp task
            {
                grid[0] = work(40000);
                done = 1;
            }
#pragma omp task depend(out : x)
            while (!done) ;
#pragma omp task depend(in : x)
            grid[1] = work(10 + x);
#pragma omp taskwait
        }
}

static omp_event_handle_t events[2]; /* of tasks that a service ends */
static int asked;

static void *service(void *unused)
{
    for (int which = 0;; which ^= 1) {
        while (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE))
            usleep(1000);
        usleep(2000);
        omp_event_handle_t event = events[which];
        __atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
        omp_fulfill_event(event);
    }
    return unused;
}

/* A thread that has a task under way yields until a service has answered. */
static void yields(void)
{
    pthread_t other;
    pthread_create(&other, NULL, service, NULL);
    for (int which = 0;; which ^= 1)
#pragma omp parallel num_threads(2)
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task detach(event)
            grid[0] = work(10);
            events[which] = event;
            __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
            while (__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
            }
        }
}

static void *pool(void *unused)
{
    barriers();
    return unused;
}

static void pools(void)
{
    pthread_t other;
    pthread_create(&other, NULL, pool, NULL);
    loops();
}

static void reductions(void)
{
    double sum = 0;
    for (;;) {
#pragma omp parallel for reduction(+ : sum) num_threads(4)
        for (int i = 0; i < 512; i++)
            sum += work(i);
#pragma omp parallel num_threads(2)
#pragma omp sections
        {
#pragma omp section
            grid[0] = work(500);
#pragma omp section
            grid[1] = work(5000);
        }
        grid[2] = sum;
    }
}

/* Each half of a team has a barrier of its own in the source. */
static void branches(void)
{
#pragma omp parallel num_threads(4)
    for (;;) {
        int me = omp_get_thread_num();
        double mine = work(100 * me);
        if (me % 2) {
#pragma omp barrier
            grid[me] = mine;
        } else {
#pragma omp barrier
            grid[me] = -mine;
        }
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 4; i++)
        omp_init_lock(&locks[i]);
    omp_init_nest_lock(&nest);
    CASE(barriers)
    CASE(loops)
    CASE(tasks)
    CASE(generates)
    CASE(recursion)
    CASE(depends)
    CASE(nested)
    CASE(resizes)
    CASE(turns)
    CASE(regions_in_tasks)
    CASE(pipeline)
    CASE(conditions)
    CASE(pools)
    CASE(reductions)
    CASE(doacross)
    CASE(cancels)
    CASE(sleeps)
    CASE(tests)
    CASE(flags)
    CASE(yields)
    CASE(branches)
    return 1;
}
