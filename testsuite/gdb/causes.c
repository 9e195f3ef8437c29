/* SPDX-License-Identifier: MIT
 *
 * What explains how threads got where they are: a team that is smaller than asked for, loops,
 * a cancelled region, the child of a fork. Each stops at its mark; the argument says which.
 */
#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int near, go;
static volatile int hits;

static void until(int many)
{
    while (near < many)
        usleep(1000);
    until_others_rest();
}

static void levels(void)
{
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(3) /* mark: outer */
    if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(4) /* mark: inner */
        hits++; /* mark: levels */
    }
}

static void loop(void)
{
#pragma omp parallel num_threads(3)
#pragma omp for schedule(dynamic, 4)
    for (int i = 10; i < 1000; i += 2) {
        near++;
        until(3);
        if (i == 10)
            hits++; /* mark: loop */
        while (!go)
            usleep(1000);
    }
}

static void doacross(void)
{
#pragma omp parallel num_threads(3)
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 6; i++) {
        near += i > 2;
        if (i == 2) { /* of thread 2; 0 and 1 are posted; 3 waits for 2, 4 for 3 */
            while (near < 2)
                usleep(1000);
            usleep(10000); /* libgomp's threads spin there */
            hits++; /* mark: doacross */
        }
#pragma omp ordered depend(sink : i - 1)
        hits++;
#pragma omp ordered depend(source)
    }
}

static void cancelled(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            near++;
#pragma omp cancel parallel
        }
        until(1);
        hits++; /* mark: cancel */
    }
}

static void forks(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            until(0); /* the others get to the end */
            pid_t child = fork();
            if (child == 0) {
                hits++; /* mark: child */
                _exit(0);
            }
            waitpid(child, 0, 0);
        }
    }
}

int main(int argc, char **argv)
{
    static void (*const scene[])(void) = {levels, loop, doacross, cancelled, forks};
    static const char *const name[] = {"levels", "loop", "doacross", "cancel", "child"};
    for (unsigned i = 0; argc > 1 && i < sizeof scene / sizeof *scene; i++) {
        if (strcmp(argv[1], name[i]) == 0)
            scene[i]();
    }
    return 0;
}
