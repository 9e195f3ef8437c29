/* SPDX-License-Identifier: MIT
 *
 * Each event that can be caught, told by every function of the runtime that tells of it.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

omp_lock_t grid_lock;
omp_nest_lock_t nest_lock;
static atomic_int total, done;

static void sections_of(int who)
{
#pragma omp critical(update) /* mark: named */
    total += who;
#pragma omp critical /* mark: unnamed */
    total += who;
    omp_set_lock(&grid_lock); /* mark: lock */
    total += who;
    omp_unset_lock(&grid_lock); /* mark: unlock */
    omp_set_nest_lock(&nest_lock); /* mark: nest_lock */
    omp_unset_nest_lock(&nest_lock);
}

static void meets(int who)
{
    total += who;
#pragma omp barrier /* mark: barrier */
    total += who; /* mark: after_barrier */
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; i++)
        total += i;
    total += who; /* mark: after_loop */
}

static void once(void)
{
    int got = 0;
    total++;
#pragma omp single /* mark: single */
    total++;
    total++;
#pragma omp single copyprivate(got) /* mark: copy */
    got = 2;
    total += got;
}

static void turns(void)
{
    total++;
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2; i++) {
        total += i;
#pragma omp ordered /* mark: ordered */
        total += i;
    }
}

static void tasks(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i) /* mark: task */
        {
            total += i; /* mark: in_task */
            done++;
        }
    }
#pragma omp taskwait /* mark: taskwait */
    total++;
}

/* Untied tasks with points where they may be suspended: clang divides them into parts; and one that
 * is not deferred. */
static void parts(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task untied firstprivate(i) /* mark: untied */
        {
            total += i;
#pragma omp task /* mark: tied */
            total++;
#pragma omp taskwait
            total += i;
#pragma omp taskyield
            total += i;
        }
#pragma omp task if (0) /* mark: undeferred */
        total++;
    }
}

static void shared_out(void)
{
    total++;
#pragma omp parallel for schedule(dynamic) num_threads(2) /* mark: third */
    for (int i = 0; i < 4; i++)
        total++;
}

static void offloaded(void)
{
    int there = 0;
#pragma omp target map(tofrom : there) /* mark: target */
    there++;
    total += there;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "wait") == 0) {
        puts("waiting");
        fflush(stdout);
        while (argc)
            usleep(1000); /* mark: waits */
    }
    if (argc > 1 && strcmp(argv[1], "parts") == 0) {
        parts();
        return 0;
    }
    omp_init_lock(&grid_lock);
    omp_init_nest_lock(&nest_lock);
    total++;
#pragma omp parallel num_threads(3) /* mark: first */
    {
        int who = omp_get_thread_num();
        sections_of(who);
        meets(who);
        once();
        turns();
    }
    total++; /* mark: between */
#pragma omp parallel num_threads(2) /* mark: second */
#pragma omp single
    tasks();
    total++; /* mark: after */
    shared_out();
    offloaded();
    printf("%d\n", done);
    fflush(stdout);
    if (argc > 2 && strcmp(argv[1], "exec") == 0)
        execl(argv[2], argv[2], (char *)0);
    return 0;
}
