/* SPDX-License-Identifier: MIT
 *
 * Threads that wait for, and are in, whatever may have a name. names.py changes the names in the
 * files: those that begin with "name_", and this file's own.
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#line 14 "name_file_______________________________________________________"

#define A name_lock_______________________________________________________
#define MEMBER name_member_____________________________________________________
#define FUNCTION name_function___________________________________________________
#define VARIABLE name_variable___________________________________________________

#ifdef LIBRARY
void wait_in_library(void)
{
    for (;;)
        pause();
}
#else
static omp_lock_t A;
static struct { int before; omp_lock_t MEMBER; } pair;
static int VARIABLE;

__attribute__((noinline)) static void FUNCTION(omp_lock_t *first, omp_lock_t *second)
{
    omp_set_lock(first);
    usleep(200000);
    omp_set_lock(second);
}

static void wait_in_task(void)
{
#pragma omp task depend(out : VARIABLE)
    FUNCTION(&A, &A);
#pragma omp task depend(in : VARIABLE)
    VARIABLE++;
#pragma omp taskwait
}

int main(void)
{
    char *name = getenv("NAME");
    void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);
    void (*wait)(void) = (void (*)(void))dlsym(library, "wait_in_library");

    prctl(PR_SET_NAME, name);
    omp_init_lock(&A);
    omp_init_lock(&pair.MEMBER);
#pragma omp parallel num_threads(6)
    {
        int number = omp_get_thread_num();
        prctl(PR_SET_NAME, name);
        if (number == 0) {
            FUNCTION(&pair.MEMBER, &A);
        } else if (number == 1) {
            FUNCTION(&A, &pair.MEMBER);
        } else if (number < 4) {
#pragma omp critical(name_critical___________________________________________________)
            wait();
        } else if (number == 4) {
            usleep(100000);
            wait_in_task();
        } else {
            wait();
        }
    }
    return 0;
}
#endif
