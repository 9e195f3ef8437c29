/* SPDX-License-Identifier: MIT
 *
 * Stacks of all kinds. `nested`: a worker of an inner region that a worker of the outer one
 * met, while another worker has left its inner region. `leaf`: a task that another thread
 * created, which runs one itself. `last`: a task that runs at the end of its region. `loop`:
 * a combined construct. `held`, `handler`: inside a critical section and a signal handler.
 * With the argument "hold" it stays at `nested`. `deep`: a recursion of as many calls as the argument says, in a worker.
 */
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int arrived, released, begun, creator = -1;
static int hits, holds;

static void hold(void)
{
    if (holds) {
        puts("holding");
        fflush(stdout);
        while (holds)
            pause();
    }
}

static void relax(int outer)
{
#pragma omp parallel num_threads(2) /* mark: inner */
    {
        arrived++;
        if (outer == 1 && omp_get_thread_num() == 1) {
            while (arrived < 4)
                usleep(1000);
            until_others_rest();
            hits++; /* mark: nested */
            hold();
            released = 1;
        }
        if (outer == 0 && omp_get_thread_num() == 1)
            ; /* waits at the end of the region */
        else
            while (!released)
                usleep(1000);
    }
}

static void jacobi(void)
{
#pragma omp parallel num_threads(2) /* mark: outer */
    relax(omp_get_thread_num());
}

static void leaf(void)
{
    begun++;
    while (begun < 2)
        usleep(1000);
    if (omp_get_thread_num() != creator) {
        until_others_rest();
        hits++; /* mark: leaf */
        released = 2;
    }
    while (released < 2)
        usleep(1000);
}

static void walk(int depth)
{
    if (depth == 0) {
        creator = omp_get_thread_num();
        for (int i = 0; i < 2; i++) {
#pragma omp task /* mark: leaf_task */
            leaf();
        }
#pragma omp taskwait /* mark: leaf_wait */
        return;
    }
#pragma omp task if (0) /* mark: walk_task */
    walk(depth - 1);
}

static void tree(void)
{
#pragma omp parallel num_threads(2) /* mark: tree_region */
#pragma omp single
    walk(2);
}

static void last_task(void)
{
    hits++; /* mark: last */
}

static void at_end(void)
{
#pragma omp parallel num_threads(2) /* mark: end_region */
    if (omp_get_thread_num() == 0) {
#pragma omp task /* mark: last_task */
        last_task();
    }
}

static void loops(int n)
{
#pragma omp parallel for num_threads(2) schedule(dynamic) /* mark: for */
    for (int i = 0; i < n; i++)
        if (i == 1)
            hits++; /* mark: loop */
}

static void update(void)
{
#pragma omp critical(update) /* mark: critical */
    hits++; /* mark: held */
}

static void sections(void)
{
#pragma omp teams num_teams(1) /* mark: league */
#pragma omp parallel num_threads(2) /* mark: in_league */
    if (omp_get_thread_num() == 1)
#pragma omp critical /* mark: unnamed */
        hits++; /* mark: team */
#pragma omp parallel num_threads(2) /* mark: loop_region */
#pragma omp single
#pragma omp taskloop num_tasks(1) /* mark: taskloop */
    for (int i = 0; i < 2; i++)
        hits++; /* mark: in_taskloop */
}

static void on_signal(int number)
{
    hits += number; /* mark: handler */
}

static void recurse(int depth)
{
    if (depth > 0)
        recurse(depth - 1);
    hits++; /* mark: deep */
}

static void others(int depth)
{
    signal(SIGUSR1, on_signal);
#pragma omp parallel num_threads(2) /* mark: others */
    if (omp_get_thread_num() == 1) {
        update();
        raise(SIGUSR1);
        recurse(depth);
    }
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 10;
    holds = argc > 1 && strcmp(argv[1], "hold") == 0;
    omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(3);
    jacobi();
    hits++; /* mark: serial */
    tree();
    at_end();
    loops(4);
    sections();
    others(depth);
    return 0;
}
