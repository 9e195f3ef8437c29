/* SPDX-License-Identifier: MIT
 *
 * OpenMP before main and after it: constructors, atexit handlers and destructors open
 * regions and take locks.
 */
#include <omp.h>
#include <stdlib.h>
#include "check.h"

static omp_lock_t lock;

static int team(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    {
        n++;
#pragma omp barrier
#pragma omp critical
        n += 0;
    }
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    return n;
}

__attribute__((constructor)) static void first(void)
{
    omp_init_lock(&lock);
    printf("constructor: %d\n", team());
}

__attribute__((destructor)) static void last(void)
{
    printf("destructor: %d\n", team());
    fflush(stdout);
}

static void at_exit(void)
{
    printf("atexit: %d\n", team());
}

int main(void)
{
    atexit(at_exit);
    CHECK(team() == 2);
    return check_result("constructors");
}
