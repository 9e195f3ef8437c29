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
#define assert_rc(call, expected)                                                                  \
    do {                                                                                           \
        ompd_rc_t assert_rc_got = (call);                                                          \
        ck_assert_msg(assert_rc_got == (expected), "%s is %d instead of %s", #call, assert_rc_got, \
                      #expected);                                                                  \
    } while (0)
#define assert_ok(call) assert_rc(call, ompd_rc_ok)

/* How long one run of a test may take. A file that knows better says so before. */
#ifndef TEST_SECONDS
#define TEST_SECONDS 60
#endif

/* TEST(name) { ... } runs once, EACH(name, runs) { ... } with _i from 0 to runs - 1. A test is one
 * of those of its program by being there, in the order of the file. */
#define TEST(name) EACH(name, 1)
#define EACH(name, runs) EACH_FROM(name, 0, runs)
#define EACH_FROM(name, first, end)                                                                \
    static const TTest *name;                                                                      \
    __attribute__((constructor)) static void name##_is_a_test(void)                                \
    {                                                                                              \
        frame_add(name, first, end, TEST_SECONDS);                                                 \
    }                                                                                              \
    START_TEST(name)
/* EACH, between one call and another. */
#define BETWEEN(name, runs, before, after)                                                         \
    static void name##_in(int _i);                                                                 \
    EACH(name, runs)                                                                               \
    {                                                                                              \
        before;                                                                                    \
        name##_in(_i);                                                                             \
        after;                                                                                     \
    }                                                                                              \
    static void name##_in(int _i __attribute__((unused)))
void frame_add(const TTest *test, int first, int end, double seconds);

/* Runs the tests with TAP output; the exit status of the program. */
int unit_main(void);

#endif
