/* SPDX-License-Identifier: MIT
 *
 * The 5.x interface: from one handle to another, and the implicit region around it all.
 */
#include "unit5.h"

static ompd_ext_object_t object_of(void *handle, ompd_scope_t scope)
{
    ompd_ext_object_t object;
    assert_ok(ompd_ext_get_object(handle, scope, &object));
    return object;
}

UNIT(teams_by_number, 8)
{
    ompd_parallel_handle_t *region = unit_region(unit, 0);
    for (int i = 0; i < 8; i++) {
        ompd_thread_handle_t *thread;
        ompd_task_handle_t *task;
        fake_counts_reset();
        assert_ok(ompd_get_thread_in_parallel(region, i, &thread));
        ck_assert_uint_eq(fake_counts.reads, 2);
        assert_ok(ompd_get_task_in_parallel(region, i, &task));
        ck_assert_uint_eq(fake_counts.reads, 4);
        ck_assert_uint_eq(object_of(thread, ompd_scope_thread).id, THREAD_ID + i);
        ck_assert_uint_eq(object_of(task, ompd_scope_task).id, IMPLICIT_TASK_ID + i);
    }
    ompd_thread_handle_t *thread = (void *)unit;
    ompd_task_handle_t *task = (void *)unit;
    /* The arrays have room for ten. */
    static const int outside[] = {-1, 8, 9, 10, 1 << 20, INT32_MAX, INT32_MIN};
    for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_rc(ompd_get_thread_in_parallel(region, outside[i], &thread), ompd_rc_bad_input);
        assert_rc(ompd_get_task_in_parallel(region, outside[i], &task), ompd_rc_bad_input);
    }
    fake_put(unit->fake, unit->program->outer, FIELD_region_actual, 0);
    assert_rc(ompd_get_thread_in_parallel(region, 9, &thread), ompd_rc_unavailable);
    assert_rc(ompd_get_task_in_parallel(region, 9, &task), ompd_rc_unavailable);
    ck_assert_ptr_eq(thread, (void *)unit);
    ck_assert_ptr_eq(task, (void *)unit);
}

/* An array whose end lies beyond that of memory: its elements are not those at its
 * beginning. */
EACH(teams_around_the_end, TARGET_KINDS)
{
    enum { NUMBER = 60000 };
    struct unit unit = unit_begin(_i, 8);
    if (unit.fake->pointer_size == 8) {
        ompd_parallel_handle_t *region = unit_region(&unit, 0);
        ompd_thread_handle_t *thread;
        ompd_task_handle_t *task;
        uint64_t outer = unit.program->outer;
        uint64_t members = fake_get(unit.fake, outer, FIELD_region_members);
        uint64_t tasks = fake_get(unit.fake, outer, FIELD_region_implicit_tasks);
        uint64_t back = (uint64_t)NUMBER * unit.fake->record_size[RECORD_member];
        uint64_t far = (uint64_t)NUMBER * unit.fake->record_size[RECORD_task];
        ck_assert_uint_gt(back, members);
        ck_assert_uint_gt(far, tasks);
        fake_put(unit.fake, outer, FIELD_region_actual, 1 << 16);
        fake_put(unit.fake, outer, FIELD_region_capacity, 1 << 16);
        fake_put(unit.fake, outer, FIELD_region_members, members - back);
        fake_put(unit.fake, outer, FIELD_region_implicit_tasks, tasks - far);
        assert_rc(ompd_get_thread_in_parallel(region, NUMBER, &thread), ompd_rc_error);
        assert_rc(ompd_get_task_in_parallel(region, NUMBER, &task), ompd_rc_error);
    }
    unit_end(&unit);
}

