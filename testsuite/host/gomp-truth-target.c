/* SPDX-License-Identifier: MIT
 *
 * Never rests, and nobody prepared it: regions of changing sizes, serialized and nested
 * ones, every kind of explicit task, loops, target regions on the host, and pthreads that
 * come, open regions of their own and go. Every thread keeps its entry in gomp_truths up
 * to date with what the runtime tells it. Runs until it is killed. With an argument it
 * leaves out the target regions, of which hooks see nothing.
 *
 * Compiled by clang it runs on LLVM's runtime. That frees what other threads still use when a
 * pthread that opened regions ends (its assertions fail, LLVM 14 to 19), so there such a
 * pthread stays; and it asserts that nobody but the first thread sets dyn-var.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define TRUTH_TABLE gomp_truths
#define WORK 8000
#include "truth-entry.h"

static int without_target;
static int a, b; /* what tasks depend on */

#ifdef __clang__
enum { ON_LLVM = 1 };
#else
enum { ON_LLVM = 0 };
#endif

static void task_body(unsigned amount, int depth);

static void children(int depth)
{
    for (int i = 0; i < 3; i++) {
        unsettle();
#pragma omp task firstprivate(i, depth) depend(inout : a) priority(i)
        task_body((unsigned)i * 4 + 1, depth - 1);
#pragma omp task firstprivate(depth) depend(in : a) depend(out : b) final(i == 2)
        task_body(1, depth - 1);
#pragma omp task if (0)
        task_body(1, 0);
    }
}

/* Any thread of the team may run it, so its entry is the task's while the body runs. */
static void task_body(unsigned amount, int depth)
{
    settle(1);
    work(amount);
    if (depth > 0) {
        children(depth);
        settle(1);
        now(TRUTH_AT_TASKWAIT);
#pragma omp taskwait
        unsettle();
        settle(1);
        work(1);
    }
    unsettle();
}

/* Waits for a task that another thread has begun, in a team that has another. */
static void wait_for_another(void)
{
    volatile int begun = omp_get_num_threads() < 2;
    unsettle();
#pragma omp task shared(begun)
    {
        begun = 1;
        task_body(90, 0);
    }
    while (!begun)
        sched_yield();
    settle(0);
    now(TRUTH_AT_TASKWAIT);
#pragma omp taskwait
    unsettle();
    begun = omp_get_num_threads() < 2;
#pragma omp taskgroup
    {
#pragma omp task shared(begun)
        {
            begun = 1;
            task_body(90, 0);
        }
        while (!begun)
            sched_yield();
        settle(0);
        now(TRUTH_AT_TASKGROUP);
    }
    unsettle();
}

static void tasks(void)
{
    wait_for_another();
    children(2);
    settle(0);
    now(TRUTH_AT_TASKWAIT);
#pragma omp taskwait
    unsettle();
#pragma omp taskgroup
    {
        for (int i = 0; i < 4; i++) {
            unsettle();
#pragma omp task
            task_body(12, 0);
        }
        settle(0);
        now(TRUTH_AT_TASKGROUP);
    }
    unsettle();
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < 6; i++)
        task_body(1, 0);
        /* An orphan: nobody waits for it but the barrier. */
#pragma omp task
    {
#pragma omp task
        task_body(3, 1);
    }
}

static void target_body(void)
{
    settle(0);
    work(40);
    unsettle();
#pragma omp parallel num_threads(2)
    {
        settle(0);
        work(2);
        unsettle();
    }
}

/* By way of a pointer, since what a target region calls by name is compiled for devices
 * as well. */
static void in_target(void)
{
    void (*body)(void) = target_body;
    unsettle();
    if (without_target)
        return;
    entry()->in_target = 1 + (uint32_t)omp_get_thread_num();
#pragma omp target firstprivate(body)
    body();
    entry()->in_target = 0;
}

static void region(int size, int depth)
{
#pragma omp parallel num_threads(size)
    {
        settle(0);
        work(2);
        now(TRUTH_AT_BARRIER);
#pragma omp barrier
        unsettle();
        settle(0);
        if (depth > 0) {
            unsettle();
            region(1 + omp_get_thread_num() % 2, depth - 1);
            region(2, depth - 1);
            settle(0);
        }
        unsettle();
#pragma omp single
        tasks();
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 2 * size; i++)
            work(1);
        unsettle();
        omp_set_num_threads(3 + omp_get_thread_num());
        if (!ON_LLVM)
            omp_set_dynamic(omp_get_thread_num() % 2);
        settle(0);
        work(1);
        if (size == 3 && omp_get_thread_num() == 1)
            in_target();
        unsettle();
    }
    settle(0);
    work(1);
    unsettle();
}

static void *visitor(void *arg)
{
    settle(0);
    work(5);
    unsettle();
    region(2, (int)(intptr_t)arg);
    settle(0);
    work(5);
    unsettle();
    return NULL;
}

static void *resident(void *arg)
{
    for (;;)
        visitor(arg);
    return NULL;
}

/* One comes and goes, one stays. */
static void *foreigner(void *stays)
{
    now(TRUTH_FOREIGN);
    work(300);
    while (stays)
        usleep(1000);
    unsettle();
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    without_target = argc > 1;
    truth_start();
    if (!ON_LLVM)
        omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(3);
    omp_set_dynamic(0);
    alarm(600);
    pthread_t stranger, root;
    if (pthread_create(&stranger, NULL, foreigner, gomp_truths) ||
        (ON_LLVM && pthread_create(&root, NULL, resident, (void *)(intptr_t)1)))
        return 1;
    puts("ready");
    fflush(stdout);
    for (int round = 0;; round++) {
        pthread_t thread[2];
        int visits = !ON_LLVM && round % 2 &&
                     !pthread_create(&thread[0], NULL, visitor, (void *)(intptr_t)(round % 3 == 0));
        int strangers = round % 3 == 0 && !pthread_create(&thread[1], NULL, foreigner, NULL);
        region(1 + round % 4, round % 3);
        if (round % 2 == 0)
            in_target();
        if (visits)
            pthread_join(thread[0], NULL);
        if (strangers)
            pthread_join(thread[1], NULL);
    }
}
