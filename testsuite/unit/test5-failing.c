/* SPDX-License-Identifier: MIT
 *
 * Every callback of every 5.x and extension routine fails in turn: the right code comes
 * back, nothing is leaked, nothing is published. When none fails, what it costs.
 */
#include <string.h>

#include "routines5.h"

static ompd_rc_t expected_code(enum fake_callback failed)
{
    switch (failed) {
    case FAKE_ALLOC:
        return ompd_rc_nomem;
    case FAKE_READ:
        return unit5_read_code;
    case FAKE_SYMBOL:
        return ompd_rc_incompatible;
    case FAKE_SIZES:
    case FAKE_TO_HOST:
        return ompd_rc_callback_error;
    case FAKE_NONE:
        break;
    }
    return ompd_rc_ok;
}

static void fail_each_callback(const struct routine *routine,
                               const struct subject *subject)
{
    unsigned alive = fake_counts.allocs_alive;
    for (unsigned n = 1;; n++) {
        struct outs outs;
        outs_clear(&outs);
        fake_counts_reset();
        fake_fail_at(n);
        ompd_rc_t rc = routine->call(subject, &outs);
        enum fake_callback failed = fake_failed();
        fake_fail_at(0);
        if (fake_counts.no_list && rc == ompd_rc_ok) {
            outs_release(&outs); /* as of a process that has no list */
            continue;
        }
        ck_assert_msg(rc == expected_code(failed), "%s, callback %u (%d): %d",
                      routine->name, n, failed, rc);
        if (failed == FAKE_NONE) {
            ck_assert_msg(!outs_untouched(&outs), "%s", routine->name);
            unsigned reads = fake_counts.reads;
            ck_assert_msg(routine->reads_max < 0 || reads <= (unsigned)routine->reads_max,
                          "%s: %u reads", routine->name, reads);
            outs_release(&outs);
            ck_assert_msg(fake_counts.allocs_alive == alive, "%s leaks", routine->name);
            return;
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
    for (unsigned r = 0; r < routine_count; r++)
        fail_each_callback(&routines[r], &subject);
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

/* The debugger's own code is the answer, whatever it means otherwise. */
START_TEST(every_code_of_a_read)
{
    static const ompd_rc_t codes[] = {
        ompd_rc_unavailable,  ompd_rc_stale_handle,       ompd_rc_bad_input,
        ompd_rc_error,        ompd_rc_unsupported,        ompd_rc_needs_state_tracking,
        ompd_rc_incompatible, ompd_rc_device_write_error, ompd_rc_callback_error};
    unit5_read_code = codes[_i];
    struct unit unit = unit_begin(0, 8);
    struct subject subject = subject_begin(&unit);
    for (unsigned r = 0; r < routine_count; r++)
        fail_each_callback(&routines[r], &subject);
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST
enum { READ_CODES = 9 };

/* Handles that were released, of which all routines but the two that need none say so. */
START_TEST(every_routine_with_stale_handles)
{
    struct unit unit = unit_begin(_i, 8);
    struct subject subject = subject_begin(&unit);
    struct subject stale = subject;
    subject_end(&subject);
    stale.space = NULL;
    for (unsigned r = 0; r < routine_count; r++) {
        struct outs outs;
        outs_clear(&outs);
        fake_counts_reset();
        ompd_rc_t rc = routines[r].call(&stale, &outs);
        ompd_rc_t expected = strcmp(routines[r].name, "process_initialize") == 0
                                 ? ompd_rc_bad_input
                                 : ompd_rc_stale_handle;
        ck_assert_msg(rc == expected, "%s: %d", routines[r].name, rc);
        ck_assert_msg(outs_untouched(&outs), "%s", routines[r].name);
        ck_assert_uint_eq(fake_counts.reads, 0);
    }
    unit_end(&unit);
}
END_TEST

/* The objects have ended and their memory serves others. */
START_TEST(every_routine_with_reused_objects)
{
    struct unit unit = unit_begin(_i, 8);
    struct subject subject = subject_begin(&unit);
    fake_put(unit.fake, unit.program->thread[1], FIELD_thread_id, 99999);
    fake_put(unit.fake, unit.program->inner, FIELD_region_id, 99998);
    fake_put(unit.fake, unit.program->inner_task, FIELD_task_id, 99997);
    static const char *const asks_object[] = {"get_thread_in_parallel",
                                              "get_thread_id",
                                              "get_curr_parallel_handle",
                                              "get_enclosing_parallel_handle",
                                              "get_task_parallel_handle",
                                              "get_curr_task_handle",
                                              "get_generating_task_handle",
                                              "get_scheduling_task_handle",
                                              "get_task_in_parallel",
                                              "get_task_function",
                                              "get_task_frame",
                                              "get_state",
                                              "icv_of_thread",
                                              "icv_of_region",
                                              "icv_of_task",
                                              "icv_list",
                                              "ext_get_thread",
                                              "ext_get_region",
                                              "ext_get_task"};
    unsigned asked = 0;
    for (unsigned r = 0; r < routine_count; r++) {
        for (unsigned i = 0; i < sizeof asks_object / sizeof *asks_object; i++) {
            if (strcmp(routines[r].name, asks_object[i]) != 0)
                continue;
            struct outs outs;
            outs_clear(&outs);
            ompd_rc_t rc = routines[r].call(&subject, &outs);
            ck_assert_msg(rc == ompd_rc_stale_handle, "%s: %d", routines[r].name, rc);
            ck_assert_msg(outs_untouched(&outs), "%s", routines[r].name);
            asked++;
        }
    }
    ck_assert_uint_eq(asked, sizeof asks_object / sizeof *asks_object);
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failing 5.x");
    TCase *tcase = tcase_create("callback");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, every_callback_of_every_routine, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_code_of_a_read, 0, READ_CODES);
    tcase_add_loop_test(tcase, every_routine_with_stale_handles, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_routine_with_reused_objects, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
