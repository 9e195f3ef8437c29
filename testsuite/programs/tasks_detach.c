/* SPDX-License-Identifier: MIT
 *
 * Detached tasks: fulfilled by themselves, by another task, by a thread that OpenMP does
 * not know, before and after the body ends; with captured data and dependences.
 */
#include <omp.h>
#include <pthread.h>
#include "check.h"

enum { THREADS = 2, N = 40 };

static void *fulfill(void *event)
{
    omp_fulfill_event(*(omp_event_handle_t *)event);
    return NULL;
}

static void by_itself(void)
{
    int done = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < N; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done) firstprivate(i)
        {
            CHECK(i >= 0 && i < N);
            __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
            omp_fulfill_event(event);
        }
    }
    CHECK(done == N);
}

/* What depends on a detached task sees what was done before the event was fulfilled. */
static void by_another_task(void)
{
    int late = 0, seen = 0, cell = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 1; i <= N; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : cell) shared(cell)
        cell = i;
#pragma omp task shared(late) firstprivate(event, i)
        {
            __atomic_store_n(&late, i, __ATOMIC_RELEASE);
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : cell) shared(late, seen)
        {
            CHECK(__atomic_load_n(&late, __ATOMIC_ACQUIRE) == i);
            seen++;
        }
#pragma omp taskwait
    }
    CHECK(seen == N);
}

static void by_a_pthread(void)
{
    int done = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (int i = 0; i < 5; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
        done++;
        pthread_t helper;
        CHECK(!pthread_create(&helper, NULL, fulfill, &event));
#pragma omp taskwait
        CHECK(done == i + 1);
        pthread_join(helper, NULL);
    }
}

/* The body waits in its thread until the event is fulfilled, when it is undeferred. */
static void undeferred(void)
{
    int done = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) if (0) shared(done)
        {
            done = 1;
            omp_fulfill_event(event);
        }
        CHECK(done == 1);
    }
}

static void nothing_captured(void)
{
    static int count;
    count = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
        omp_fulfill_event(event);
    }
    CHECK(count == 1);
}

int main(void)
{
    for (int round = 0; round < 20; round++) {
        by_itself();
        by_another_task();
        undeferred();
        nothing_captured();
    }
    by_a_pthread();
    return check_result("tasks_detach");
}
