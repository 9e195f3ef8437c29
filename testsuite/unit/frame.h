/* SPDX-License-Identifier: MIT
 *
 * The frame of every unit test, whichever interface it is about.
 */
#ifndef FRAME_H
#define FRAME_H

#include <check.h>
#include <stdlib.h>

/* Loop tests over a fake target run for each kind of it: _i is 0 to 3. */
enum { TARGET_KINDS = 4 };
#define TARGET_POINTER(i) ((i)&1 ? 4u : 8u)
#define TARGET_BIG(i) (((i)&2) != 0)

/* For the return codes of the interface whose header is included. */
#define assert_rc(call, expected)                                                        \
    do {                                                                                 \
        ompd_rc_t assert_rc_got = (call);                                                \
        ck_assert_msg(assert_rc_got == (expected), "%s is %d instead of %s", #call,      \
                      assert_rc_got, #expected);                                         \
    } while (0)
#define assert_ok(call) assert_rc(call, ompd_rc_ok)

/* Runs the suite with TAP output; the exit status of the test program. */
int unit_main(Suite *suite);

#endif
