/* SPDX-License-Identifier: MIT
 *
 * Programs that crash, or hang, while one of their threads is inside exit().
 */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../common/rest.h"
#include "hang.h"

static volatile int *volatile table;
static volatile int ready;
static volatile double sum;

static void frees(void)
{
    table = NULL;
    for (;;)
        pause();
}

NOINLINE static void look_up(void)
{
    sum += table[1]; /* looks-up */
}

static void *works(void *unused)
{
#pragma omp parallel num_threads(2)
    for (;;) {
        if (omp_get_thread_num() == 1)
            look_up();
        ready = 1;
        usleep(1000);
    }
    return unused;
}

/* main() returns while another thread is in a region, and needs what is destroyed. */
static void returns(void)
{
    static int entries[2];
    pthread_t other;
    table = entries;
    atexit(frees);
    pthread_create(&other, NULL, works, NULL);
    while (!ready)
        usleep(1000);
}

static void destroys(void)
{
    until_others_rest();
    table[0] = 1; /* destroys-at */
}

/* A member of a team ends the program from inside of the region. */
static void member(void)
{
    atexit(destroys);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            exit(1); /* member-exits */
        for (;;)
            pause();
    }
}

/* libgomp cannot make all threads of a team, and calls exit(). */
static void unmade(void)
{
    struct rlimit limit = {512 << 20, 512 << 20};
    atexit(destroys);
    setrlimit(RLIMIT_AS, &limit);
#pragma omp parallel num_threads(64) /* unmade-region */
    sum += 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(returns)
    CASE(member)
    CASE(unmade)
    return 1;
}
