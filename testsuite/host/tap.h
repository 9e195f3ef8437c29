/* SPDX-License-Identifier: MIT
 *
 * TAP for the host's tests in C: one line per case, the plan at the end.
 */
#ifndef HOST_TAP_H
#define HOST_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_cases, tap_failures;

static inline bool tap_ok(bool ok, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline bool tap_ok(bool ok, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%sok %d - ", ok ? "" : "not ", ++tap_cases);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    tap_failures += !ok;
    fflush(stdout);
    return ok;
}

static inline int tap_end(void)
{
    printf("1..%d\n", tap_cases);
    return tap_failures != 0;
}

/* The test cannot run here: one line with the reason instead of a plan. */
static inline int tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}

#endif