UNIT(navigation, 8)
{
    ompd_parallel_handle_t *inner = unit_region(unit, 1);
    ompd_parallel_handle_t *outer;
    assert_ok(ompd_get_enclosing_parallel_handle(inner, &outer));
    ck_assert_uint_eq(object_of(outer, ompd_scope_parallel).id, OUTER_ID);

    ompd_task_handle_t *task = unit_task(unit, 1);
    ompd_task_handle_t *generating, *scheduling;
    assert_ok(ompd_get_generating_task_handle(task, &generating));
    assert_ok(ompd_get_scheduling_task_handle(task, &scheduling));
    int order = 1;
    assert_ok(ompd_task_handle_compare(generating, scheduling, &order));
    ck_assert_int_eq(order, 0);
    ompd_task_handle_t *nothing = (void *)unit;
    assert_rc(ompd_get_scheduling_task_handle(generating, &nothing), ompd_rc_unavailable);
    ck_assert_ptr_eq(nothing, (void *)unit);
    ompd_parallel_handle_t *again;
    assert_ok(ompd_get_task_parallel_handle(task, &again));
    assert_ok(ompd_parallel_handle_compare(inner, again, &order));
    ck_assert_int_eq(order, 0);
    ompd_address_t function;
    assert_ok(ompd_get_task_function(task, &function));
    ck_assert_uint_eq(function.address, INNER_FUNCTION);

    assert_ok(ompd_rel_parallel_handle(outer));
    assert_rc(ompd_rel_parallel_handle(outer), ompd_rc_stale_handle);
}

static bool same_region(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b)
{
    int order = 7, reverse = 7;
    assert_ok(ompd_parallel_handle_compare(a, b, &order));
    assert_ok(ompd_parallel_handle_compare(b, a, &reverse));
    ck_assert_int_eq(order, -reverse);
    return order == 0;
}

