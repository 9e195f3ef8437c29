/* SPDX-License-Identifier: MIT
 *
 * What events are timed by: a counter of the processor, which record clock gives the time of.
 */
#ifndef OMPD_HOOKS_TICKS_H
#define OMPD_HOOKS_TICKS_H

#include "core/hooks.h"
#include "records/records.h"

#pragma GCC visibility push(hidden)

struct ticks_base {
    struct rec_clock rec;
    uint32_t busy;
};
extern struct ticks_base ticks_base;
extern bool ticks_has_counter;

/* Before the first event; later calls do nothing. */
void ticks_start(void);

/* In the child of a fork: another thread may have been reading the clock. */
void ticks_forked(void);

/* Before a program forbids itself to read the processor's counter: from here on the coarse clock
 * counts, at the pace that the counter has had. */
void ticks_lose_counter(void);

uint64_t ticks_coarse(void);
void ticks_read_clock(void);

static inline uint64_t ticks_now(void)
{
#if defined(__x86_64__) || defined(__i386__)
    if (likely(ticks_has_counter))
        return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    if (likely(ticks_has_counter)) {
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
        return count;
    }
#endif
    return ticks_coarse();
}

/* The clock is read again when the time since then is an eighth of all before, and at least this
 * many ticks: then what is between the readings is known well, and that is seldom. */
#define SHORTEST_SPAN (1u << 14)

/* After an event at NOW. */
static inline void ticks_keep(uint64_t now)
{
    const struct rec_clock *clock = &ticks_base.rec;
    uint64_t last = clock->last_ticks;
    /* Another thread may have read it since NOW. */
    if (unlikely(now > last && now - last > SHORTEST_SPAN + (last - clock->start_ticks) / 8))
        ticks_read_clock();
}

#pragma GCC visibility pop

#endif
