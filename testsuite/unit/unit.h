/* SPDX-License-Identifier: MIT
 *
 * What the unit tests of the 2.000 interface share: a debugger's callbacks over the fake
 * target, and one program in each kind of it.
 */
#ifndef UNIT_H
#define UNIT_H

#include "fake-program.h"
#include "frame.h"
#include "libompd/abi-2/ompd.h"
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

/* A program, the initialised library and an address space. unit_end() fails when anything
 * is left allocated. */
struct unit {
    struct program *program;
    struct fake *fake;
    ompd_address_space_handle_t *space;
};
struct unit unit_begin(int kind, unsigned threads);
void unit_end(struct unit *unit);

/* EACH over the kinds of target, between unit_begin() and unit_end(): UNIT(name, threads) { ... }
 * has `unit` and _i. */
#define UNIT(name, threads)                                                              \
    static void name##_in(struct unit *unit, int _i);                                    \
    EACH(name, TARGET_KINDS)                                                             \
    {                                                                                    \
        struct unit name##_unit = unit_begin(_i, threads);                               \
        name##_in(&name##_unit, _i);                                                     \
        unit_end(&name##_unit);                                                          \
    }                                                                                    \
    static void name##_in(struct unit *unit, int _i __attribute__((unused)))

/* Handles of the program's objects, by way of the interface. */
ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number);
ompd_thread_handle_t *unit_idle_thread(const struct unit *unit);
ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned thread);
ompd_task_handle_t *unit_task(const struct unit *unit, unsigned thread);

ompd_rc_t unit_find_lwp(const struct unit *unit, uint64_t lwp, unsigned size,
                        ompd_thread_handle_t **out);
ompd_rc_t unit_find_pthread(const struct unit *unit, uint64_t pthread,
                            ompd_thread_handle_t **out);

void unit_free_threads(ompd_thread_handle_t **vector, int count);
void unit_free_tasks(ompd_task_handle_t **vector, int count);

#endif
