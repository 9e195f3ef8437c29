/* SPDX-License-Identifier: MIT
 *
 * A program without OpenMP, as one that has closed the library with all of it: the code in which
 * a thread is, and began, is unmapped.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hang.h"

#ifdef __x86_64__
static const unsigned char endless[] = {0xf3, 0x90, 0xeb, 0xfc}; /* pause; jmp */
#else
static const unsigned endless[] = {0x14000000}; /* b . */
#endif

static void unmaps(void)
{
    pthread_t other;
    char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0);
    memcpy(code, endless, sizeof endless);
    __builtin___clear_cache(code, code + sizeof endless);
    pthread_create(&other, NULL, (void *(*)(void *))code, NULL);
    usleep(100000);
    munmap(code, 4096);
    pthread_join(other, NULL);
}

/* A function of a library that has been closed. */
static void closes(void)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);
    double (*volatile function)(double);
    *(void **)&function = dlsym(library, "exp2");
    if (dlclose(library) == 0)
        function(1);
}

/* The same by a pointer to a function, of a thread whose own code is there. */
static void null(void)
{
    void (*volatile function)(void) = NULL;
    function();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(unmaps)
    CASE(closes)
    CASE(null)
    return 1;
}
