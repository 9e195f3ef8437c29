/* SPDX-License-Identifier: MIT
 *
 * The functions in which a debugger plants breakpoints. The number in the assembler text
 * prevents identical code folding.
 */
#include "state/events.h"
#include "omp-ompd.h"

#include <string.h>

#define CODE_ALIGNED __attribute__((aligned(16)))
#define BREAKPOINT(name, number)                                                                   \
    EXPORT NOINLINE CODE_ALIGNED void name(void)                                                   \
    {                                                                                              \
        __asm__ volatile("nop /* %c0 */" ::"i"(number) : "memory");                                \
    }                                                                                              \
    void event_##name(void) __attribute__((alias(#name), visibility("hidden")))

BREAKPOINT(ompd_bp_parallel_begin, 1);
BREAKPOINT(ompd_bp_parallel_end, 2);
BREAKPOINT(ompd_bp_teams_begin, 3);
BREAKPOINT(ompd_bp_teams_end, 4);
BREAKPOINT(ompd_bp_task_begin, 5);
BREAKPOINT(ompd_bp_task_end, 6);
BREAKPOINT(ompd_bp_thread_begin, 7);
BREAKPOINT(ompd_bp_thread_end, 8);
BREAKPOINT(ompd_bp_target_begin, 9);
BREAKPOINT(ompd_bp_target_end, 10);
BREAKPOINT(ompd_bp_device_begin, 11);
BREAKPOINT(ompd_bp_device_end, 12);
BREAKPOINT(ompd_dll_locations_valid, 13);

/* The same code, of which no debugger knows. */
static NOINLINE CODE_ALIGNED void without_breakpoint(void)
{
    __asm__ volatile("nop /* %c0 */" ::"i"(14) : "memory");
}

static inline uint64_t code_of(void (*function)(void))
{
    uint64_t code;
    memcpy(&code, (const void *)(uintptr_t)function, sizeof(code));
    return code;
}

bool breakpoint_is_planted(void)
{
    return code_of(event_ompd_bp_parallel_begin) != code_of(without_breakpoint);
}
