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

/* Handles that were released, of which all routines but the one that needs none say so. */
UNIT(every_routine_with_stale_handles, 8)
{
    struct subject subject = subject_begin(unit);
    struct subject stale = subject;
    subject_end(&subject);
    stale.space = NULL;
    ompd_address_space_handle_t *space = NULL;
    ck_assert_uint_gt(ask_all_stale(&stale, false, ompd_rc_stale_handle), 40);
    assert_rc(ompd_process_initialize(NULL, &space), ompd_rc_bad_input);
    ck_assert_ptr_null(space);
}

/* The objects have ended and their memory serves others. */
UNIT(every_routine_with_reused_objects, 8)
{
    struct subject subject = subject_begin(unit);
    fake_put(unit->fake, unit->program->thread[1], FIELD_thread_id, 99999);
    fake_put(unit->fake, unit->program->inner, FIELD_region_id, 99998);
    fake_put(unit->fake, unit->program->inner_task, FIELD_task_id, 99997);
    ck_assert_uint_eq(ask_all_stale(&subject, true, ompd_rc_stale_handle), 22);
    subject_end(&subject);
}

UNIT(every_routine_without_a_place_for_an_answer, 8)
{
    struct subject subject = subject_begin(unit);
    ck_assert_uint_eq(ask_all_without_outs(&subject, ompd_rc_bad_input), 64);
    subject_end(&subject);
}
