/* SPDX-License-Identifier: MIT
 *
 * The moment at which something happens, for records: coarse, and without a system call.
 */
#ifndef OMPD_HOOKS_CLOCK_H
#define OMPD_HOOKS_CLOCK_H

#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* Structure of the kernel's own function, also in 32-bit processes. */
struct clock_time {
    int64_t seconds, nanoseconds;
};
extern int (*clock_read)(clockid_t clock, struct clock_time *now);

/* When recording starts. */
void clock_start(void);

/* Nanoseconds of CLOCK_MONOTONIC, up to a tick of the kernel too early; 0: not known. */
static inline uint64_t clock_now(void)
{
    struct clock_time now;
    clock_read(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

#pragma GCC visibility pop

#endif
