/* SPDX-License-Identifier: MIT
 *
 * A plugin goes while threads live that have used it, and comes again: unloads PLUGIN
 * ROUNDS. libgomp stays, as its own threads need it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include "check.h"

enum { THREADS = 4 };

static sem_t used, closed;
static int (*plugin_work)(int);

static void *use(void *data)
{
    CHECK(plugin_work(3) == 3);
    sem_post(&used);
    sem_wait(&closed);
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    CHECK(dlopen("libgomp.so.1", RTLD_NOW) != NULL);
    sem_init(&used, 0, 0);
    sem_init(&closed, 0, 0);
    for (int round = 0; round < atoi(argv[2]); round++) {
        void *handle = dlopen(argv[1], RTLD_NOW);
        if (!handle) {
            puts(dlerror());
            return 3;
        }
        plugin_work = (int (*)(int))dlsym(handle, "plugin_work");
        pthread_t thread[THREADS];
        for (int i = 0; i < THREADS; i++)
            CHECK(!pthread_create(&thread[i], NULL, use, NULL));
        for (int i = 0; i < THREADS; i++)
            sem_wait(&used);
        CHECK(dlclose(handle) == 0);
        for (int i = 0; i < THREADS; i++)
            sem_post(&closed);
        for (int i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
    }
    return check_result("unloads");
}
