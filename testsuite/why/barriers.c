/* SPDX-License-Identifier: MIT
 *
 * Barriers that somebody does not come to. The first argument says in what way.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../common/rest.h"
#include "hang.h"

static int ready, used;
static double result;

NOINLINE static void use(int i)
{
    __atomic_fetch_add(&used, i, __ATOMIC_RELAXED);
}

NOINLINE static void share(int last)
{
    for (int i = 0; i < 10; i++) {
        if (omp_get_thread_num() == last && i == 5)
            return;
#pragma omp barrier /* mismatch-barrier */
    }
}

static void mismatch(void)
{
#pragma omp parallel num_threads(4) /* mismatch-end */
    share(3);
}

static void mismatch_of_two(void)
{
#pragma omp parallel num_threads(2)
    share(1);
}

/* A thread leaves one barrier out, and goes on; each is met by another one from then on. */
static void parts(void)
{
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 100; i++) {
        if (i != 10 || omp_get_thread_num() != 1) {
#pragma omp barrier /* parts-first */
        }
#pragma omp barrier /* parts-second */
    }
}

/* One leaves out a barrier, meets the others at the next one, and is waited for behind that. */
static void meets(void)
{
    static volatile int flag;
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num();
        while (me < 2 && !flag)
            usleep(1000); /* meets-polls */
        if (me != 3) {
#pragma omp barrier /* meets-first */
            use(me);
        }
        if (me == 3) {
#pragma omp barrier /* meets-other */
            flag = 1;
        } else {
#pragma omp barrier
            use(1);
        }
    }
}

NOINLINE static void single_left(void)
{
    if (omp_get_thread_num() == 1)
        return;
    int value;
#pragma omp single copyprivate(value) /* single-left */
    value = 1;
    result = value;
}

static void copyprivate(void)
{
#pragma omp parallel num_threads(3)
    single_left();
}

/* Leaves before the loop that the others share. */
NOINLINE static void smooth(double *values)
{
    if (omp_get_thread_num() == 2)
        return;
#pragma omp for /* returns-loop */
    for (int i = 0; i < 64; i++)
        values[i] = values[i] * 0.5 + 1;
    result = values[0];
}

static void returns(void)
{
    double values[64] = {0};
#pragma omp parallel num_threads(4)
    smooth(values);
}

/* Past a loop and its barrier to another one. */
static void jumps(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            goto done;
#pragma omp for /* jumps-loop */
        for (int i = 0; i < 64; i++)
            use(i);
        use(1);
    done:
        use(2);
    }
}

/* Not all come to a single construct, at the end of which all wait. */
NOINLINE static void start(void)
{
    if (omp_get_thread_num() == 0)
        return;
#pragma omp single /* single-left-out */
    use(3);
    use(4);
}

static void single(void)
{
#pragma omp parallel num_threads(3)
    start();
}

NOINLINE static void newton(volatile double x)
{
    for (;;)
        x = x * 0.5 + 1.0; /* endless-works */
}

static void endless(void)
{
#pragma omp parallel for num_threads(4) /* endless-end */
    for (int i = 0; i < 4; i++)
        if (i == 3)
            newton(i);
}

NOINLINE static void simulate(void)
{
    time_t end = time(NULL) + 600;
    while (time(NULL) < end)
        result = result * 0.5 + 1; /* working-works */
}

static void working(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2)
            simulate();
#pragma omp barrier /* working-barrier */
        result++;
    }
}

static void reads(void)
{
    int ends[2];
    char byte;
    if (pipe(ends))
        return;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            result += read(ends[0], &byte, 1); /* reads-in */
#pragma omp barrier /* reads-barrier */
    }
}

static sem_t tick;

static void post(int number)
{
    (void)number;
    sem_post(&tick);
}

/* A timer's handler ends that wait, one day. */
static void ticks(void)
{
    sem_init(&tick, 0, 0);
    signal(SIGALRM, post);
    alarm(3600);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            sem_wait(&tick); /* ticks-in */
#pragma omp barrier
        result++;
    }
}

static void *helper(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void joins(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, helper, NULL);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            pthread_join(thread, NULL); /* joins-in */
#pragma omp barrier /* joins-barrier */
    }
}

