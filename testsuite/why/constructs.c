/* SPDX-License-Identifier: MIT
 *
 * Programs that hang in what a construct asks of the threads of its team: iterations, sections,
 * cancellation, teams of a size. The first argument says in what way.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hang.h"

static omp_lock_t lock;
static volatile int come, stop;
static int x, y;
static volatile int entered;

NOINLINE static void use(int i)
{
    x += i;
}

/* Iteration 3 never posts. */
static void doacross(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(3)
    for (int i = 1; i < 9; i++) {
#pragma omp ordered depend(sink : i - 1) /* doacross-wait */
        use(i);
        if (i == 3)
            continue;
#pragma omp ordered depend(source)
    }
}

/* The lock that the iteration whose turn it is wants has one that waits for its turn. */
static void turn_and_lock(void)
{
    omp_init_lock(&lock);
#pragma omp parallel for ordered schedule(static, 1) num_threads(3)
    for (int i = 0; i < 9; i++) {
        while (!i && !come)
            ;
        omp_set_lock(&lock); /* turn-with-lock */
        come = 1;
#pragma omp ordered
        use(i);
        omp_unset_lock(&lock);
    }
}

/* Iteration 2 takes its time. */
static void posts_late(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(4)
    for (int i = 1; i < 5; i++) {
#pragma omp ordered depend(sink : i - 1)
        while (i == 2)
            pause(); /* late-at */
#pragma omp ordered depend(source)
    }
}

/* The turn of iteration 2, which works. */
static void takes_turns(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(4)
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        while (i == 2) x++; /* turn-works */
    }
}

/* The turn of iteration 2, in which a region is opened. */
static void turn_inside(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for ordered schedule(static, 1) num_threads(4) /* turn-loop */
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        if (i == 2) {
#pragma omp parallel num_threads(2)
            pause(); /* turn-pauses */
        }
    }
}

/* One has requested cancellation; the others are in a loop without a cancellation point. */
NOINLINE static void wait_for_stop(void)
{
    while (!stop) ; /* cancelled-loop */
}

static void cancelled(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
            stop = 1;
        }
        wait_for_stop();
    }
}

/* Two sections wait for what a third brings about, and there are two threads. */
NOINLINE static void await(volatile int *what)
{
    while (!*what)
        usleep(1000); /* await-loop */
}

static void sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        await(&come);
#pragma omp section
        await(&come);
#pragma omp section
        come = 1;
    }
}

/* More threads are expected than OMP_THREAD_LIMIT allows. */
static void smaller(void)
{
    omp_set_num_threads(8);
#pragma omp parallel
    {
        __atomic_fetch_add(&come, 1, __ATOMIC_SEQ_CST);
        while (come < 8)
            usleep(1000); /* smaller-wait */
    }
}

/* The same, as a clause asks. */
static void clause(void)
{
#pragma omp parallel num_threads(6)
    {
        __atomic_fetch_add(&come, 1, __ATOMIC_SEQ_CST);
        while (come < 6)
            usleep(1000); /* clause-wait */
    }
}

/* A worksharing construct that not all encounter. */
static void workshare(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() != 1) {
#pragma omp for
            for (int i = 0; i < 100; i++)
                use(i);
        }
#pragma omp barrier
        use(1);
#pragma omp barrier /* workshare-barrier */
    }
}

/* Its holder has destroyed it. */
static void destroyed(void)
{
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    omp_destroy_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock); /* destroyed-wants */
        omp_unset_lock(&lock);
    }
}

static void uninitialised(void)
{
    memset(&lock, 0x5a, sizeof lock);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock); /* uninitialised-wants */
        omp_unset_lock(&lock);
    }
}

NOINLINE static void count(void)
{
#pragma omp critical(counts) /* counts-wants */
    x++;
}

static void sleeps(void)
{
    for (;;)
        pause(); /* exit-sleeps */
}

/* libgomp cannot make the threads of a team, and calls exit(). */
static void no_threads(void)
{
    struct rlimit limit = {512 << 20, 512 << 20};
    atexit(sleeps);
    setrlimit(RLIMIT_AS, &limit);
#pragma omp parallel num_threads(64)
    use(1);
}

/* exit() runs a handler that enters the section from which it was called. */
static void exits(void)
{
    atexit(count);
#pragma omp parallel num_threads(3)
    {
        meet(3);
        if (omp_get_thread_num() == 0) {
#pragma omp critical(counts)
            {
                entered = 1;
                exit(0);
            }
        }
        while (!entered)
            usleep(1000);
#pragma omp critical(counts)
        x++;
    }
}

/* Another thread is in the section at the time of fork, and is not in the child. */
static void fork_in_critical(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp critical(counts)
            {
                come = 1;
                pause();
            }
        } else {
            while (!come)
                usleep(1000);
            pid_t child = fork();
            if (!child)
                count();
            printf("%d\n", (int)child);
            fflush(stdout);
            waitpid(child, NULL, 0);
        }
    }
}

/* A stub: only the name is that of MPI. */
NOINLINE int MPI_Recv(void *buffer)
{
    int (*volatile wait)(void) = pause;
    return buffer ? wait() + 1 : 0;
}

static void mpi(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        y = MPI_Recv(&x);
#pragma omp barrier /* mpi-barrier */
        use(1);
    }
}

/* A task and its creator wait for another task, and there are two threads. */
static void starved(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            meet(2);
            await(&come);
        }
        meet(2);
#pragma omp task
        come = 1;
        await(&come);
    }
}

static int ready;

/* The flag is read once. */
static void flag(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        while (!ready) /* flag-spins */
            ;
    } else {
        usleep(10000);
        ready = 1;
    }
}

/* The same, of all threads. */
static void all_flags(void)
{
#pragma omp parallel num_threads(3)
    while (!ready) /* all-spin */
        ;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(doacross)
    CASE(turn_and_lock)
    CASE(posts_late)
    CASE(takes_turns)
    CASE(turn_inside)
    CASE(cancelled)
    CASE(sections)
    CASE(smaller)
    CASE(clause)
    CASE(workshare)
    CASE(destroyed)
    CASE(uninitialised)
    CASE(exits)
    CASE(no_threads)
    CASE(fork_in_critical)
    CASE(mpi)
    CASE(starved)
    CASE(flag)
    CASE(all_flags)
    return 1;
}
