/* SPDX-License-Identifier: MIT
 *
 * tap.h.
 */
#include "tap.h"

#include <stdarg.h>

static int cases, failures;

bool tap_ok(bool ok, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%sok %d - ", ok ? "" : "not ", ++cases);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    failures += !ok;
    fflush(stdout);
    return ok;
}

void tap_skip(const char *name, const char *reason)
{
    printf("ok %d - %s # SKIP %s\n", ++cases, name, reason);
}

int tap_end(void)
{
    printf("1..%d\n", cases);
    return failures != 0;
}

int tap_skip_all(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}
