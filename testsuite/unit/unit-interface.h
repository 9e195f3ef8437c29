/* SPDX-License-Identifier: MIT
 *
 * What unit.h and unit5.h have alike: they include it behind the header of their interface and
 * behind struct unit, a program with the initialised library and an address space.
 */
#ifndef UNIT_INTERFACE_H
#define UNIT_INTERFACE_H

#include "frame.h"
#include "questions.h"

/* The callback table. */
extern const ompd_callbacks_t fake_debugger;

/* Called around each callback, unless NULL. */
extern void (*unit_enter)(void);
extern void (*unit_leave)(void);

static inline ompd_address_space_context_t *context_of(struct fake *fake)
{
    return (ompd_address_space_context_t *)fake;
}

struct unit unit_begin(int kind, unsigned threads);
/* Fails when anything is left allocated. */
void unit_end(struct unit *unit);

/* EACH over the kinds of target, between unit_begin() and unit_end(): UNIT(name, threads) { ... }
 * has `unit` and _i. */
#define UNIT(name, threads)                                                                        \
    static void name##_in(struct unit *unit, int _i);                                              \
    EACH(name, TARGET_KINDS)                                                                       \
    {                                                                                              \
        struct unit name##_unit = unit_begin(_i, threads);                                         \
        name##_in(&name##_unit, _i);                                                               \
        unit_end(&name##_unit);                                                                    \
    }                                                                                              \
    static void name##_in(struct unit *unit, int _i __attribute__((unused)))

/* Handles of the program's objects, by way of the interface. */
ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number);
ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned thread);
ompd_task_handle_t *unit_task(const struct unit *unit, unsigned thread);

#endif
