/* SPDX-License-Identifier: MIT
 *
 * What the unit tests of the 2.000 interface share: a debugger's callbacks over the fake
 * target, the four kinds of target, and one program in each.
 */
#ifndef UNIT_H
#define UNIT_H

#include <check.h>
#include <stdlib.h>

#include "fake-program.h"
#include "libompd/abi-2/ompd.h"

/* Loop tests run for each kind of target: _i is 0 to 3. */
enum { TARGET_KINDS = 4 };
#define TARGET_POINTER(i) ((i)&1 ? 4u : 8u)
#define TARGET_BIG(i) (((i)&2) != 0)

/* The callback table. */
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

/* A program, the initialised library and an address space. unit_end() fails when anything
 * is left allocated. */
struct unit {
    struct program *program;
    struct fake *fake;
    ompd_address_space_handle_t *space;
};
struct unit unit_begin(int kind, unsigned threads);
void unit_end(struct unit *unit);

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

/* Runs the suite with TAP output; the exit status of the test program. */
int unit_main(Suite *suite);

#endif
