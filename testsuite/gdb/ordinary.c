/* SPDX-License-Identifier: MIT
 *
 * What one debugs on an ordinary day, with teams in between. The argument says which way it
 * ends: "fork", "exec", "signal", "core", or by itself.
 */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int total;
static volatile int steps;

static int twice(int value)
{
    int result = value;
    result += value;
    return result; /* mark: twice */
}

static void team(int size)
{
#pragma omp parallel num_threads(size)
    {
        int number = omp_get_thread_num();
#pragma omp critical
        total += twice(number); /* mark: critical */
#pragma omp barrier
        if (number == 0)
            steps++; /* mark: first */
    }
}

static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
        {
#pragma omp atomic
            steps += i; /* mark: task */
        }
    }
}

static void fork_once(void)
{
    pid_t child = fork(); /* mark: forks */
    if (child == 0) {
        total = twice(total);
        _exit(total != 28); /* mark: child */
    }
    int status;
    waitpid(child, &status, 0);
    steps += status; /* mark: parent */
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    steps = twice(1); /* mark: begin */
    team(4);          /* mark: call */
    if (total != 12)
        return 1;
    tasks();
    total = twice(7); /* mark: after */
    if (strcmp(way, "fork") == 0)
        fork_once();
    if (strcmp(way, "exec") == 0)
        execl(argv[0], argv[0], "again", (char *)NULL);
    if (strcmp(way, "signal") == 0)
        raise(SIGUSR1);
    if (strcmp(way, "wait") == 0)
        while (steps)
            usleep(1000); /* mark: wait */
    printf("%d\n", total); /* mark: end */
    return 0;
}
