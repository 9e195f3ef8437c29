/* SPDX-License-Identifier: MIT
 *
 * Another library that is preloaded and stands before libgomp, as profilers do: it counts
 * regions and explicit tasks, hands them on, and says in the end how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

static long regions, tasks, settings;

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool,
               unsigned, void **, int, void *);
void omp_set_num_threads(int);

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    static void (*next)(void (*)(void *), void *, unsigned, unsigned);
    if (!next)
        next = (void (*)(void (*)(void *), void *, unsigned, unsigned))dlsym(
            RTLD_NEXT, "GOMP_parallel");
    __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
    next(body, data, threads, flags);
}

void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *), long size,
               long align, bool deferrable, unsigned flags, void **depend, int priority,
               void *detach)
{
    typedef void task_fn(void (*)(void *), void *, void (*)(void *, void *), long, long,
                         bool, unsigned, void **, int, void *);
    static task_fn *next;
    if (!next)
        next = (task_fn *)dlsym(RTLD_NEXT, "GOMP_task");
    __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
    next(body, data, copy, size, align, deferrable, flags, depend, priority, detach);
}

void omp_set_num_threads(int threads)
{
    void (*next)(int) = (void (*)(int))dlsym(RTLD_NEXT, "omp_set_num_threads");
    __atomic_add_fetch(&settings, 1, __ATOMIC_RELAXED);
    if (next)
        next(threads);
}

__attribute__((destructor)) static void report(void)
{
    if (regions)
        fprintf(stderr, "%ld regions, %ld tasks, %ld settings\n", regions, tasks,
                settings);
}
