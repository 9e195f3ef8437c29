/* SPDX-License-Identifier: MIT
 *
 * The loader is busy while OpenMP is used: loader HOW.
 *   meanwhile    libraries are opened and closed while threads enter and leave regions
 *   enables      the same while omp_ompd_enable() is called, where it is there
 *   constructor  the constructor of a plugin has a thread open the first region of the
 *                process and waits for it, inside dlopen()
 *   callback     a region in a callback of dl_iterate_phdr()
 *   thread       a region of another thread for which such a callback waits
 *   closing      the same in the callback's thread, while another one is inside dlclose(), which
 *                waits for the callback
 *   destructor   a region in a destructor, inside dlclose(), with two runtimes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

enum { ROUNDS = 400 };

static int stop;

static void *loads(void *data)
{
    static const char *const names[] = {"libm.so.6", "libz.so.1", "librt.so.1",
                                        "./late.so"};
    for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
        void *handle = dlopen(names[i % 4], i % 2 ? RTLD_NOW : RTLD_LAZY);
        if (handle)
            dlclose(handle);
    }
    return data;
}

static int (*plugin_work)(int);

static void *works(void *data)
{
    for (int i = 0; i < ROUNDS; i++)
        CHECK(plugin_work(2 + i % 2) == 2 + i % 2);
    return data;
}

static void *open_plugin(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY);
    if (!handle) {
        puts(dlerror());
        exit(2);
    }
    plugin_work = (int (*)(int))dlsym(handle, "plugin_work");
    return handle;
}

static void meanwhile(void)
{
    pthread_t loader, worker[2];
    open_plugin("./late.so");
    CHECK(!pthread_create(&loader, NULL, loads, NULL));
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&worker[i], NULL, works, NULL));
    for (int i = 0; i < 2; i++)
        pthread_join(worker[i], NULL);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(loader, NULL);
}

static void enables(void)
{
    void (*enable)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "omp_ompd_enable");
    pthread_t loader;
    CHECK(!pthread_create(&loader, NULL, loads, NULL));
    for (int i = 0; i < 20000 && enable; i++)
        enable();
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(loader, NULL);
}

static void constructor(void)
{
    setenv("LATE_PLUGIN", "thread", 1);
    open_plugin("./late.so");
    CHECK(plugin_work(3) == 3);
}

static int in_callback(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    CHECK(plugin_work(3) == 3);
    return 1;
}

static void callback(void)
{
    open_plugin("./late.so");
    dl_iterate_phdr(in_callback, NULL);
    CHECK(plugin_work(2) == 2);
}

static void *closes(void *handle)
{
    CHECK(dlclose(handle) == 0);
    return NULL;
}

static int in_callback_thread(struct dl_phdr_info *info, size_t size, void *data)
{
    pthread_t thread;
    (void)info, (void)size;
    CHECK(!pthread_create(&thread, NULL, works, data));
    pthread_join(thread, NULL);
    return 1;
}

static void thread_in_callback(void)
{
    open_plugin("./late.so");
    dl_iterate_phdr(in_callback_thread, NULL);
}

/* The team is that of the region before: to create a thread takes a lock that dlclose() holds. */
static int in_callback_closing(struct dl_phdr_info *info, size_t size, void *thread)
{
    (void)info, (void)size;
    CHECK(!pthread_create(thread, NULL, closes, dlopen("libz.so.1", RTLD_NOW)));
    usleep(300000);
    CHECK(plugin_work(3) == 3);
    return 1;
}

static void closing(void)
{
    pthread_t thread;
    open_plugin("./late.so");
    CHECK(plugin_work(3) == 3);
    dl_iterate_phdr(in_callback_closing, &thread);
    pthread_join(thread, NULL);
}

static void destructor(void)
{
    setenv("LATE_PLUGIN", "destructor", 1);
    CHECK(dlopen("./second.so", RTLD_NOW) != NULL);
    void *plugin = open_plugin("./late.so");
    CHECK(dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL); /* its threads are there yet */
    CHECK(dlclose(plugin) == 0);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "meanwhile") == 0)
        meanwhile();
    else if (strcmp(argv[1], "enables") == 0)
        enables();
    else if (strcmp(argv[1], "constructor") == 0)
        constructor();
    else if (strcmp(argv[1], "callback") == 0)
        callback();
    else if (strcmp(argv[1], "thread") == 0)
        thread_in_callback();
    else if (strcmp(argv[1], "closing") == 0)
        closing();
    else if (strcmp(argv[1], "destructor") == 0)
        destructor();
    else
        return 2;
    return check_result(argv[1]);
}