/* Nobody sets it. */
static volatile int flags[2];

static void polled_flag(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0)
        while (!flags[1]) /* polled-flag-spins */
            ;
}

/* More threads than processors: none has one for long. */
static void many(void)
{
#pragma omp parallel num_threads(40)
    if (omp_get_thread_num())
        while (!flags[1]) /* many-spin */
            ;
}

/* Several on one processor. */
static void crowded(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num())
        while (!flags[0]) /* crowded-spin */
            ;
}

static void yielding(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0)
        while (!flags[1])
            sched_yield(); /* yielding-at */
}

/* No debugger stops a thread whose child has its memory. */
static void vforks(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1 && !vfork()) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                pause();
        }
#pragma omp barrier
    }
}

static void unset(void)
{
#pragma omp parallel num_threads(2)
    while (!omp_get_thread_num() && !*(volatile int *)&ready) /* unset-spins */
        ;
}

/* The same, but it sleeps in between. */
static void polled(void)
{
#pragma omp parallel num_threads(3)
    {
        while (omp_get_thread_num() == 1 && !*(volatile int *)&ready)
            usleep(1000); /* polled-sleeps */
#pragma omp barrier
        result++;
    }
}

/* Has a child of fork do something, and waits for it. */
static void in_child(void (*what)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        what();
        _exit(0);
    }
    printf("%d\n", (int)child);
    fflush(NULL);
    waitpid(child, NULL, 0);
}

static void sum_of_4(void)
{
#pragma omp parallel for num_threads(4) /* fork-for */
    for (int i = 0; i < 100; i++)
        result += i;
    result--;
}

static void forked(void)
{
#pragma omp parallel num_threads(4)
    result = 1;
    in_child(sum_of_4);
}

/* The same at a barrier within the region. */
static void meet_of_4(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp barrier
        result = 1;
    }
}

static void forked_meets(void)
{
    meet_of_4();
    in_child(meet_of_4);
}

/* The child's team takes threads of the parent's pool, and has some made: these are given the stacks
 * that those have left. */
static void fork_outgrown(void)
{
#pragma omp parallel num_threads(3)
    result = 1;
    in_child(sum_of_4);
}

static void begin(void)
{
#pragma omp parallel num_threads(2)
    while (!*(volatile int *)&ready) /* begins-at */
        ready = omp_get_thread_num();
}

/* Threads of the pool sleep as it forks, and their place is taken as they had left it: the child's
 * body begins, and waits for another member. */
static void fork_begins(void)
{
#pragma omp parallel num_threads(2)
    result = 1;
    until_others_rest();
    in_child(begin);
}

/* A member ends as no member may. */
static void member_ends(void)
{
#pragma omp parallel num_threads(4) /* member-ends-end */
    if (omp_get_thread_num() == 2)
        pthread_exit(NULL); /* member-ends-exits */
}

/* The same in a child of fork, which has made all threads itself. */
static void fork_ends(void)
{
    in_child(member_ends);
}

/* All others sleep, again and again. */
static void sleepers(void)
{
#pragma omp parallel num_threads(4)
    {
        while (omp_get_thread_num())
            usleep(200000);
#pragma omp barrier
    }
}

/* Every other one sleeps, and the first works. */
static void others(void)
{
#pragma omp parallel num_threads(80)
    {
        while (omp_get_thread_num() % 2)
            usleep(200000);
        while (!omp_get_thread_num())
            result++;
#pragma omp barrier
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(mismatch)
    CASE(mismatch_of_two)
    CASE(parts)
    CASE(meets)
    CASE(copyprivate)
    CASE(returns)
    CASE(jumps)
    CASE(single)
    CASE(endless)
    CASE(working)
    CASE(reads)
    CASE(ticks)
    CASE(sleepers)
    CASE(others)
    CASE(joins)
    CASE(many)
    CASE(crowded)
    CASE(yielding)
    CASE(vforks)
    CASE(unset)
    CASE(polled_flag)
    CASE(polled)
    CASE(forked)
    CASE(forked_meets)
    CASE(fork_outgrown)
    CASE(fork_begins)
    CASE(fork_ends)
    CASE(member_ends)
    return 1;
}
