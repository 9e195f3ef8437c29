/* SPDX-License-Identifier: MIT */
/* Four threads of a team at rest in places of their own, for libomp.py. Thread 0 runs a task
 * and holds the lock that thread 1 waits for; thread 2 is in a region of its own, where it
 * waits for the other thread of that team; thread 3 is in a barrier. With an argument the
 * program aborts there, or waits where the argument is "wait". */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t lock;
static volatile int arrived;
static volatile int go;

static void arrive(void)
{
    __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
}

static void wait_for(volatile int *what, int least)
{
    while (*what < least)
        usleep(1000);
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
    {
        int mine = 100 + omp_get_thread_num();
        arrive();
        if (omp_get_thread_num() == 1)
            wait_for(&go, 1);
#pragma omp barrier
        arrived += mine > 1000;
    }
}

static void stay(const char *how)
{
    wait_for(&arrived, 4); /* 0, 1, and two of the nested team */
    usleep(200 * 1000);
    if (how && !strcmp(how, "wait")) {
        puts("ready");
        fflush(stdout);
        wait_for(&go, 1);
    } else if (how) {
        abort();
    }
    go = 1; /* mark: here */
}

int main(int argc, char **argv)
{
    omp_init_lock(&lock);
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(4)
    {
        int number = omp_get_thread_num();
        switch (number) {
        case 0:
            omp_set_lock(&lock);
            arrive();
#pragma omp task if (0)
            stay(argv[1]);
            omp_unset_lock(&lock);
            break;
        case 1:
            wait_for(&arrived, 1);
            arrive();
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            break;
        case 2:
            nested();
            break;
        }
#pragma omp barrier
    }
    return argc - 1;
}
