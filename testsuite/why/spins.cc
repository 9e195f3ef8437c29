// SPDX-License-Identifier: MIT
//
// Flags that nobody sets, polled by loops that call, or have a condition of two parts.
#include <atomic>
#include <omp.h>

#include "hang.h"

std::atomic<bool> published; // not static: nobody would write it
static volatile int end_flag, other_flag;

static int has_ended()
{
    return end_flag;
}

static void atomic()
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() > 0)
        while (!published) ; // atomic-spins
}

static void function()
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() > 0)
        while (!has_ended()) ;
}

static void two_parts()
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() > 0)
        while (!end_flag && !other_flag) ; // parts-spin
}

static void all()
{
#pragma omp parallel num_threads(3)
    while (!end_flag) ; // all-spin
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(atomic)
    CASE(function)
    CASE(two_parts)
    CASE(all)
    return 1;
}
