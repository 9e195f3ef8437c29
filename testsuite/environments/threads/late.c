/* SPDX-License-Identifier: MIT
 *
 * The plugin of loader.c. With LATE_PLUGIN=thread its constructor starts a thread that
 * opens a region, and waits for it: dlopen holds the loader's lock meanwhile.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int plugin_work(int threads);

int plugin_work(int threads)
{
    int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
    {
        members++;
#pragma omp barrier
    }
    return members;
}

static void *first_region(void *data)
{
    printf("in the constructor: %d\n", plugin_work(2));
    fflush(stdout);
    return data;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_t thread;
    if (!getenv("LATE_PLUGIN"))
        return;
    if (!pthread_create(&thread, NULL, first_region, NULL))
        pthread_join(thread, NULL);
}
