/* SPDX-License-Identifier: MIT
 *
 * Programs that handle signals, which may end a wait or not. The first argument says in what way.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../common/rest.h"
#include "hang.h"

static omp_lock_t lock, other;
static int x, y;

NOINLINE static void count(void)
{
#pragma omp critical(counts) /* counts-wants */
    x++;
}

static void on_signal(int number)
{
    (void)number;
    count();
}

/* A handler enters the section in which the signal came. */
static void handler(void)
{
    signal(SIGUSR1, on_signal);
#pragma omp parallel num_threads(3)
    {
        meet(3);
        if (omp_get_thread_num() == 0) {
#pragma omp critical(counts)
            raise(SIGUSR1);
        }
    }
}

static omp_event_handle_t expected;

static void fulfils(int number)
{
    (void)number;
    omp_fulfill_event(expected);
}

/* A timer's handler will, one day. */
static void handled(void)
{
    omp_event_handle_t event;
    signal(SIGALRM, fulfils);
    alarm(3600);
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task detach(event)
        expected = event;
#pragma omp taskwait /* handled-wait */
        y = x;
    }
}

static void releases(int number)
{
    (void)number;
    omp_unset_lock(&lock);
}

/* Another one will. */
static void released(void)
{
    signal(SIGALRM, releases);
    alarm(3600);
    omp_set_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock); /* released-wants */
        omp_unset_lock(&lock);
    }
}

/* It may run in a thread that has one of these. */
static void crossed(void)
{
    signal(SIGALRM, releases);
    alarm(3600);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(omp_get_thread_num() ? &other : &lock);
        meet(2);
        omp_set_lock(omp_get_thread_num() ? &lock : &other); /* crossed-wants */
        x++;
    }
}

static sem_t ready;

static void posts(int number)
{
    (void)number;
    sem_post(&ready);
}

/* A handler may post a semaphore. */
static void posted(void)
{
    signal(SIGALRM, posts);
    alarm(3600);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        sem_wait(&ready); /* posted-waits */
        x++;
    }
}

/* So may that of the signal by which servers are asked to end. */
static void quits(void)
{
    signal(SIGQUIT, posts);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        sem_wait(&ready); /* quits-waits */
        y++;
    }
}

/* The same where the region's body jumps to the wait if it is optimised, and so has no frame. */
static void posted_last(void)
{
    signal(SIGALRM, posts);
    alarm(3600);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        sem_wait(&ready);
}

static void all_posted(void)
{
    signal(SIGALRM, posts);
    alarm(3600);
#pragma omp parallel num_threads(2)
    {
        sem_wait(&ready);
        x++;
    }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void signals(int number)
{
    (void)number;
    pthread_cond_signal(&changed);
}

/* Nor may a handler signal a condition variable, but some do. */
static void signalled(void)
{
    signal(SIGALRM, signals);
    alarm(3600);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex); /* signalled-waits */
        pthread_mutex_unlock(&mutex);
    }
}

static sigjmp_buf out;

static void leaves(int number)
{
    siglongjmp(out, number);
}

/* A handler leaves a loop that has no exit. */
static void left(void)
{
    signal(SIGALRM, leaves);
    alarm(3600);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0 && !sigsetjmp(out, 1))
        for (;;) /* left-loops */
            ;
}

static int post_later(void *unused)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sleep(3600);
    sem_post(&ready);
    return unused != NULL;
}

/* A process that is no thread of this one has its memory, and will post. */
static void shared(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    clone(post_later, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        sem_wait(&ready); /* shared-waits */
        x++;
    }
}

static void say_ready(void)
{
    printf("%d\n", (int)getpid());
    fflush(stdout);
}

/* Thread 1 holds the lock that thread 0 waits for, and sends it a signal there. */
static void interrupt_wait(void (*handle)(int))
{
    pthread_t first = pthread_self();
    signal(SIGUSR1, handle);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
        omp_set_lock(&lock);
        meet(2);
        until_others_rest();
        pthread_kill(first, SIGUSR1);
    } else {
        meet(2);
        if (!sigsetjmp(out, 1))
            omp_set_lock(&lock);
        say_ready();
        pause(); /* jumped-pauses */
    }
}

/* The handler leaves the wait, which stays in the record. */
static void jumped(void)
{
    interrupt_wait(leaves);
}

static void logs(int number)
{
    (void)number;
    pthread_mutex_lock(&mutex);
    say_ready();
    pthread_mutex_lock(&mutex); /* interrupted-wants */
}

/* It waits for something else. */
static void interrupted(void)
{
    interrupt_wait(logs);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    omp_init_lock(&lock);
    omp_init_lock(&other);
    CASE(handler)
    CASE(handled)
    CASE(released)
    CASE(crossed)
    CASE(posted)
    CASE(quits)
    CASE(posted_last)
    CASE(all_posted)
    CASE(signalled)
    CASE(left)
    CASE(shared)
    CASE(jumped)
    CASE(interrupted)
    return 1;
}
