/* SPDX-License-Identifier: MIT
 *
 * What the kernels share: a random number that depends on its argument only, so that
 * results are the same for any number of threads, and how each says that its result is
 * right.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the next state; the state is any number. */
__attribute__((unused)) static uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* From 0 to 1. */
__attribute__((unused)) static double fraction(uint64_t x)
{
    return (double)(scramble(x) >> 11) / 9007199254740992.0;
}

__attribute__((unused)) static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        abort();
    return memory;
}

/* The exit status of main(). */
__attribute__((unused)) static int verdict(const char *name, int right)
{
    printf("%s: %s\n", name, right ? "right" : "WRONG");
    return !right;
}

#endif
