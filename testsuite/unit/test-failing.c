/* SPDX-License-Identifier: MIT
 *
 * Every callback of every routine fails in turn: the right code comes back, nothing is
 * leaked, nothing is published.
 */
#include <string.h>

#include "unit.h"

static const struct failures failures = {ompd_rc_target_read_error, ompd_rc_error};

UNIT(every_callback_of_every_routine, 100)
{
    struct subject subject = subject_begin(unit);
    for (unsigned q = 0; q < question_count; q++) {
        unsigned made = fail_each_callback(&questions[q], &subject, failures);
        bool compares = strstr(questions[q].name, "compare");
        check_reads(&questions[q]);
        ck_assert_msg((made == 0) == compares, "%s: %u callbacks", questions[q].name, made);
    }
    subject_end(&subject);
}

/* The same for a large team. */
UNIT(every_callback_of_a_team, 300)
{
    struct subject subject = subject_begin(unit);
    assert_ok(ompd_release_parallel_handle(subject.region));
    subject.region = unit_region(unit, 0);
    for (unsigned q = 0; q < question_count; q++) {
        if (strstr(questions[q].name, "in_parallel") && questions[q].reads == MANY)
            ck_assert_uint_gt(fail_each_callback(&questions[q], &subject, failures), 300);
    }
    subject_end(&subject);
}

/* Found by walking the slabs, with a root that must be read again. */
UNIT(every_callback_behind_overflow, 100)
{
    struct subject subject = subject_begin(unit);
    program_unindex(unit->program, FIRST_LWP + 1);
    fake_put(unit->fake, unit->fake->root, FIELD_root_index_overflow, 1);
    for (unsigned q = 0; q < question_count; q++) {
        if (strcmp(questions[q].name, "get_thread_handle") == 0)
            ck_assert_uint_gt(fail_each_callback(&questions[q], &subject, failures), 3);
    }
    subject_end(&subject);
}

/* The pair was torn: the second read fails too. */
UNIT(every_callback_of_a_torn_pair, 8)
{
    struct subject subject = subject_begin(unit);
    fake_put(unit->fake, unit->program->thread[1], FIELD_thread_seq, 1);
    for (unsigned q = 0; q < question_count; q++) {
        if (strncmp(questions[q].name, "get_top_", 8) == 0)
            ck_assert_uint_eq(fail_each_callback(&questions[q], &subject, failures), 3);
    }
    subject_end(&subject);
}
