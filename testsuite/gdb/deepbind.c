/* SPDX-License-Identifier: MIT
 *
 * With LIBRARY a library, else the program that loads it: with RTLD_DEEPBIND, or without where a second
 * argument is given. One thread acquires a lock that the library releases; another one has the library
 * acquire it, and works.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

#ifdef LIBRARY
void release(omp_lock_t *lock)
{
    omp_unset_lock(lock);
}

void acquire(omp_lock_t *lock)
{
    omp_set_lock(lock);
}
#else
static omp_lock_t lock;

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], argc > 2 ? RTLD_NOW : RTLD_NOW | RTLD_DEEPBIND);
    void (*release)(omp_lock_t *) = dlsym(library, "release");
    void (*acquire)(omp_lock_t *) = dlsym(library, "acquire");
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        if (!omp_get_thread_num()) {
            omp_set_lock(&lock);
            release(&lock);
        }
#pragma omp barrier
        if (omp_get_thread_num())
            acquire(&lock);
#pragma omp barrier
        while (omp_get_thread_num())
            sleep(1000);
        omp_set_lock(&lock);
    }
}
#endif
