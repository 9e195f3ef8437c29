/* SPDX-License-Identifier: MIT
 *
 * One function for each construct that has a body, to be stepped through. The statement
 * before a construct is marked too: its line is that of the call that opens the construct.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int total, met;
static int cells[8], none;

static void work(int n)
{
    total += n; /* mark: work */
}

static void plain(void)
{
    int before = total; /* mark: plain_before */
#pragma omp parallel num_threads(3)
    {
        int n = before; /* mark: plain_first */
        work(n);        /* mark: plain_last */
    }
    work(1); /* mark: plain_after */
}

static void loops(void)
{
    total++; /* mark: static_before */
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++) {
        cells[i] = i; /* mark: static_first */
        cells[i]++;   /* mark: static_last */
    }
    work(1); /* mark: static_after */
    total++; /* mark: dynamic_before */
#pragma omp parallel for num_threads(2) schedule(dynamic, 8)
    for (int i = 0; i < 8; i++)
        cells[i] = i;
    work(1); /* mark: dynamic_after */
    total++; /* mark: none_before */
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < none; i++)
        cells[i] = i; /* mark: none_first */
    work(1);          /* mark: none_after */
}

static void sections(void)
{
    int last = 0;
    total++; /* mark: sections_before */
#pragma omp parallel sections num_threads(1) lastprivate(last)
    {
#pragma omp section
        work(last = 1); /* mark: sections_first */
    }
    work(last); /* mark: sections_after */
}

/* Returns once two threads are here. */
static void meet(void)
{
    met++;
    while (met % 2)
        usleep(1000);
}

__attribute__((noinline)) static void last(void)
{
    total++; /* mark: last */
}

/* Nothing of the user's is behind the calls; at -O2 they are jumps. */
static void last_calls(void)
{
    total++; /* mark: sharing_before */
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            meet();
            last();
        }
#pragma omp section
        {
            meet();
            last();
        }
    }
    total++; /* mark: calling_before */
#pragma omp parallel num_threads(2)
    last();
    total++; /* mark: calling_after */
}

/* A worker runs the task while the primary thread waits for it, if that is quick enough. */
static void grouped(void)
{
    atomic_int begun = 0; /* mark: grouped_before */
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp taskgroup
    {
#pragma omp task shared(begun)
        {
            begun++;
            usleep(50000);
            total++; /* mark: grouped_last */
        }
        while (!begun)
            usleep(1000);
    }
    total++; /* mark: grouped_after */
}

static void nested(void)
{
    total++; /* mark: nested_before */
#pragma omp parallel num_threads(2)
    {
        total++; /* mark: nested_first */
#pragma omp parallel num_threads(2)
        {
            work(1); /* mark: inner_first */
        }
        work(1); /* mark: outer_last */
    }
    work(1); /* mark: nested_after */
}

static void serialized(void)
{
    total++; /* mark: serialized_before */
#pragma omp parallel if (total < 0)
    work(1); /* mark: serialized_first */
    work(1); /* mark: serialized_after */
}

static void one_line(void)
{
    total++; /* mark: one_before */
    _Pragma("omp parallel num_threads(2)") work(1); /* mark: one_first */
    work(1); /* mark: one_after */
}

#define IN_PARALLEL(call) _Pragma("omp parallel num_threads(2)") call

static void hidden(void)
{
    total++;              /* mark: hidden_before */
    IN_PARALLEL(work(1)); /* mark: hidden_first */
    work(1);              /* mark: hidden_after */
}

static void undeferred(void)
{
    total++; /* mark: undeferred_before */
#pragma omp task if (0)
    {
        work(1); /* mark: undeferred_first */
        work(1); /* mark: undeferred_last */
    }
    work(1); /* mark: undeferred_after */
}

/* The thread that makes the tasks does not run them: it waits until another has. */
static void deferred(void)
{
    atomic_int done = 0; /* mark: deferred_region */
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 3; i++) {
            total++; /* mark: deferred_before */
#pragma omp task firstprivate(i) shared(done)
            {
                cells[i] = i; /* mark: deferred_first */
                done++;       /* mark: deferred_last */
            }
        }
        while (done < 3)
            usleep(1000);
        work(1);
    }
    work(1); /* mark: deferred_after */
}

static void taskloop(void)
{
    total++; /* mark: taskloop_before */
#pragma omp taskloop
    for (int i = 0; i < 4; i++)
        cells[i] = i; /* mark: taskloop_first */
    work(1);          /* mark: taskloop_after */
}

static void devices(void)
{
    total++; /* mark: teams_before */
#pragma omp teams num_teams(2)
    {
        work(1); /* mark: teams_first */
    }
    work(1); /* mark: teams_after */
    total++; /* mark: target_before */
#pragma omp target map(tofrom : cells)
    {
        cells[0] = 1; /* mark: target_first */
    }
    work(1); /* mark: target_after */
}

/* A region that never ends, but by the end of the program in one of its threads. */
static void forever(int dies)
{
    total++; /* mark: forever_before */
#pragma omp parallel num_threads(2)
    {
        work(1); /* mark: forever_first */
        if (omp_get_thread_num() == 1 && dies) {
            usleep(500000); /* others of the runtime's threads fall asleep */
            exit(3);
        }
        for (;;) {
            usleep(1000); /* mark: forever_loop */
            total++;      /* mark: forever_last */
        }
    }
}

int main(int argc, char **argv)
{
    plain();
    loops();
    sections();
    serialized();
    one_line();
    hidden();
    nested();
    undeferred();
    deferred();
    taskloop();
    devices();
    last_calls();
    grouped();
    if (argc > 1)
        forever(argv[1][0] == 'd');
    printf("%d\n", total);
    return 0;
}
