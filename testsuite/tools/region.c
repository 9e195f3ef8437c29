/* SPDX-License-Identifier: MIT
 *
 * A program for registration.py: regions, a task, control of a tool, and with an argument
 * a child that has regions of its own.
 */
#include <omp-ompd.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_TOOL
#include "small.c"
#endif

static int region(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp single
#pragma omp task
        __asm__ volatile("");
        sum++;
    }
    return sum;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "fork-first") == 0) {
        fflush(stdout);
        if (fork() == 0)
            return region() != 2;
        wait(NULL);
    }
    printf("program: %d\n", region());
#ifndef ALONE /* without the hooks there is no such function */
    int argument = 0;
    printf("program: control %d %d\n", omp_control_tool(1, 2, &argument),
           omp_control_tool(99, 0, NULL));
#endif
    if (argc > 1 && strcmp(argv[1], "fork-after") == 0) {
        fflush(stdout);
        if (fork() == 0) {
            int one = 0;
#pragma omp parallel num_threads(1)
            one = 1;
            printf("child: %d\n", one);
            return 0;
        }
        wait(NULL);
    }
    printf("program: %d\n", region());
    return 3;
}
