/* SPDX-License-Identifier: MIT
 *
 * Programs that a signal ends in a worker, or in a thread of their own, while others wait for it.
 */
#include <assert.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/rest.h"
#include "hang.h"

static double result;

NOINLINE static void store(volatile double *where)
{
    *where = 1.0; /* segv-at */
}

static void segv(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 2) {
        until_others_rest();
        store((double *)16);
    }
}

/* A pointer that was read from memory which somebody has freed. */
static void wild(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 2) {
        until_others_rest();
        store((double *)0xa5a5a5a5a5a5a5a5);
    }
}

static void raises(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        raise(SIGSEGV); /* raises-at */
    }
}

NOINLINE static double fill(int last)
{
    volatile double work[4 << 20]; /* 32 MiB */
    for (int i = last; i >= 0; i--)
        work[i] = i;
    return work[last / 2];
}

static void overflow(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        result = fill((4 << 20) - 1); /* overflow-at */
    }
}

NOINLINE static int descend(int depth)
{
    volatile char frame[200];
    frame[depth % 200] = 1;
    return descend(depth + 1) + frame[depth % 200];
}

/* Nothing ends it. */
static void recursion(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        result = descend(0);
    }
}

/* An array whose size is computed, and a function of libc that writes to it. */
NOINLINE static double blend(size_t size)
{
    char *work = __builtin_alloca(size);
    memset(work, 1, size);
    return work[size / 2];
}

static void computed(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        result = blend(3 << 19);
    }
}

/* The same in the first thread, whose stack is larger. */
static void computed_first(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0) {
        until_others_rest();
        result = blend(24 << 20);
    }
}

static void *opens(void *unused)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        volatile char work[600000];
        for (int i = 0; i < 600000; i++)
            work[i] = 1;
        result = work[7];
    }
    return unused;
}

/* A frame that is larger than the stack of a thread of the program: it reaches into others' memory. */
static void small(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    pthread_create(&thread, &attributes, opens, NULL);
    pthread_join(thread, NULL);
}

/* Of its stack the system sets the limit. */
static void initial(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0) {
        until_others_rest();
        result = fill((4 << 20) - 1);
    }
}

enum { STACK = 1 << 20, BEYOND = 1 << 15 };

/* A frame that is larger than the stack: its lower end is in the stack of another thread, and
 * what is written first that cannot be is the guard between them. */
NOINLINE static double reach(int last)
{
    volatile char work[STACK + BEYOND];
    for (int i = last; i >= 0; i--)
        work[i] = 1; /* overshoot-at */
    return work[last];
}

static void overshoot(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        result = reach(BEYOND + (1 << 14));
    }
}

static void aborts(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        abort(); /* aborts-at */
    }
}

static void asserts(void)
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1) {
        until_others_rest();
        assert(result > 1); /* asserts-at */
    }
}

static double *made;

/* The second task uses what the first makes, and does not depend on it. */
static void task(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : made)
        {
            usleep(500000);
            made = &result;
        }
#pragma omp task /* task-of */
        store(made);
    }
}

static void *stores(void *where)
{
    store(where);
    return NULL;
}

/* A thread that OpenMP does not know. */
static void plain(void)
{
    pthread_t other;
#pragma omp parallel num_threads(2)
    meet(2);
    pthread_create(&other, NULL, stores, (void *)16);
    pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(segv)
    CASE(wild)
    CASE(raises)
    CASE(overflow)
    CASE(recursion)
    CASE(initial)
    CASE(computed)
    CASE(computed_first)
    CASE(small)
    CASE(overshoot)
    CASE(aborts)
    CASE(asserts)
    CASE(task)
    CASE(plain)
    return 1;
}
