/* SPDX-License-Identifier: MIT
 *
 * Every callback of every 5.x and extension routine fails in turn: the right code comes
 * back, nothing is leaked, nothing is published. When none fails, what it costs.
 */
#include <string.h>

#include "unit5.h"

static void fail_all(const struct subject *subject)
{
    const struct failures failures = {unit5_read_code, ompd_rc_callback_error};
    for (unsigned q = 0; q < question_count; q++) {
        fail_each_callback(&questions[q], subject, failures);
        check_reads(&questions[q]);
    }
}

UNIT(every_callback_of_every_routine, 100)
{
    struct subject subject = subject_begin(unit);
    fail_all(&subject);
    subject_end(&subject);
}

enum { READ_CODES = 9 };

/* The debugger's own code is the answer, whatever it means otherwise. */
EACH(every_code_of_a_read, READ_CODES)
{
    static const ompd_rc_t codes[] = {
        ompd_rc_unavailable,  ompd_rc_stale_handle,       ompd_rc_bad_input,
        ompd_rc_error,        ompd_rc_unsupported,        ompd_rc_needs_state_tracking,
        ompd_rc_incompatible, ompd_rc_device_write_error, ompd_rc_callback_error};
    unit5_read_code = codes[_i];
    struct unit unit = unit_begin(0, 8);
    struct subject subject = subject_begin(&unit);
    fail_all(&subject);
    subject_end(&subject);
    unit_end(&unit);
}

/* Handles that were released, of which all routines but the two that need none say so. */
UNIT(every_routine_with_stale_handles, 8)
{
    struct subject subject = subject_begin(unit);
    struct subject stale = subject;
    subject_end(&subject);
    stale.space = NULL;
    for (unsigned q = 0; q < question_count; q++) {
        struct outs outs;
        outs_clear(&outs);
        fake_counts_reset();
        ompd_rc_t rc = ask(&questions[q], &stale, &outs);
        ompd_rc_t expected = strcmp(questions[q].name, "process_initialize") == 0
                                 ? ompd_rc_bad_input
                                 : ompd_rc_stale_handle;
        ck_assert_msg(rc == expected, "%s: %d", questions[q].name, rc);
        ck_assert_msg(outs_untouched(&outs, sizeof outs), "%s", questions[q].name);
        ck_assert_uint_eq(fake_counts.reads, 0);
    }
}

/* The objects have ended and their memory serves others. */
UNIT(every_routine_with_reused_objects, 8)
{
    struct subject subject = subject_begin(unit);
    fake_put(unit->fake, unit->program->thread[1], FIELD_thread_id, 99999);
    fake_put(unit->fake, unit->program->inner, FIELD_region_id, 99998);
    fake_put(unit->fake, unit->program->inner_task, FIELD_task_id, 99997);
    unsigned asked = 0;
    for (unsigned q = 0; q < question_count; q++) {
        if (!asks_object(&questions[q]))
            continue;
        struct outs outs;
        outs_clear(&outs);
        ompd_rc_t rc = ask(&questions[q], &subject, &outs);
        ck_assert_msg(rc == ompd_rc_stale_handle, "%s: %d", questions[q].name, rc);
        ck_assert_msg(outs_untouched(&outs, sizeof outs), "%s", questions[q].name);
        asked++;
    }
    ck_assert_uint_eq(asked, 22);
    subject_end(&subject);
}

UNIT(every_routine_without_a_place_for_an_answer, 8)
{
    struct subject subject = subject_begin(unit);
    unsigned needed = 0;
    for (unsigned q = 0; q < question_count; q++)
        needed += ask_without_outs(&questions[q], &subject, ompd_rc_bad_input);
    ck_assert_uint_eq(needed, 64);
    subject_end(&subject);
}
