/* SPDX-License-Identifier: MIT
 *
 * One or two threads of a team hang while the others have done their part: what one
 * mostly starts a debugger for. The argument says how. With "stays" and its kin one says so
 * when all others sleep, which have left the body of their region.
 */
#include <omp.h>
#include <unistd.h>

#include "../common/rest.h"

static volatile int stuck = 1;

static void hang(void)
{
    while (stuck)
        usleep(1000); /* mark: hang */
}

static volatile int inside[2];

/* Inlined by GCC 16, the call in it has the lines of both functions. */
__attribute__((noinline)) static void take(int which)
{
#pragma omp critical(update) /* mark: update */
    {
        if (which == 2) {
            inside[1] = 1;
            hang(); /* mark: holder */
        }
        inside[0] = 1;
        while (which == 0 && !inside[1])
            usleep(1000);
        if (which == 0) {
#pragma omp critical /* mark: then_unnamed */
            inside[0]++;
        }
    }
}

static void take_unnamed(void)
{
#pragma omp critical /* mark: unnamed */
    {
        inside[1] = 1;
        while (!inside[0])
            usleep(1000);
#pragma omp critical(update) /* mark: then_update */
        inside[1]++;
    }
}

/* One thread hangs in a section that two others wait for. */
static __attribute__((noinline)) void critical(void)
{
#pragma omp parallel num_threads(3)
    {
        while (omp_get_thread_num() != 2 && !inside[1])
            usleep(1000);
        take(omp_get_thread_num() == 2 ? 2 : 1);
    }
}

/* Two threads wait for each other, and one hangs beside them. */
static __attribute__((noinline)) void crossed(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0)
        take(0);
    else if (omp_get_thread_num() == 1)
        take_unnamed();
    else
        hang();
}

static int numbers[4];

static void stay(int me)
{
    until_others_rest();
    puts("stays");
    fflush(stdout);
    sleep(1000 + me);
}

static void stay_within(int outer)
{
#pragma omp parallel num_threads(2) /* mark: stay_inner */
    {
        numbers[omp_get_thread_num()]++;
        if (outer == 1 && omp_get_thread_num() == 1)
            stay(outer);
    }
}

/* Teams within are made and given back all the time. */
static void again(void)
{
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
            usleep(2000);
            if (i == 19)
                hang();
        }
    }
}

/* Neither team gets a worker of the other one's. */
static void leagues(void)
{
    int begun = 0;
#pragma omp teams num_teams(2) thread_limit(2) shared(begun)
#pragma omp parallel num_threads(2) shared(begun)
    if (omp_get_team_num() == 0) {
        while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
            usleep(1000);
    } else if (omp_get_thread_num() == 1) {
        __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
        hang();
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "critical";
    omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(2);
    if (!strcmp(how, "critical"))
        critical();
    if (!strcmp(how, "crossed"))
        crossed();
    if (!strcmp(how, "again"))
        again();
    if (!strcmp(how, "leagues"))
        leagues();
    if (!strcmp(how, "stays_in_task")) {
#pragma omp parallel num_threads(2) /* mark: stay_leaves */
        if (omp_get_thread_num() == 0) {
#pragma omp task
            stay(1);
        }
    }
    if (!strcmp(how, "stays_within")) {
#pragma omp parallel num_threads(2) /* mark: stay_outer */
        stay_within(omp_get_thread_num());
    }
    if (!strcmp(how, "stays")) {
#pragma omp parallel num_threads(4) /* mark: stay_region */
        {
            numbers[omp_get_thread_num()]++;
            if (omp_get_thread_num() == 2)
                stay(2);
        }
    }
    return numbers[0] == 0;
}
