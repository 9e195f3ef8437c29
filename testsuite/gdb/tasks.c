/* SPDX-License-Identifier: MIT
 *
 * Explicit tasks: one thread waits in a taskwait for the task `child`, which another one
 * runs; a third in a taskgroup; `child_runs` is reached when both wait. `ordered` stops
 * one thread in an ordered region that the next one waits for. At `late` and `in_loop` others
 * are in the implicit barrier at the end of a region, and at that of a loop.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "../common/rest.h"

static atomic_int waiting, begun, released;
static int hits;

static void child(int which)
{
    begun++;
    while (begun < 2 || waiting < 2)
        usleep(1000);
    if (which == 1) {
        until_others_rest();
        hits++; /* mark: child_runs */
        released = 1;
    }
    while (!released)
        usleep(1000);
}

static void waits_for_children(void)
{
#pragma omp task /* mark: task */
    child(1);
    while (begun < 1)
        usleep(1000);
    waiting++;
#pragma omp taskwait /* mark: taskwait */
}

static void waits_for_group(void)
{
#pragma omp taskgroup /* mark: taskgroup */
    {
#pragma omp task
        child(2);
        while (begun < 2)
            usleep(1000);
        waiting++;
    }
}

static void end(void)
{
#pragma omp parallel num_threads(3) /* mark: region */
    {
        if (omp_get_thread_num() == 1) {
            until_others_rest();
            hits++; /* mark: late */
        }
    }
#pragma omp parallel num_threads(3) /* mark: second */
    {
#pragma omp for /* mark: loop */
        for (int i = 0; i < 3; i++) {
            if (omp_get_thread_num() == 2) {
                until_others_rest();
                hits++; /* mark: in_loop */
            }
        } /* mark: loop_end */
    }
}

int main(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0)
            waits_for_children();
        else if (omp_get_thread_num() == 1) {
            while (begun < 1)
                usleep(1000);
            waits_for_group();
        }
    }
#pragma omp parallel for ordered num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++) {
#pragma omp ordered /* mark: ordered */
        {
            if (i == 0)
                until_others_rest();
            hits++; /* mark: in_ordered */
        }
    }
    end();
    printf("%d\n", hits);
    return 0;
}
