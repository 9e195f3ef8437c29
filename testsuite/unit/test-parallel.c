/* SPDX-License-Identifier: MIT
 *
 * Sections 7.3 and 9: parallel regions, found and asked.
 */
#include "unit.h"

static uint64_t id_of(ompd_parallel_handle_t *region)
{
    ompd_parallel_id_t id = 0;
    assert_ok(ompd_get_parallel_id(region, &id));
    return id;
}

UNIT(region_of_a_thread, 8)
{
    static const unsigned expected[] = {OUTER_ID, INNER_ID, OUTER_ID, OUTER_ID};
    for (unsigned i = 0; i < 4; i++) {
        ompd_parallel_handle_t *region = unit_region(unit, i);
        ck_assert_uint_eq(id_of(region), expected[i]);
    }
}

UNIT(no_region_outside, 8)
{
    ompd_parallel_handle_t *const before = (ompd_parallel_handle_t *)unit;
    ompd_parallel_handle_t *region = before;
    ompd_thread_handle_t *idle = unit_idle_thread(unit);
    assert_rc(ompd_get_top_parallel_region(idle, &region), ompd_rc_unavailable);

    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_status, 0);
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_region, 0);
    assert_rc(ompd_get_top_parallel_region(thread, &region), ompd_rc_unavailable);
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_flags, THREAD_UNTRACKED);
    assert_rc(ompd_get_top_parallel_region(thread, &region), ompd_rc_unavailable);
    ck_assert_ptr_eq(region, before);
}

/* The master has ended the barrier of a worker, whose record still names the region. */
UNIT(no_region_when_idle, 8)
{
    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_status, 0x10);
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    ompd_tword_t number;
    assert_rc(ompd_get_top_parallel_region(thread, &region), ompd_rc_unavailable);
    assert_rc(ompd_get_top_task_region(thread, &task), ompd_rc_unavailable);
    assert_rc(ompd_get_thread_num(thread, &number), ompd_rc_unavailable);
}

UNIT(enclosing_region, 8)
{
    ompd_parallel_handle_t *inner = unit_region(unit, 1);
    ompd_parallel_handle_t *outer;
    assert_ok(ompd_get_enclosing_parallel_handle(inner, &outer));
    ck_assert_uint_eq(id_of(outer), OUTER_ID);
    ompd_parallel_handle_t *const before = outer;
    assert_rc(ompd_get_enclosing_parallel_handle(outer, &outer), ompd_rc_unavailable);
    ck_assert_ptr_eq(outer, before);
}

UNIT(settings_of_a_region, 8)
{
    ompd_parallel_handle_t *region = unit_region(unit, 0);
    ompd_tword_t threads = 0;
    assert_ok(ompd_get_num_threads(region, &threads));
    ck_assert_int_eq(threads, 8);
    ompd_address_t function = {1, 1};
    assert_ok(ompd_get_parallel_function(region, &function));
    ck_assert_uint_eq(function.address, OUTER_FUNCTION);
    ck_assert_uint_eq(function.segment, OMPD_SEGMENT_UNSPECIFIED);

    threads = -1;
    fake_put(unit->fake, unit->program->outer, FIELD_region_actual, 0);
    assert_rc(ompd_get_num_threads(region, &threads), ompd_rc_unavailable);
    ck_assert_int_eq(threads, -1);
}

/* Section 12.1: what a debugger asks at ompd_bp_parallel_begin. */
UNIT(at_parallel_begin, 8)
{
    struct fake *fake = unit->fake;
    struct program *program = unit->program;
    uint64_t tasks = fake_get(fake, program->outer, FIELD_region_implicit_tasks);
    uint64_t members = fake_get(fake, program->outer, FIELD_region_members);
    for (unsigned i = 0; i < 8; i++) {
        fake_put(fake, tasks + i * fake->record_size[RECORD_task], FIELD_task_id, 0);
        fake_put(fake, members + i * fake->record_size[RECORD_member], FIELD_member_thread_id, 0);
    }
    fake_put(fake, program->thread[0], FIELD_thread_task, program->initial_task);
    fake_put(fake, program->thread[0], FIELD_thread_task_id, INITIAL_TASK_ID);
    fake_put(fake, program->thread[0], FIELD_thread_status, OUTER_ID << 8 | 0x20);

    ompd_parallel_handle_t *region = unit_region(unit, 0);
    ompd_tword_t threads = 0;
    assert_ok(ompd_get_num_threads(region, &threads));
    ck_assert_int_eq(threads, 8);
    int count = -1;
    assert_ok(ompd_get_thread_in_parallel(region, NULL, &count));
    ck_assert_int_eq(count, 0);
    ompd_task_handle_t **none;
    assert_ok(ompd_get_implicit_task_in_parallel(region, &none, &count));
    ck_assert_int_eq(count, 0);
    ck_assert_ptr_null(none);
    ompd_task_handle_t *task = unit_task(unit, 0);
    ompd_task_id_t id = 0;
    assert_ok(ompd_get_task_id(task, &id));
    ck_assert_uint_eq(id, INITIAL_TASK_ID);
    ompd_address_t left, entered;
    assert_ok(ompd_get_task_frame(task, &left, &entered));
    ck_assert_uint_eq(left.address, 0);
    ck_assert_uint_eq(entered.address, ENTER_FRAME);
}

/* The writer was stopped between the region and the status word that holds its id. */
UNIT(torn_region, 8)
{
    struct fake *fake = unit->fake;
    uint64_t record = unit->program->thread[3];
    fake_put(fake, record, FIELD_thread_seq, 7);
    fake_put(fake, record, FIELD_thread_region, unit->program->inner);
    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    ompd_parallel_handle_t *region;
    fake_counts_reset();
    assert_ok(ompd_get_top_parallel_region(thread, &region));
    ck_assert_uint_eq(fake_counts.reads, 2);
    ck_assert_uint_eq(id_of(region), INNER_ID);

    fake_put(fake, unit->program->inner, FIELD_region_id, 0);
    assert_rc(ompd_get_top_parallel_region(thread, &region), ompd_rc_unavailable);
    fake_put(fake, record, FIELD_thread_region, 0);
    assert_rc(ompd_get_top_parallel_region(thread, &region), ompd_rc_unavailable);
}
