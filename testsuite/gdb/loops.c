/* SPDX-License-Identifier: MIT
 *
 * Constructs that have no function of their own, met by a function that a region calls and in
 * the region itself. With the argument "hold" a thread stays in the static loop.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile int hits, holds;

APART static void touch(int n)
{
    hits += n; /* mark: callee */
    if (holds && n == 5) {
        puts("holding");
        fflush(stdout);
        while (holds)
            pause();
    }
}

APART static void orphaned(int n)
{
    hits++; /* mark: before */
#pragma omp for schedule(static) /* mark: orphan */
    for (int i = 0; i < n; i++)
        touch(i); /* mark: static */
    hits++; /* mark: after */
#pragma omp for schedule(dynamic) nowait /* mark: by_chance */
    for (int i = 0; i < n; i++) {
        hits++;
        if (i == 2)
            hits++; /* mark: dynamic */
    }
    hits++; /* mark: between */
}

APART static void others(int n)
{
#pragma omp sections /* mark: sections */
    {
#pragma omp section /* mark: section */
        hits++; /* mark: in_section */
#pragma omp section
        hits++;
    }
#pragma omp single /* mark: single */
    {
        hits++; /* mark: in_single */
        hits++;
    }
#pragma omp for ordered /* mark: ordered_loop */
    for (int i = 0; i < n; i++) {
#pragma omp ordered /* mark: ordered */
        hits++; /* mark: in_ordered */
    }
}

static void region(int n)
{
#pragma omp parallel num_threads(2) /* mark: region */
    {
        orphaned(n);
        others(n);
#pragma omp for /* mark: loop */
        for (int i = 0; i < n; i++) {
#pragma omp critical(update) /* mark: update */
            {
                hits++; /* mark: in_update */
#pragma omp critical /* mark: unnamed */
                touch(1);
            }
#pragma omp task if (0) /* mark: task */
            {
                hits++; /* mark: in_task */
#pragma omp critical(other) /* mark: other */
                hits++; /* mark: in_other */
            }
        }
#pragma omp taskgroup /* mark: taskgroup */
        {
            hits++; /* mark: in_taskgroup */
        }
        hits++;
#pragma omp master /* mark: master */
        hits++; /* mark: in_master */
    }
}

static void combined(int n)
{
#pragma omp parallel for num_threads(2) /* mark: combined */
    for (int i = 0; i < n; i++)
#pragma omp critical /* mark: in_combined */
        hits++; /* mark: in_both */
}

int main(int argc, char **argv)
{
    holds = argc > 1 && strcmp(argv[1], "hold") == 0;
    region(8);
    combined(8);
    return 0;
}
