/* SPDX-License-Identifier: MIT
 *
 * The plugin of loader.c. With LATE_PLUGIN=thread its constructor starts a thread that
 * opens a region, and waits for it; with LATE_PLUGIN=destructor its destructor opens one.
 * dlopen() and dlclose() hold the loader lock meanwhile.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int is_set(const char *value)
{
    const char *plugin = getenv("LATE_PLUGIN");
    return plugin && strcmp(plugin, value) == 0;
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
    if (!is_set("thread"))
        return;
    if (!pthread_create(&thread, NULL, first_region, NULL))
        pthread_join(thread, NULL);
}

__attribute__((destructor)) static void end(void)
{
    if (!is_set("destructor"))
        return;
    printf("in the destructor: %d\n", plugin_work(3));
    fflush(stdout);
}
