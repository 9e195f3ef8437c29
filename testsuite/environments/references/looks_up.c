/* SPDX-License-Identifier: MIT
 *
 * Asks the dynamic linker for functions of an OpenMP runtime, as plugins and interpreters
 * do to find out whether the process has one, and calls what it gets.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static void call_if_there(void *handle, const char *where)
{
    void (*set)(int) = (void (*)(int))dlsym(handle, "omp_set_num_threads");
    int (*max)(void) = (int (*)(void))dlsym(handle, "omp_get_max_threads");
    void (*barrier)(void) = (void (*)(void))dlsym(handle, "GOMP_barrier");
    if (set)
        set(2);
    if (max && max() < 1)
        puts("no threads");
    if (barrier)
        barrier();
    printf("%s: done\n", where);
    fflush(stdout);
}

int main(void)
{
    call_if_there(RTLD_DEFAULT, "in the process");
    call_if_there(RTLD_NEXT, "behind the program");
    void *self = dlopen(NULL, RTLD_LAZY);
    call_if_there(self, "in the program");
    printf("version %s\n",
           dlvsym(RTLD_DEFAULT, "omp_none", "OMP_1.0") ? "there" : "not there");
    return 0;
}
