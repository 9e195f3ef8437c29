/* SPDX-License-Identifier: MIT
 *
 * Sections 8 and 13 and the control variables of 11.2, of a program that has them.
 */
#include "fake-records.h"
#include "unit.h"

struct subject {
    ompd_address_space_handle_t *space;
    ompd_thread_handle_t *thread;
    ompd_task_handle_t *task;
};

struct answer {
    ompd_tword_t word;
    ompd_sched_t schedule;
    ompd_proc_bind_t bind;
};

static ompd_rc_t ask(unsigned which, const struct subject *s, struct answer *a)
{
    switch (which) {
    case 0:
        return ompd_get_num_procs(s->space, &a->word);
    case 1:
        return ompd_get_thread_limit(s->space, &a->word);
    case 2:
        return ompd_get_max_threads(s->task, &a->word);
    case 3:
        return ompd_get_dynamic(s->task, &a->word);
    case 4:
        return ompd_get_nested(s->task, &a->word);
    case 5:
        return ompd_get_max_active_levels(s->thread, &a->word);
    case 6:
        return ompd_get_schedule(s->task, &a->schedule, &a->word);
    default:
        return ompd_get_proc_bind(s->task, &a->bind);
    }
}

static const struct answer expected[] = {
    {.word = 16}, {.word = 100}, {.word = 8}, {.word = 1}, {.word = 1}, {.word = 3},
    {.word = 4, .schedule = ompd_sched_dynamic}, {.bind = ompd_proc_bind_close},
};
enum { ROUTINES = sizeof expected / sizeof *expected };

static struct subject subject_begin(const struct unit *unit)
{
    return (struct subject){unit->space, unit_thread(unit, 3), unit_task(unit, 3)};
}

static void subject_end(struct subject *subject)
{
    assert_ok(ompd_release_thread_handle(subject->thread));
    assert_ok(ompd_release_task_handle(subject->task));
}

START_TEST(values)
{
    struct unit unit = unit_begin(_i, 8);
    (void)records_add(unit.program);
    struct subject subject = subject_begin(&unit);
    for (unsigned r = 0; r < ROUTINES; r++) {
        struct answer answer = {0};
        fake_counts_reset();
        assert_ok(ask(r, &subject, &answer));
        /* Thread, task, set: the one that is asked about a thread. */
        ck_assert_uint_le(fake_counts.reads, r == 5 ? 3 : 2);
        ck_assert_int_eq(answer.word, expected[r].word);
        ck_assert_int_eq(answer.schedule, expected[r].schedule);
        ck_assert_int_eq(answer.bind, expected[r].bind);
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

START_TEST(display_control_variables)
{
    struct unit unit = unit_begin(_i, 8);
    (void)records_add(unit.program);
    const char *const *vars = NULL;
    assert_ok(ompd_get_display_control_vars(unit.space, &vars));
    ck_assert_str_eq(vars[0], "OMP_NUM_THREADS=8,4,2");
    ck_assert_str_eq(vars[1], "OMP_THREAD_LIMIT=100");
    ck_assert_ptr_nonnull(vars[2]);
    ck_assert_ptr_null(vars[3]);
    assert_ok(ompd_release_display_control_vars(vars));
    assert_rc(ompd_release_display_control_vars(vars), ompd_rc_bad_input);
    unit_end(&unit);
}
END_TEST

START_TEST(every_callback_fails)
{
    struct unit unit = unit_begin(_i, 8);
    (void)records_add(unit.program);
    struct subject subject = subject_begin(&unit);
    unsigned alive = fake_counts.allocs_alive;
    for (unsigned r = 0; r <= ROUTINES; r++) {
        enum fake_callback failed = FAKE_READ;
        for (unsigned n = 1; failed != FAKE_NONE; n++) {
            struct answer answer = {.word = -7};
            const char *const *vars = NULL;
            fake_fail_at(n);
            ompd_rc_t rc = r < ROUTINES ? ask(r, &subject, &answer)
                                        : ompd_get_display_control_vars(unit.space, &vars);
            failed = fake_failed();
            fake_fail_at(0);
            if (failed == FAKE_NONE) {
                ck_assert_int_eq(rc, ompd_rc_ok);
                ck_assert_uint_gt(n, 2);
                if (vars)
                    assert_ok(ompd_release_display_control_vars(vars));
            } else {
                ck_assert_int_eq(rc, failed == FAKE_ALLOC ? ompd_rc_nomem
                                                          : ompd_rc_target_read_error);
                ck_assert_int_eq(answer.word, -7);
                ck_assert_ptr_null(vars);
            }
            ck_assert_uint_eq(fake_counts.allocs_alive, alive);
        }
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("settings");
    TCase *tcase = tcase_create("settings");
    tcase_add_loop_test(tcase, values, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, display_control_variables, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_callback_fails, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