/* Around the outer region, one read from region, task or thread. */
UNIT(implicit_region, 8)
{
    struct fake *fake = unit->fake;
    uint64_t master = unit->program->thread[0];
    ompd_parallel_handle_t *outer = unit_region(unit, 0);
    ompd_task_handle_t *task = unit_task(unit, 0), *initial;
    ompd_parallel_handle_t *of_region, *of_task, *of_thread;
    assert_ok(ompd_get_generating_task_handle(task, &initial));
    fake_counts_reset();
    assert_ok(ompd_get_enclosing_parallel_handle(outer, &of_region));
    assert_ok(ompd_get_task_parallel_handle(initial, &of_task));
    ck_assert_uint_eq(fake_counts.reads, 2);

    ompd_parallel_handle_t *none = (void *)unit;
    assert_rc(ompd_get_enclosing_parallel_handle(of_region, &none), ompd_rc_unavailable);
    ompd_ext_object_t object = {9, 9};
    assert_rc(ompd_ext_get_object(of_region, ompd_scope_parallel, &object), ompd_rc_unavailable);
    ck_assert_uint_eq(object.id, 9);
    ompd_ext_region_t facts;
    assert_ok(ompd_ext_get_region(of_region, sizeof facts, &facts));
    ck_assert_uint_eq(facts.region.id, 0);
    ck_assert_uint_eq(facts.master.id, THREAD_ID);
    ck_assert_uint_eq(facts.num_threads, 1);
    ompd_word_t number = -1;
    assert_ok(ompd_get_icv_from_scope(of_region, ompd_scope_parallel,
                                      unit_icv(unit, "levels-var", NULL), &number));
    ck_assert_int_eq(number, 0);
    assert_ok(ompd_get_icv_from_scope(of_region, ompd_scope_parallel,
                                      unit_icv(unit, "team-size-var", NULL), &number));
    ck_assert_int_eq(number, 1);
    /* It may be that of a target construct, whose word is not kept. */
    ompd_address_t word;
    fake_put(unit->fake, unit->fake->root, FIELD_root_tool, TOOL_OMPT_5);
    assert_ok(ompd_get_tool_data(of_region, ompd_scope_parallel, &number, &word));
    assert_rc(ompd_get_tool_data(of_region, ompd_scope_target, &number, &word),
              ompd_rc_unsupported);

    /* The thread is still inside the outer region. */
    ompd_thread_handle_t *thread;
    ompd_task_handle_t *first;
    int order = 7;
    assert_ok(ompd_get_thread_in_parallel(of_region, 0, &thread));
    ck_assert_uint_eq(object_of(thread, ompd_scope_thread).id, THREAD_ID);
    assert_ok(ompd_get_task_in_parallel(of_region, 0, &first));
    assert_ok(ompd_task_handle_compare(first, initial, &order));
    ck_assert_int_eq(order, 0);
    ompd_thread_handle_t *no_thread = (void *)unit;
    ompd_task_handle_t *no_task = (void *)unit;
    assert_rc(ompd_get_thread_in_parallel(of_region, 1, &no_thread), ompd_rc_bad_input);
    assert_rc(ompd_get_task_in_parallel(of_region, -1, &no_task), ompd_rc_bad_input);

    /* Now it leaves. */
    fake_put(fake, master, FIELD_thread_status, 0);
    fake_put(fake, master, FIELD_thread_region, 0);
    fake_put(fake, master, FIELD_thread_task, unit->program->initial_task);
    fake_put(fake, master, FIELD_thread_task_id, INITIAL_TASK_ID);
    fake_counts_reset();
    assert_ok(ompd_get_curr_parallel_handle(thread, &of_thread));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert(same_region(of_region, of_task) && same_region(of_task, of_thread));
    ck_assert(!same_region(of_region, outer));
    assert_ok(ompd_get_task_in_parallel(of_thread, 0, &first));

    /* Idle and untracked threads are in none, nor is a task that no thread runs. */
    fake_put(fake, master, FIELD_thread_status, 0x10);
    assert_rc(ompd_get_curr_parallel_handle(thread, &none), ompd_rc_unavailable);
    fake_put(fake, master, FIELD_thread_status, 0);
    fake_put(fake, master, FIELD_thread_flags, THREAD_UNTRACKED);
    assert_rc(ompd_get_curr_parallel_handle(thread, &none), ompd_rc_unavailable);
    assert_rc(ompd_ext_get_region(of_region, sizeof facts, &facts), ompd_rc_stale_handle);
    fake_put(fake, master, FIELD_thread_flags, THREAD_INITIAL);
    fake_put(fake, unit->program->initial_task, FIELD_task_thread, 0);
    fake_put(fake, unit->program->initial_task, FIELD_task_thread_id, 0);
    assert_rc(ompd_get_task_parallel_handle(initial, &none), ompd_rc_unavailable);
    /* Tasks that are each other's parents do not lead to an initial one. */
    fake_put(fake, master, FIELD_thread_task, unit->program->task[0]);
    fake_put(fake, master, FIELD_thread_task_id, IMPLICIT_TASK_ID);
    fake_put(fake, unit->program->task[0], FIELD_task_parent, unit->program->task[1]);
    fake_put(fake, unit->program->task[0], FIELD_task_parent_id, IMPLICIT_TASK_ID + 1);
    fake_put(fake, unit->program->task[1], FIELD_task_parent, unit->program->task[0]);
    fake_put(fake, unit->program->task[1], FIELD_task_parent_id, IMPLICIT_TASK_ID);
    fake_counts_reset();
    assert_rc(ompd_get_task_in_parallel(of_region, 0, &no_task), ompd_rc_error);
    ck_assert_uint_le(fake_counts.reads, 300);
    /* The thread ends. */
    fake_put(fake, master, FIELD_thread_id, 0);
    assert_rc(ompd_ext_get_region(of_region, sizeof facts, &facts), ompd_rc_stale_handle);
    assert_rc(ompd_get_thread_in_parallel(of_region, 0, &no_thread), ompd_rc_stale_handle);
    assert_rc(ompd_get_enclosing_parallel_handle(of_region, &none), ompd_rc_stale_handle);
    ck_assert_ptr_eq(none, (void *)unit);
    ck_assert_ptr_eq(no_thread, (void *)unit);
    ck_assert_ptr_eq(no_task, (void *)unit);

    assert_ok(ompd_rel_parallel_handle(of_region));
    assert_rc(ompd_rel_parallel_handle(of_region), ompd_rc_stale_handle);
}
