/* SPDX-License-Identifier: MIT
 *
 * What the drivers of both kinds of process share: the totals, the way out, and
 * libFuzzer's way in.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

struct fuzz_totals fuzz_totals;
bool fuzz_endless;
const char *fuzz_running = "nothing";

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: %s: ", fuzz_abi.name, fuzz_running);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* allocator.c guards what was released; new memory each time would be cleared by the system. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one(data, size);
    return 0;
}
