/* SPDX-License-Identifier: MIT
 *
 * Moments of which libgomp's memory and records tell different things. With "barriers" a
 * team of four hangs, one half at an explicit barrier and the other at the end of the
 * region; with "target" thread 1 of 2 executes a target region on the host; with "child" the
 * child of a fork opens a region for which libgomp counts on its parent's threads, with "member"
 * and "task" a member of a team has forked, the latter in a task; with "crash" the program
 * aborts as soon as one thread is in the region. Else the first threads of a team stop in its
 * region before the others have begun.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "../common/rest.h"

static volatile int sink;

static void hang(void)
{
#pragma omp parallel num_threads(4) /* mark: region */
    {
        if (omp_get_thread_num() < 2) {
#pragma omp barrier /* mark: barrier */
        }
        sink++;
    }
}

/* Prints the number of the child, which never ends; the parent waits for it. */
static int in_child(void)
{
    pid_t child = fork();
    if (child > 0) {
        printf("%d\n", child);
        fflush(stdout);
        waitpid(child, NULL, 0);
    }
    return child == 0;
}

static void team(void)
{
#pragma omp parallel num_threads(4) /* mark: team */
    __atomic_add_fetch(&sink, 1, __ATOMIC_RELAXED);
}

static void forks_outside(void)
{
    team();
    if (in_child())
        team();
}

static void forks_inside(void)
{
#pragma omp parallel num_threads(3) /* mark: fork */
    {
#pragma omp barrier
        if (omp_get_thread_num() == 1 && in_child())
            sleep(1000); /* mark: member */
    }
}

/* The task that forks is thread 0's, and thread 1 executes it. */
static void forks_in_task(void)
{
    int begun = 0;
#pragma omp parallel num_threads(2) shared(begun)
    if (omp_get_thread_num() == 0) {
#pragma omp task shared(begun)
        {
            __atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
            if (in_child())
                sleep(1000); /* mark: task */
        }
        while (!__atomic_load_n(&begun, __ATOMIC_RELAXED))
            usleep(1000);
        sleep(1000);
    }
}

static void crash(void)
{
#pragma omp parallel num_threads(8)
    abort(); /* mark: abort */
}

static void in_target(void)
{
#pragma omp parallel num_threads(2) /* mark: outer */
    {
        if (omp_get_thread_num() == 1) {
#pragma omp target
#pragma omp parallel num_threads(2) /* mark: inner */
            sleep(1000);
        } else {
            sleep(1000);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "barriers") == 0)
        hang();
    if (argc > 1 && strcmp(argv[1], "target") == 0)
        in_target();
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        forks_outside();
    if (argc > 1 && strcmp(argv[1], "member") == 0)
        forks_inside();
    if (argc > 1 && strcmp(argv[1], "task") == 0)
        forks_in_task();
    if (argc > 1 && strcmp(argv[1], "crash") == 0)
        crash();
    for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(8)
        sink += omp_get_thread_num(); /* mark: first */
    }
    return argv[0] == 0;
}
