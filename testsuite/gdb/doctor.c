/* SPDX-License-Identifier: MIT
 *
 * What "ompd doctor" is to find: the arguments are how many threads a team is to have, and in
 * what way something is wrong.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int hits;

static void here(int way)
{
    hits += way; /* mark: here */
}

#ifdef WITH_MPI
int MPI_Init(int *argc, char ***argv);
#endif

static void bind_all(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof one, &one);
    for (int cpu = 0, kept = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &one) && kept++)
            CPU_CLR(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

__attribute__((noinline)) static void deep(size_t size)
{
    volatile char block[size];
    block[0] = block[size - 1] = 1;
    here(block[0]);
}

#ifdef LARGE
static void large(int threads)
{
    char block[LARGE << 10];
#pragma omp parallel private(block) num_threads(threads)
    {
        memset(block, 1, sizeof block);
        __asm__ volatile("" ::"r"(block) : "memory");
        hits += block[threads];
    }
}
#endif

int main(int argc, char **argv)
{
    int threads = atoi(argv[1]);
    const char *way = argc > 2 ? argv[2] : "";
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
#ifdef LARGE
    if (!strcmp(way, "large"))
        large(threads);
#endif
    if (!strcmp(way, "outside"))
        here(1);
#pragma omp parallel num_threads(threads)
    {
        if (!strcmp(way, "bound"))
            bind_all();
#pragma omp barrier
        if (!strcmp(way, "stack") && omp_get_thread_num() == threads - 1)
            deep(200 << 10);
        else if (!strcmp(way, "nested")) {
#pragma omp parallel num_threads(threads)
            {
#pragma omp barrier
                if (omp_get_thread_num() == 1 && omp_get_ancestor_thread_num(1) == 1)
                    here(1);
            }
        } else if (!omp_get_thread_num() && strcmp(way, "stack"))
            here(1);
#pragma omp barrier
#pragma omp cancel parallel if (hits > 100)
    }
    return 0;
}
