/* SPDX-License-Identifier: MIT
 *
 * Comes to rest in the situation that its argument names, and nobody prepared it. What a
 * debugger should find is in test-gomp-still.c.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void rest(void)
{
    for (;;)
        pause();
}

static void ready(void)
{
    puts("ready");
    fflush(stdout);
}

static void pass_barriers(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp barrier
    }
}

/* No valid program: the barrier is not met by all. Compiled as if it were, it hangs. */
static void in_two(void)
{
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1) {
            void (*volatile meet)(void) = pass_barriers;
            meet();
        }
        if (omp_get_thread_num() > 1)
            rest();
    }
}

omp_lock_t simple_lock, free_lock, wanted_lock;
omp_nest_lock_t nest_lock, free_nest, task_nest;
int no_lock = 77;

/* Thread 1 holds a nest lock twice, a task of thread 2 another, thread 3 a simple lock
 * that thread 0 wants. */
static void with_locks(void)
{
    omp_init_lock(&simple_lock);
    omp_init_lock(&free_lock);
    omp_init_lock(&wanted_lock);
    omp_init_nest_lock(&nest_lock);
    omp_init_nest_lock(&free_nest);
    omp_init_nest_lock(&task_nest);
#pragma omp parallel num_threads(4)
    {
        int number = omp_get_thread_num();
        if (number == 1) {
            omp_set_nest_lock(&nest_lock);
            omp_set_nest_lock(&nest_lock);
            omp_set_lock(&simple_lock);
            omp_set_nest_lock(&free_nest);
            omp_unset_nest_lock(&free_nest);
        }
        if (number == 3)
            omp_set_lock(&wanted_lock);
#pragma omp barrier
        if (number == 0)
            omp_set_lock(&wanted_lock);
        if (number == 2) {
#pragma omp task if (0)
            {
                omp_set_nest_lock(&task_nest);
                rest();
            }
        }
        rest();
    }
}

int item_a, item_b, item_c, item_d;

/* Two threads, one of them busy, so that what is created stays where it is: a task that
 * runs and two that read what it writes, one that waits for these, one that waits by way
 * of mutexinoutset, one that is ready, one whose event nobody fulfils. */
static void with_dependences(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_event_handle_t event;
            volatile int begun = 0;
#pragma omp task detach(event) shared(begun)
            begun = 2 + 0 * (event == 0);
#pragma omp task depend(out : item_a, item_d) shared(begun)
            {
                while (begun != 2)
                    usleep(100);
                begun = 1;
                rest();
            }
            while (begun != 1)
                usleep(100);
#pragma omp task depend(in : item_a)
            rest();
#pragma omp task depend(in : item_a) depend(out : item_b)
            rest();
#pragma omp task depend(inout : item_a)
            rest();
#pragma omp task depend(mutexinoutset : item_d)
            rest();
#pragma omp task depend(mutexinoutset : item_d)
            rest();
#pragma omp task
            rest();
            rest();
        } else {
#pragma omp taskwait
        }
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} situations[] = {
    {"two", in_two},
    {"locks", with_locks},
    {"dependences", with_dependences},
};

int main(int argc, char **argv)
{
    alarm(120);
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    for (size_t i = 0; i < sizeof situations / sizeof *situations; i++) {
        if (argc > 1 && strcmp(argv[1], situations[i].name) == 0) {
            ready();
            situations[i].run();
        }
    }
    return 1;
}
