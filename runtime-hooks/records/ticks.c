/* SPDX-License-Identifier: MIT
 *
 * The counter that events are timed by, and its readings with the clock; see ticks.h.
 */
#include "records/ticks.h"
#include "core/clock.h"

#include <sys/prctl.h>

/* Ticks that one reading of counter and clock may take, and how often it is tried. */
enum { LONGEST_READING = 1 << 12, READINGS = 4 };

bool ticks_has_counter; /* else the coarse clock counts, from here on */

/* Ticks and nanoseconds of the clock at one moment, and ticks in 2^PACE_BITS nanoseconds. */
enum { PACE_BITS = 20 };
static struct {
    uint64_t ticks, time, pace;
} coarse = {0, 0, 1u << PACE_BITS};

/* In cache lines of its own: all threads read it. */
struct ticks_base ticks_base __attribute__((aligned(128)));

uint64_t NOINLINE ticks_coarse(void)
{
    uint64_t passed = clock_now() - coarse.time, rest = passed & ((1u << PACE_BITS) - 1);
    return coarse.ticks + (passed >> PACE_BITS) * coarse.pace + (rest * coarse.pace >> PACE_BITS);
}

/* A program may have forbidden itself to read the counter. */
static bool may_count(void)
{
#if defined(__x86_64__) || defined(__i386__)
    int mode;
    return prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_ENABLE;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

static uint64_t time_now(void)
{
    struct clock_time now = {0, 0};
    clock_read(ticks_has_counter ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

/* Reads the counter and the clock together: once more if the thread was interrupted in between. */
static void read_both(uint64_t *ticks, uint64_t *time)
{
    uint64_t before, after;
    unsigned left = READINGS;
    do {
        before = ticks_now();
        *time = time_now();
        after = ticks_now();
    } while (after - before > LONGEST_READING && --left);
    *ticks = before + (after - before) / 2;
}

void NOINLINE ticks_read_clock(void)
{
    struct rec_clock *clock = &ticks_base.rec;
    if (__atomic_exchange_n(&ticks_base.busy, 1, __ATOMIC_ACQUIRE))
        return; /* another thread does it */
    clock->seq++;
    publish_order();
    read_both(&clock->last_ticks, &clock->last_time);
    publish_order();
    clock->seq++;
    __atomic_store_n(&ticks_base.busy, 0, __ATOMIC_RELEASE);
}

void ticks_start(void)
{
    if (ompd_hooks_root.clock)
        return;
    ticks_has_counter = may_count();
    struct rec_clock *clock = &ticks_base.rec;
    read_both(&clock->start_ticks, &clock->start_time);
    clock->last_ticks = clock->start_ticks;
    clock->last_time = clock->start_time;
    ompd_hooks_root.clock = (uintptr_t)clock;
}

void ticks_forked(void)
{
    ticks_base.busy = 0;
    ticks_base.rec.seq &= ~1u;
}

void ticks_lose_counter(void)
{
    if (!ticks_has_counter)
        return;
    uint64_t ticks, time;
    read_both(&ticks, &time);
    uint64_t span = ticks - ticks_base.rec.start_ticks, passed = time - ticks_base.rec.start_time;
    for (; span >> (63 - PACE_BITS); passed >>= 1)
        span >>= 1;
    if (passed)
        coarse.pace = (span << PACE_BITS) / passed;
    coarse.ticks = ticks;
    coarse.time = clock_now();
    __atomic_store_n(&ticks_has_counter, false, __ATOMIC_RELEASE);
}
