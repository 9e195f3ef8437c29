/* SPDX-License-Identifier: MIT
 *
 * How a program of this directory checks itself. CHECK() may be used by any thread; the
 * first failures are printed and make the exit status 1. Everything that reaches stdout
 * must be the same in every run: the driver compares it byte for byte.
 */
#ifndef PROGRAMS_CHECK_H
#define PROGRAMS_CHECK_H

#include <stdio.h>

#define MAX_SHOWN_FAILURES 10

static int check_failures;

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition))                                                              \
            check_failed(__LINE__, #condition);                                        \
    } while (0)

__attribute__((unused)) static void check_failed(int line, const char *text)
{
    if (__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) <= MAX_SHOWN_FAILURES)
        printf("line %d: expected %s\n", line, text);
}

/* The exit status of main(). */
__attribute__((unused)) static int check_result(const char *name)
{
    int failures = __atomic_load_n(&check_failures, __ATOMIC_RELAXED);
    printf("%s: %s\n", name, failures ? "FAILED" : "as expected");
    return failures ? 1 : 0;
}

#endif
