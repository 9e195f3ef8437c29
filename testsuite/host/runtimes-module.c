/* SPDX-License-Identifier: MIT
 *
 * A module that brings a runtime with it, as a Python package does. NAME_run() never rests:
 * teams of changing sizes, nested ones, and calls of another module from inside them. Every
 * thread keeps its entry in NAME_truths up to date with what its runtime tells it, as in
 * gomp-truth.h. NAME_park() stays in a region, NAME_hold() in one that NAME_first() or NAME_second()
 * of another module calls from a region, NAME_follow() in a doacross loop, NAME_once() leaves a region.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <unistd.h>

#include "gomp-truth.h"
#include "truth-entry.h"

#define JOINED(name, what) name##_##what
#define EXPANDED(name, what) JOINED(name, what)
#define NAME(what) EXPANDED(MODULE, what)

struct gomp_truth NAME(truths)[GOMP_TRUTHS];

static __thread struct gomp_truth *mine;
static volatile unsigned long work_done;
static volatile int keeps_on = 1;

static void now(uint32_t what)
{
    if (!mine)
        mine = truth_take(NAME(truths), sizeof *mine, GOMP_TRUTHS);
    IN_ORDER();
    mine->stable = what;
    IN_ORDER();
}

static void settle(void)
{
    now(TRUTH_UNKNOWN);
    mine->num = (uint32_t)omp_get_thread_num();
    mine->team = (uint32_t)omp_get_num_threads();
    mine->level = (uint32_t)omp_get_level();
    now(TRUTH_WORKS);
}

static void work(unsigned amount)
{
    for (unsigned i = 0; i < amount * 100000; i++)
        work_done++;
}

void NAME(inner)(void)
{
#pragma omp parallel num_threads(2)
    {
        settle();
        work(3);
        now(TRUTH_UNKNOWN);
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
            settle();
            work(2 + round % 4 * 8); /* mostly longer than it takes to make a team */
            if (other && round % 2)
                other();
            work(1 + round % 3 * 5);
            now(TRUTH_UNKNOWN);
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
        settle();
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
