/* SPDX-License-Identifier: MIT
 *
 * Locks that are polled and never free again. The first argument says in what way.
 */
#include <omp.h>
#include <sched.h>

#include "hang.h"

static omp_lock_t table_lock;
static int sum;
static volatile int arrived;
static volatile int stage;

/* The team polls a lock that the thread has which waits for the team. */
static void polls(void)
{
    omp_init_lock(&table_lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock); /* polls-since */
#pragma omp barrier
        if (omp_get_thread_num())
            while (!omp_test_lock(&table_lock))
                usleep(1000); /* polls-naps */
#pragma omp barrier
        sum++; /* polls-behind */
    }
}

/* Each polls the lock that the other one has; a nest lock is one of them. */
static void polls_crossed(void)
{
    static omp_nest_lock_t nest_lock;
    omp_init_lock(&table_lock);
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
        else
            omp_set_nest_lock(&nest_lock); /* crossed-polls-since */
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            while (!omp_test_lock(&table_lock))
                usleep(1000); /* crossed-polls */
        while (!omp_test_nest_lock(&nest_lock))
            usleep(1000);
        sum++;
    }
}

/* One polls two locks, and goes on with either; the team waits for it. */
static void polls_either(void)
{
    static omp_lock_t second_lock;
    omp_init_lock(&table_lock);
    omp_init_lock(&second_lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
        if (omp_get_thread_num() == 1)
            omp_set_lock(&second_lock);
#pragma omp barrier
        if (omp_get_thread_num() == 2)
            while (!omp_test_lock(&table_lock) && !omp_test_lock(&second_lock))
                usleep(1000); /* either-polls */
#pragma omp barrier
        sum++;
    }
}

/* Who has polled a lock in vain has it at last, and waits for the others, which poll it. */
static void polls_last(void)
{
    omp_init_lock(&table_lock);
#pragma omp parallel num_threads(3)
    {
        while (!omp_test_lock(&table_lock))
            usleep(1000); /* last-polls */
#pragma omp barrier
        omp_unset_lock(&table_lock);
    }
}

/* Healthy: who does not get the second lock gives the first one back. */
static void backs_off(void)
{
    static omp_lock_t pair[2];
    omp_init_lock(&pair[0]);
    omp_init_lock(&pair[1]);
#pragma omp parallel num_threads(2)
    for (;;) {
        omp_set_lock(&pair[omp_get_thread_num()]);
        usleep(300000); /* backs-off */
        if (omp_test_lock(&pair[!omp_get_thread_num()]))
            omp_unset_lock(&pair[!omp_get_thread_num()]);
        omp_unset_lock(&pair[omp_get_thread_num()]);
    }
}

/* The only thread polls a lock that it has itself. */
static void polls_own(void)
{
    omp_init_lock(&table_lock);
    omp_set_lock(&table_lock); /* own-polls-since */
    while (!omp_test_lock(&table_lock))
        usleep(1000); /* own-polls */
    sum++;
}

/* Of a nested team one thread polls what the primary thread of the outer team has, which waits for
 * the inner team's. */
static void polls_nested(void)
{
    omp_init_lock(&table_lock);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 1)
                    while (!omp_test_lock(&table_lock))
                        usleep(1000); /* nested-polls */
                sum++;
            }
        }
    }
}

/* A barrier of the program's own, for more threads than the team has. */
static void counts(void)
{
#pragma omp parallel num_threads(3)
    {
        __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
        while (arrived < 4)
            sched_yield(); /* counts-polls */
    }
}

/* What another thread is to set, which waits for this one, between naps. */
static void sets(void)
{
    stage = 2;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            while (stage != 7)
                usleep(1000); /* sets-naps */
#pragma omp barrier
        stage = 7;
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(polls)
    CASE(polls_crossed)
    CASE(polls_either)
    CASE(polls_last)
    CASE(backs_off)
    CASE(polls_own)
    CASE(polls_nested)
    CASE(counts)
    CASE(sets)
    return 1;
}
