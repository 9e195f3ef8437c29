/* SPDX-License-Identifier: MIT
 *
 * Tasks that are waited for and never complete. The first argument says in what way.
 */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "hang.h"

static volatile int flag;
static int x, y;

/* Nobody fulfils the event. */
static void detached(void)
{
    omp_event_handle_t event;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task detach(event)
        x = 1;
#pragma omp taskwait /* detached-wait */
        y = x;
    }
}

/* Loops over what is their own: whatever waits in the queue has nothing to do with it. */
NOINLINE static int next_free(const int *row)
{
    int at = 1;
    for (; row[at] != row[0]; at += row[at] > 9) /* own-loops */
        __asm__ volatile("");
    return at;
}

static void own(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 50; i++)
#pragma omp task
    {
        int row[8] = {99, i, 1, 2, 3, 4, 6, 7};
        x = next_free(row);
    }
}

/* Nor that of a task that its thread executes at once. */
static void undeferred(void)
{
    omp_event_handle_t event;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task detach(event) if (0) /* undeferred-wait */
        x = 1;
#pragma omp taskwait
        y = x;
    }
}

static void group(void)
{
    omp_event_handle_t event;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task detach(event)
            x = 1;
        } /* group-end */
        y = x;
    }
}

/* The event of the first task is fulfilled by one that waits for that task. */
static void successor(void)
{
    omp_event_handle_t event;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : x) detach(event)
        x = 1;
#pragma omp task depend(in : x) firstprivate(event)
        {
            y = x;
            omp_fulfill_event(event);
        }
#pragma omp taskwait /* successor-wait */
    }
}

NOINLINE static void spin(void)
{
    while (!flag) ; /* spins */
}

/* A task waits in a loop for one that cannot begin before it has ended. */
static void spins(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : x)
        spin();
#pragma omp task depend(in : x)
        flag = 1;
    }
}

NOINLINE static void count(void)
{
#pragma omp critical(counts) /* group-child-wants */
    x++;
}

/* Tasks want the section that their creator is in, at the end of a group. */
static void group_in_critical(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp critical(counts)
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
                flag = 1;
                count();
            }
            while (!flag)
                usleep(1000);
        } /* group-in */
        y = x;
    }
}

/* Waits at a task scheduling point, at which libgomp runs nothing else. */
NOINLINE static void yield(void)
{
    while (!flag) { _Pragma("omp taskyield") } /* yields-at */
}

/* Two tasks expect that taskyield runs the third, and there are two threads. */
static void yields(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        yield();
#pragma omp task
        yield();
#pragma omp task
        flag = 1;
    }
}

NOINLINE static void await(void)
{
    while (!flag)
        usleep(1000); /* throttled-waits */
}

/* So many tasks that whoever generates them has to execute one itself, which waits for what
 * comes after the last. */
static void throttled(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 1000; i++) {
#pragma omp task
            await();
        }
        flag = 1;
    }
}

/* The host executes a target region while a thread waits for it. */
static void target(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : flag)
        {
            pause(); /* target-pauses */
            flag = 1;
        }
#pragma omp taskwait
    }
}

/* A member executes a target region while the others wait for it. */
static void target_member(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp target map(tofrom : flag)
            {
                pause(); /* target-member */
                flag = 1;
            }
        }
#pragma omp barrier
    }
}

/* The thread that waits for a target task has the lock that the task wants. */
static void target_wants(void)
{
    static omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_set_lock(&lock);
#pragma omp target nowait map(tofrom : x, flag, lock) depend(out : x)
        {
            flag = 1;
            omp_set_lock(&lock); /* target-wants */
            x = 1;
        }
#pragma omp task depend(in : x)
        y = x;
        while (!flag)
            usleep(100);
#pragma omp taskwait
        omp_unset_lock(&lock);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(detached)
    CASE(own)
    CASE(undeferred)
    CASE(group)
    CASE(successor)
    CASE(spins)
    CASE(group_in_critical)
    CASE(yields)
    CASE(throttled)
    CASE(target)
    CASE(target_member)
    CASE(target_wants)
    return 1;
}
