/* SPDX-License-Identifier: MIT
 *
 * Every callback of every routine fails in turn: the right code comes back, nothing is
 * leaked, nothing is published.
 */
#include <string.h>

#include "routines.h"

static ompd_rc_t expected_code(enum fake_callback failed)
{
    switch (failed) {
    case FAKE_ALLOC:
        return ompd_rc_nomem;
    case FAKE_READ:
        return ompd_rc_target_read_error;
    case FAKE_SYMBOL:
        return ompd_rc_incompatible;
    case FAKE_SIZES:
    case FAKE_TO_HOST:
        return ompd_rc_error;
    case FAKE_NONE:
        break;
    }
    return ompd_rc_ok;
}

/* The number of callbacks that the routine makes when all goes well. */
static unsigned fail_each_callback(const struct routine *routine,
                                   const struct subject *subject)
{
    unsigned alive = fake_counts.allocs_alive;
    for (unsigned n = 1;; n++) {
        struct outs outs;
        outs_clear(&outs);
        fake_fail_at(n);
        ompd_rc_t rc = routine->call(subject, &outs);
        enum fake_callback failed = fake_failed();
        fake_fail_at(0);
        ck_assert_msg(rc == expected_code(failed), "%s, callback %u (%d): %d",
                      routine->name, n, failed, rc);
        if (failed == FAKE_NONE) {
            outs_release(&outs);
            ck_assert_msg(fake_counts.allocs_alive == alive, "%s", routine->name);
            return n - 1;
        }
        ck_assert_msg(outs_untouched(&outs), "%s, callback %u", routine->name, n);
        ck_assert_msg(fake_counts.allocs_alive == alive, "%s, callback %u leaks",
                      routine->name, n);
    }
}

START_TEST(every_callback_of_every_routine)
{
    struct unit unit = unit_begin(_i, 100);
    struct subject subject = subject_begin(&unit);
    for (unsigned r = 0; r < routine_count; r++) {
        unsigned made = fail_each_callback(&routines[r], &subject);
        bool compares = strstr(routines[r].name, "compare");
        ck_assert_msg((made == 0) == compares, "%s: %u callbacks", routines[r].name, made);
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

/* The same for a large team. */
START_TEST(every_callback_of_a_team)
{
    struct unit unit = unit_begin(_i, 300);
    struct subject subject = subject_begin(&unit);
    assert_ok(ompd_release_parallel_handle(subject.region));
    subject.region = unit_region(&unit, 0);
    for (unsigned r = 0; r < routine_count; r++) {
        if (strstr(routines[r].name, "in_parallel") && routines[r].flags == READS_TARGET)
            ck_assert_uint_gt(fail_each_callback(&routines[r], &subject), 300);
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

/* Found by walking the slabs, with a root that must be read again. */
START_TEST(every_callback_behind_overflow)
{
    struct unit unit = unit_begin(_i, 100);
    struct subject subject = subject_begin(&unit);
    program_unindex(unit.program, FIRST_LWP + 1);
    fake_put(unit.fake, unit.fake->root, FIELD_root_index_overflow, 1);
    for (unsigned r = 0; r < routine_count; r++) {
        if (strcmp(routines[r].name, "get_thread_handle") == 0)
            ck_assert_uint_gt(fail_each_callback(&routines[r], &subject), 3);
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

/* The pair was torn: the second read fails too. */
START_TEST(every_callback_of_a_torn_pair)
{
    struct unit unit = unit_begin(_i, 8);
    struct subject subject = subject_begin(&unit);
    fake_put(unit.fake, unit.program->thread[1], FIELD_thread_seq, 1);
    for (unsigned r = 0; r < routine_count; r++) {
        if (strncmp(routines[r].name, "get_top_", 8) == 0)
            ck_assert_uint_eq(fail_each_callback(&routines[r], &subject), 3);
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failing");
    TCase *tcase = tcase_create("callback");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, every_callback_of_every_routine, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_callback_of_a_team, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_callback_behind_overflow, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_callback_of_a_torn_pair, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
