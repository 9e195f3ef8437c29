/* SPDX-License-Identifier: MIT
 *
 * Tasks in leaf() whose creators are in various states: one is still at work in another thread,
 * one has ended, and of one the thread has left the body that created it.
 */
#include <omp.h>
#include <unistd.h>

#include "../common/rest.h"

static volatile int hits;
static volatile int made;
static volatile int begun;

static void wait_for(volatile int *what)
{
    while (*what == 0)
        usleep(1000);
}

static void leaf(int number)
{
    until_others_rest();
    hits += number; /* mark: leaf */
}

static void parent(void)
{
#pragma omp task /* mark: orphan */
    {
        wait_for(&made);
        leaf(1);
    }
}

static void creators(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            parent();
            begun = 1;
        }
        wait_for(&begun);
        made = 1;
        wait_for(&hits); /* mark: at_work */
    }
}

static void leaves(void)
{
    begun = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task /* mark: left */
        {
            begun = 1;
            leaf(2);
        }
        wait_for(&begun);
    }
}

static void works(void)
{
    begun = hits = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task /* mark: served */
        {
            begun = 1;
            leaf(3);
        }
        wait_for(&hits); /* mark: serving */
    }
}

int main(void)
{
    creators();
    leaves();
    works();
    return 0;
}
