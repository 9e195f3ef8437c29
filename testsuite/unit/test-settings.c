/* SPDX-License-Identifier: MIT
 *
 * Sections 8 and 13 and the control variables of 11.2, of a program that has them.
 */
#include "fake-records.h"
#include "unit.h"

static const struct {
    const char *routine;
    int64_t word;
    unsigned state;
} settings[] = {
    {"get_num_procs", 16, 0},
    {"get_thread_limit", 100, 0},
    {"get_max_threads", 8, 0},
    {"get_dynamic", 1, 0},
    {"get_nested", 1, 0},
    {"get_max_active_levels", 3, 0},
    {"get_schedule", 4, ompd_sched_dynamic},
    {"get_proc_bind", 0, ompd_proc_bind_close},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static struct question question_of(const char *routine)
{
    const struct routine *found = routine_named(routine);
    return (struct question){.name = routine, .takes = found->takes, .routine = found};
}

UNIT(values, 8)
{
    (void)records_add(unit->program);
    struct subject subject = subject_of(unit, 3);
    for (unsigned i = 0; i < SETTINGS; i++) {
        struct question question = question_of(settings[i].routine);
        struct outs outs = {0};
        fake_counts_reset();
        assert_ok(ask(&question, &subject, &outs));
        /* Thread, task, set: the one that is asked about a thread. */
        ck_assert_uint_le(fake_counts.reads, question.takes == KIND_THREAD ? 3 : 2);
        ck_assert_int_eq(outs.word, settings[i].word);
        ck_assert_uint_eq(outs.state, settings[i].state);
    }
    subject_end(&subject);
}

UNIT(display_control_variables, 8)
{
    (void)records_add(unit->program);
    const char *const *vars = NULL;
    assert_ok(ompd_get_display_control_vars(unit->space, &vars));
    ck_assert_str_eq(vars[0], "OMP_NUM_THREADS=8,4,2");
    ck_assert_str_eq(vars[1], "OMP_THREAD_LIMIT=100");
    ck_assert_ptr_nonnull(vars[2]);
    ck_assert_ptr_null(vars[3]);
    assert_ok(ompd_release_display_control_vars(vars));
    assert_rc(ompd_release_display_control_vars(vars), ompd_rc_bad_input);
}

UNIT(every_callback_fails, 8)
{
    const struct failures failures = {ompd_rc_target_read_error, ompd_rc_error};
    (void)records_add(unit->program);
    struct subject subject = subject_of(unit, 3);
    for (unsigned i = 0; i <= SETTINGS; i++) {
        struct question question =
            question_of(i < SETTINGS ? settings[i].routine : "get_display_control_vars");
        ck_assert_uint_ge(fail_each_callback(&question, &subject, failures), 2);
    }
    subject_end(&subject);
}
