/* SPDX-License-Identifier: MIT
 *
 * Threads of the program's own that use OpenMP and end: many TOTAL AT_ONCE TEAM. AT_ONCE
 * live at the same time, each opens a region of TEAM threads while all the others are
 * there.
 */
#include <pthread.h>
#include <stdlib.h>
#include "check.h"

static pthread_barrier_t all;
static int team;
static long members, locked;

static void *use(void *data)
{
    long here = 0;
    pthread_barrier_wait(&all);
#pragma omp parallel num_threads(team) reduction(+ : here)
    {
        here++;
#pragma omp critical
        locked++;
#pragma omp task shared(here)
        __asm__ volatile("");
    }
    __atomic_add_fetch(&members, here, __ATOMIC_RELAXED);
    pthread_barrier_wait(&all);
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int total = atoi(argv[1]), at_once = atoi(argv[2]);
    team = atoi(argv[3]);
    pthread_t *threads = malloc((size_t)at_once * sizeof(*threads));
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    pthread_barrier_init(&all, NULL, (unsigned)at_once);
    for (int done = 0; done < total; done += at_once) {
        for (int i = 0; i < at_once; i++)
            if (pthread_create(&threads[i], &small, use, NULL)) {
                puts("no more threads");
                return 1;
            }
        for (int i = 0; i < at_once; i++)
            pthread_join(threads[i], NULL);
    }
    CHECK(members == (long)total * team && locked == members);
    free(threads);
    return check_result("many");
}
