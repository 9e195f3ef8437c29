/* SPDX-License-Identifier: MIT
 *
 * Where the time goes, known to the program itself: top KIND prints, once its input has ended, the share of
 * its two threads' time that was work, and that of the time in which the section was held. With top KIND
 * SECONDS it does so after that time, and sleeps.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <omp.h>

#define TASKS 6

static double work[2], held, began, limit;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* In milliseconds, and the time of whoever lets this thread wait for a processor. */
static double run_for(double milliseconds)
{
    double first = now(), last;

    do
        last = now();
    while (last - first < milliseconds / 1e3);
    work[omp_get_thread_num()] += last - first;
    return last - first;
}

static int goes_on(void)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};

    return limit ? now() - began < limit : poll(&input, 1, 0) == 0;
}

static void loop(double first, double second)
{
    while (goes_on()) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
        for (int i = 0; i < 2; i++)
            run_for(i ? second : first);
    }
}

static void sections(double inside, double outside)
{
    int more = 1;

#pragma omp parallel num_threads(2)
    while (more) {
#pragma omp critical(update)
        held += run_for(inside);
        run_for(outside);
#pragma omp barrier
#pragma omp single
        more = goes_on();
    }
}

static void tasks(void)
{
    while (goes_on()) {
#pragma omp parallel num_threads(2)
#pragma omp single
        {
            for (int i = 0; i < TASKS; i++)
#pragma omp task
                run_for(10);
#pragma omp taskwait
        }
    }
}

/* A region that is hardly one, as short on any machine, and tasks that are hardly any. */
static void small(int count)
{
    while (goes_on()) {
#pragma omp parallel num_threads(count ? 2 : 1)
        for (int i = 0; i < count; i++)
#pragma omp task
            work[omp_get_thread_num()] += 1e-9;
    }
}

/* Teams of two sizes, for each of which threads are made or ended. */
static void sizes(void)
{
    while (goes_on())
        for (int size = 2; size <= 8; size += 6) {
            double until = now() + 1e-4;
#pragma omp parallel num_threads(size)
            while (now() < until)
                ;
        }
}

static void serial(void)
{
    while (goes_on()) {
        run_for(30);
#pragma omp parallel num_threads(2)
        run_for(10);
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    double all;

    limit = argc > 2 ? atof(argv[2]) : 0;
    began = now();
    if (!strcmp(kind, "uneven"))
        loop(10, 30);
    else if (!strcmp(kind, "lopsided"))
        loop(3, 42);
    else if (!strcmp(kind, "even"))
        loop(20, 20);
    else if (!strcmp(kind, "held"))
        sections(24, 8);
    else if (!strcmp(kind, "free"))
        sections(1, 30);
    else if (!strcmp(kind, "tasks"))
        tasks();
    else if (!strcmp(kind, "regions"))
        small(0);
    else if (!strcmp(kind, "small"))
        small(1000);
    else if (!strcmp(kind, "sizes"))
        sizes();
    else
        serial();
    all = now() - began;
    printf("%.3f %.3f\n", (work[0] + work[1]) / all / 2, held / all);
    fflush(stdout);
    if (limit)
        pause();
    return 0;
}
