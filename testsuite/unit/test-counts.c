/* SPDX-License-Identifier: MIT
 *
 * What a query costs, for 8, 64 and 512 threads. Counted are callback reads, that is what
 * the library asks of the debugger, and symbol lookups.
 */
#include "unit.h"

static const unsigned sizes[] = {8, 64, 512};
enum { SIZES = 3 };

EACH(one_read_for_one_object, SIZES *TARGET_KINDS)
{
    struct unit unit = unit_begin(_i % TARGET_KINDS, sizes[_i / TARGET_KINDS]);
    struct subject subject = subject_begin(&unit);
    unsigned asked = 0;
    for (unsigned q = 0; q < question_count; q++) {
        if (questions[q].reads != 1)
            continue;
        struct outs outs;
        outs_clear(&outs);
        fake_counts_reset();
        assert_ok(ask(&questions[q], &subject, &outs));
        ck_assert_msg(fake_counts.reads == 1, "%s: %u reads", questions[q].name, fake_counts.reads);
        ck_assert_msg(fake_counts.lookups == 0, "%s", questions[q].name);
        outs_release(&questions[q], &outs);
        asked++;
    }
    ck_assert_uint_gt(asked, 20);
    subject_end(&subject);
    unit_end(&unit);
}

EACH(one_read_to_find_any_thread, SIZES *TARGET_KINDS)
{
    struct unit unit = unit_begin(_i % TARGET_KINDS, sizes[_i / TARGET_KINDS]);
    for (unsigned i = 0; i < unit.program->n; i++) {
        ompd_thread_handle_t *thread;
        fake_counts_reset();
        assert_ok(unit_find_lwp(&unit, FIRST_LWP + i, 8, &thread));
        ck_assert_uint_eq(fake_counts.reads, 1);
        assert_ok(unit_find_pthread(&unit, program_pthread(unit.program, i), &thread));
        ck_assert_uint_eq(fake_counts.reads, 2);
    }
    /* One that is not found costs the root as well, which tells whether to look further. */
    ompd_thread_handle_t *none;
    fake_counts_reset();
    assert_rc(unit_find_lwp(&unit, 77, 8, &none), ompd_rc_bad_input);
    ck_assert_uint_le(fake_counts.reads, 2);
    ck_assert_uint_eq(fake_counts.lookups, 0);
    unit_end(&unit);
}

EACH(bulk_reads_for_many, SIZES *TARGET_KINDS)
{
    struct unit unit = unit_begin(_i % TARGET_KINDS, sizes[_i / TARGET_KINDS]);
    unsigned n = unit.program->n;
    ompd_parallel_handle_t *region = unit_region(&unit, 0);
    ompd_thread_handle_t **threads;
    ompd_task_handle_t **tasks;
    int count;
    fake_counts_reset();
    assert_ok(ompd_get_threads(unit.space, &threads, &count));
    ck_assert_int_eq(count, (int)n + 1);
    ck_assert_uint_le(fake_counts.reads, n / 8 + 10);
    unit_free_threads(threads, count);

    fake_counts_reset();
    assert_ok(ompd_get_thread_in_parallel(region, &threads, &count));
    ck_assert_int_eq(count, (int)n);
    ck_assert_uint_le(fake_counts.reads, 2);
    unit_free_threads(threads, count);

    fake_counts_reset();
    assert_ok(ompd_get_implicit_task_in_parallel(region, &tasks, &count));
    ck_assert_int_eq(count, (int)n);
    ck_assert_uint_le(fake_counts.reads, n / 64 + 2);
    unit_free_tasks(tasks, count);

    ck_assert_uint_eq(fake_counts.lookups, 0);
    ck_assert_uint_le(fake_counts.largest_read, 65536);
    unit_end(&unit);
}

UNIT(opening_a_process, 8)
{
    ompd_address_space_handle_t *space;
    fake_counts_reset();
    assert_ok(ompd_process_initialize(context_of(unit->fake), &space));
    ck_assert_uint_le(fake_counts.lookups, 5); /* two of the list of images, the hooks'
                                                  two, and a runtime */
    ck_assert_uint_eq(fake_counts.reads, 3);
    assert_ok(ompd_release_address_space_handle(space));
}
