/* SPDX-License-Identifier: MIT
 *
 * Programs that crash, or hang, while one of their threads is inside exit(), or on another one's stack.
 */
#include <omp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <ucontext.h>
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

static void polls(void)
{
    while (ready < 2)
        usleep(1000); /* exit-polls */
}

static void *rests(void *unused)
{
#pragma omp parallel num_threads(2)
    for (;;) {
        ready = 1;
        pause();
    }
    return unused;
}

/* A function that exit() calls waits for a thread that goes on in a region. */
static void polls_at_exit(void)
{
    pthread_t other;
    atexit(polls);
    pthread_create(&other, NULL, rests, NULL);
    while (!ready)
        usleep(1000);
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

static jmp_buf start;
static ucontext_t fiber[2], suspended[2];

NOINLINE static void rest(void)
{
    for (;;)
        pause();
}

NOINLINE static void leap_out(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        longjmp(start, 1);
    }
}

/* A member of a team goes on where the initial thread was, on the stack of that. */
static void leaps(void)
{
    if (setjmp(start))
        rest();
    leap_out();
}

static void leaps_and_aborts(void)
{
    if (setjmp(start))
        abort();
    leap_out();
}

/* Healthy: members run on stacks of their own, in memory of the initial thread's and of the program's,
 * which is below all others. */
static void fibers(void)
{
    static char low[1 << 16];
    char inside[sizeof low], *stacks[] = {inside, low};
    for (int i = 0; i < 2; i++) {
        getcontext(&fiber[i]);
        fiber[i].uc_stack = (stack_t){.ss_sp = stacks[i], .ss_size = sizeof low};
        makecontext(&fiber[i], rest, 0);
    }
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() % 3)
        swapcontext(&suspended[omp_get_thread_num() - 1], &fiber[omp_get_thread_num() - 1]);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(returns)
    CASE(polls_at_exit)
    CASE(member)
    CASE(unmade)
    CASE(leaps)
    CASE(leaps_and_aborts)
    CASE(fibers)
    return 1;
}
