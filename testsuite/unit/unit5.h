/* SPDX-License-Identifier: MIT
 *
 * unit.h for the 5.x interface and the extension: callbacks over the fake target, and one
 * program with all its records in each kind of target.
 */
#ifndef UNIT5_H
#define UNIT5_H

#include "fake-records.h"
#include "frame.h"
#include "libompd/ext/ompd-ext.h"
#include "ompd-types.h"
#include "questions.h"

extern const ompd_callbacks_t fake_debugger;

/* Called around each callback, unless NULL. */
extern void (*unit_enter)(void);
extern void (*unit_leave)(void);

/* What its read_memory answers when it fails. */
extern ompd_rc_t unit5_read_code;

/* Does a structure of the extension have this field? */
#define KNOWS(s, bit) ((s)->known >> (bit)&1)

static inline ompd_address_space_context_t *context_of(struct fake *fake)
{
    return (ompd_address_space_context_t *)fake;
}

struct unit {
    struct program *program;
    struct fake *fake;
    struct records records;
    ompd_address_space_handle_t *space;
};
struct unit unit_begin(int kind, unsigned threads);
/* Fails when anything is left allocated. */
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

ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number);
ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned thread);
ompd_task_handle_t *unit_task(const struct unit *unit, unsigned thread);

/* The number that ompd_enumerate_icvs gives a name; its scope if asked. */
ompd_icv_id_t unit_icv(const struct unit *unit, const char *name, ompd_scope_t *scope);

#endif
