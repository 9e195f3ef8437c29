/* SPDX-License-Identifier: MIT
 *
 * Never rests: regions of changing sizes, nested ones, tasks, criticals, locks, barriers,
 * and pthreads that come, open regions of their own and go. Every thread keeps its entry in
 * churn_truths up to date with what the runtime tells it. Runs until it is killed.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "churn-truth.h"
#include "truth-entry.h"

struct churn_truth churn_truths[CHURN_TRUTHS];

static __thread struct churn_truth *mine;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static volatile unsigned long work_done;

extern char word_of_churn[] __asm__(".gomp_critical_user_churn");

static struct churn_truth *entry(void)
{
    if (!mine)
        mine = truth_take(churn_truths, sizeof *mine, CHURN_TRUTHS);
    return mine;
}

/* From here until unsettle() the entry is true. */
static void settle(int explicit_task)
{
    struct churn_truth *t = entry();
    t->stable = CHURN_UNKNOWN;
    IN_ORDER();
    t->num = (uint32_t)omp_get_thread_num();
    t->team = (uint32_t)omp_get_num_threads();
    t->level = (uint32_t)omp_get_level();
    t->active_level = (uint32_t)omp_get_active_level();
    t->explicit_task = (uint32_t)explicit_task;
    t->wait = 0;
    IN_ORDER();
    t->stable = CHURN_WORKS;
    IN_ORDER();
}

static void about_to(uint32_t what, const void *wait)
{
    struct churn_truth *t = entry();
    IN_ORDER();
    t->wait = (uint64_t)(uintptr_t)wait;
    IN_ORDER();
    t->stable = what;
    IN_ORDER();
}

static void works_again(void)
{
    IN_ORDER();
    entry()->stable = CHURN_WORKS;
    IN_ORDER();
}

static void unsettle(void)
{
    IN_ORDER();
    entry()->stable = CHURN_UNKNOWN;
    IN_ORDER();
}

static void work(unsigned amount)
{
    for (unsigned i = 0; i < amount * 1000; i++)
        work_done++;
}

static void synchronise(void)
{
    about_to(CHURN_AT_CRITICAL, word_of_churn);
#pragma omp critical(churn)
    {
        works_again();
        work(3);
        unsettle();
    }
    settle(0);
    about_to(CHURN_AT_LOCK, &lock);
    omp_set_lock(&lock);
    works_again();
    work(2);
    omp_unset_lock(&lock);
    about_to(CHURN_AT_NEST_LOCK, &nest_lock);
    omp_set_nest_lock(&nest_lock);
    works_again();
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
        about_to(CHURN_AT_BARRIER, NULL);
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
        int visits = round % 2 && !pthread_create(&thread, NULL, visitor,
                                                  (void *)(intptr_t)(round % 3 == 0));
        region(1 + round % 4, round % 3);
        if (visits)
            pthread_join(thread, NULL);
    }
}
