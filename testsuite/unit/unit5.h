/* SPDX-License-Identifier: MIT
 *
 * unit.h for the 5.x interface and the extension: callbacks over the fake target, and one
 * program with all its records in each kind of target.
 */
#ifndef UNIT5_H
#define UNIT5_H

#include <check.h>
#include <stdlib.h>

#include "fake-records.h"
#include "libompd/ext/ompd-ext.h"
#include "ompd-types.h"

/* Loop tests run for each kind of target: _i is 0 to 3. */
enum { TARGET_KINDS = 4 };
#define TARGET_POINTER(i) ((i)&1 ? 4u : 8u)
#define TARGET_BIG(i) (((i)&2) != 0)

extern const ompd_callbacks_t fake_debugger;

static inline ompd_address_space_context_t *context_of(struct fake *fake)
{
    return (ompd_address_space_context_t *)fake;
}

#define assert_rc(call, expected)                                                        \
    do {                                                                                 \
        ompd_rc_t assert_rc_got = (call);                                                \
        ck_assert_msg(assert_rc_got == (expected), "%s is %d instead of %s", #call,      \
                      assert_rc_got, #expected);                                         \
    } while (0)
#define assert_ok(call) assert_rc(call, ompd_rc_ok)

struct unit {
    struct program *program;
    struct fake *fake;
    struct records records;
    ompd_address_space_handle_t *space;
};
struct unit unit_begin(int kind, unsigned threads);
/* Fails when anything is left allocated. */
void unit_end(struct unit *unit);

ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number);
ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned thread);
ompd_task_handle_t *unit_task(const struct unit *unit, unsigned thread);

/* The number that ompd_enumerate_icvs gives a name; its scope if asked. */
ompd_icv_id_t unit_icv(const struct unit *unit, const char *name, ompd_scope_t *scope);

int unit_main(Suite *suite);

#endif
