/* SPDX-License-Identifier: MIT
 *
 * Never rests: regions of changing sizes, nested ones, tasks, criticals, locks, barriers,
 * and pthreads that come, open regions of their own and go. Every thread keeps its entry in
 * churn_truths up to date with what the runtime tells it. Runs until it is killed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#define TRUTH_TABLE churn_truths
#define WORK 1000
#include "truth-entry.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

extern char word_of_churn[] __asm__(".gomp_critical_user_churn");

static void about_to(uint32_t what, const void *wait)
{
    entry()->wait = (uint64_t)(uintptr_t)wait;
    now(what);
}

static void synchronise(void)
{
    about_to(TRUTH_AT_CRITICAL, word_of_churn);
#pragma omp critical(churn)
    {
        now(TRUTH_WORKS);
        work(3);
        unsettle();
    }
    settle(0);
    about_to(TRUTH_AT_LOCK, &lock);
    omp_set_lock(&lock);
    now(TRUTH_WORKS);
    work(2);
    omp_unset_lock(&lock);
    about_to(TRUTH_AT_NEST_LOCK, &nest_lock);
    omp_set_nest_lock(&nest_lock);
    now(TRUTH_WORKS);
    omp_unset_nest_lock(&nest_lock);
}

/* Tasks may run on any thread of the team, in any of its scheduling points: a thread is
 * settled as the task's while its body runs, and unsettled afterwards. */
static void tasks(int depth)
{
    for (int i = 0; i < 3; i++) {
        unsettle(); /* a task may be run by the thread that creates it */
#pragma omp task firstprivate(i, depth)
        {
            settle(1);
            work(10 * (unsigned)i + 10); /* long enough that stops meet tasks */
            if (depth > 0)
                tasks(depth - 1);
            unsettle();
        }
    }
#pragma omp taskwait
    unsettle();
}

static void region(int size, int depth)
{
#pragma omp parallel num_threads(size)
    {
        settle(0);
        work(2);
        synchronise();
        about_to(TRUTH_AT_BARRIER, NULL);
#pragma omp barrier
        unsettle(); /* tasks of a thread beyond the barrier may have run here */
        settle(0);
        if (depth > 0) {
            unsettle();
            region(2, depth - 1);
            settle(0);
        }
        unsettle(); /* tasks of others run at the end of single and at the region's */
#pragma omp single
        tasks(1);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 2 * size; i++)
            work(1);
        settle(0);
        work(1);
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

int main(void)
{
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    truth_start();
    omp_set_max_active_levels(3);
    omp_set_dynamic(0);
    alarm(600);
    puts("ready");
    fflush(stdout);
    for (int round = 0;; round++) {
        pthread_t thread;
        int visits = round % 2 &&
                     !pthread_create(&thread, NULL, visitor, (void *)(intptr_t)(round % 3 == 0));
        region(1 + round % 4, round % 3);
        if (visits)
            pthread_join(thread, NULL);
    }
}
