/* SPDX-License-Identifier: MIT
 *
 * A module that brings a runtime with it, as a Python package does. NAME_run() never rests:
 * teams of changing sizes, nested ones, and calls of another module from inside them. Every
 * thread keeps its entry in NAME_truths up to date with what its runtime tells it, as in
 * truth.h. NAME_park() stays in a region, NAME_hold() in one that NAME_first() or NAME_second()
 * of another module calls from a region, NAME_follow() in a doacross loop, NAME_once() leaves a region.
 */
#define _GNU_SOURCE
#define JOINED(name, what) name##_##what
#define EXPANDED(name, what) JOINED(name, what)
#define NAME(what) EXPANDED(MODULE, what)

#define TRUTH_TABLE NAME(truths)
#define WORK 100000
#include "truth-entry.h"

static volatile int keeps_on = 1;

void NAME(inner)(void)
{
#pragma omp parallel num_threads(2)
    {
        settle(0);
        work(3);
        unsettle();
    }
}

void NAME(start)(void)
{
    truth_start();
    omp_set_max_active_levels(2);
}

void NAME(run)(void (*other)(void))
{
    for (unsigned round = 0; keeps_on; round++) {
#pragma omp parallel num_threads(2 + round % 3)
        {
            settle(0);
            work(2 + round % 4 * 8); /* mostly longer than it takes to make a team */
            if (other && round % 2)
                other();
            work(1 + round % 3 * 5);
            unsettle();
            if (round % 5 == 0)
                NAME(inner)();
        }
    }
}

void NAME(once)(void)
{
    NAME(inner)();
}

void NAME(park)(void)
{
#pragma omp parallel num_threads(3)
    {
        settle(0);
        if (omp_get_thread_num() == 0)
            for (;;)
                pause(); /* mark: parked */
#pragma omp barrier
    }
}

void NAME(hold)(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            for (;;)
                pause();
#pragma omp barrier
    }
}

static void call(int number, void (*other)(void))
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == number)
        other();
}

void NAME(first)(void (*other)(void))
{
    call(0, other);
}

void NAME(second)(void (*other)(void))
{
    call(1, other);
}

void NAME(follow)(void)
{
#pragma omp parallel for num_threads(4) ordered(1) schedule(static, 1)
    for (int i = 0; i < 4; i++) {
        if (i == 0)
            for (;;)
                pause();
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
    }
}
