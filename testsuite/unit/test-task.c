/* SPDX-License-Identifier: MIT
 *
 * Sections 7.4 and 11: tasks, found and asked.
 */
#include "unit.h"

static uint64_t id_of(ompd_task_handle_t *task)
{
    ompd_task_id_t id = 0;
    assert_ok(ompd_get_task_id(task, &id));
    return id;
}

/* The generating task; gives the one it came from back. */
static ompd_task_handle_t *parent_of(ompd_task_handle_t *task)
{
    ompd_task_handle_t *parent;
    assert_ok(ompd_get_ancestor_task_region(task, &parent));
    assert_ok(ompd_release_task_handle(task));
    return parent;
}

UNIT(task_of_a_thread, 8)
{
    static const unsigned expected[] = {IMPLICIT_TASK_ID, INNER_TASK_ID, EXPLICIT_TASK_ID,
                                        IMPLICIT_TASK_ID + 3};
    for (unsigned i = 0; i < 4; i++) {
        ompd_task_handle_t *task = unit_task(unit, i);
        ck_assert_uint_eq(id_of(task), expected[i]);
    }
    ompd_thread_handle_t *idle = unit_idle_thread(unit);
    ompd_task_handle_t *task;
    assert_rc(ompd_get_top_task_region(idle, &task), ompd_rc_unavailable);
}

UNIT(ancestors, 8)
{
    ompd_task_handle_t *task = unit_task(unit, 1);
    static const unsigned path[] = {INNER_TASK_ID, IMPLICIT_TASK_ID + 1, INITIAL_TASK_ID};
    for (unsigned i = 0; i < 3; i++) {
        if (i)
            task = parent_of(task);
        ck_assert_uint_eq(id_of(task), path[i]);
    }
    ompd_task_handle_t *const before = task;
    ompd_task_handle_t *none = before;
    assert_rc(ompd_get_ancestor_task_region(task, &none), ompd_rc_unavailable);
    ck_assert_ptr_eq(none, before);
}

UNIT(region_of_a_task, 8)
{
    ompd_task_handle_t *task = unit_task(unit, 2);
    ompd_parallel_handle_t *region;
    assert_ok(ompd_get_task_parallel_handle(task, &region));
    ompd_parallel_id_t id = 0;
    assert_ok(ompd_get_parallel_id(region, &id));
    ck_assert_uint_eq(id, OUTER_ID);
    task = parent_of(parent_of(task));
    assert_rc(ompd_get_task_parallel_handle(task, &region), ompd_rc_unavailable);
}

UNIT(implicit_tasks, 200)
{
    ompd_parallel_handle_t *region = unit_region(unit, 0);
    ompd_task_handle_t **tasks;
    int count = 0;
    assert_ok(ompd_get_implicit_task_in_parallel(region, &tasks, &count));
    ck_assert_int_eq(count, 200);
    for (int i = 0; i < count; i++)
        ck_assert_uint_eq(id_of(tasks[i]), IMPLICIT_TASK_ID + (unsigned)i);
    unit_free_tasks(tasks, count);
    fake_put(unit->fake, unit->program->task[150], FIELD_task_id, 0);
    assert_ok(ompd_get_implicit_task_in_parallel(region, NULL, &count));
    ck_assert_int_eq(count, 199);
}

struct expected {
    unsigned id;
    uint64_t function; /* 0: unavailable */
    int level, active_level, in_parallel, in_final, implicit;
    uint64_t left, entered;
};

static void check_task(ompd_task_handle_t *task, const struct expected *expected)
{
    ck_assert_uint_eq(id_of(task), expected->id);
    ompd_address_t function = {9, 9};
    if (expected->function) {
        assert_ok(ompd_get_task_function(task, &function));
        ck_assert_uint_eq(function.address, expected->function);
        ck_assert_uint_eq(function.segment, OMPD_SEGMENT_UNSPECIFIED);
    } else {
        assert_rc(ompd_get_task_function(task, &function), ompd_rc_unavailable);
        ck_assert_uint_eq(function.address, 9);
    }
    ompd_tword_t value;
#define CHECK(routine, member)                                                                     \
    value = -1;                                                                                    \
    assert_ok(routine(task, &value));                                                              \
    ck_assert_int_eq(value, expected->member)
    CHECK(ompd_get_level, level);
    CHECK(ompd_get_active_level, active_level);
    CHECK(ompd_in_parallel, in_parallel);
    CHECK(ompd_in_final, in_final);
    CHECK(ompd_is_implicit, implicit);
    ompd_address_t left, entered;
    assert_ok(ompd_get_task_frame(task, &left, &entered));
    ck_assert_uint_eq(left.address, expected->left);
    ck_assert_uint_eq(entered.address, expected->entered);
}

UNIT(settings_of_a_task, 8)
{
    ompd_task_handle_t *task = unit_task(unit, 2);
    check_task(task, &(struct expected){EXPLICIT_TASK_ID, EXPLICIT_FUNCTION, 1, 1, 1, 1, 0, 0, 0});
    task = parent_of(task);
    check_task(task,
               &(struct expected){IMPLICIT_TASK_ID, OUTER_FUNCTION, 1, 1, 1, 0, 1, EXIT_FRAME, 0});
    task = parent_of(task);
    check_task(task, &(struct expected){INITIAL_TASK_ID, 0, 0, 0, 0, 0, 1, 0, ENTER_FRAME});
    task = unit_task(unit, 1);
    check_task(task, &(struct expected){INNER_TASK_ID, INNER_FUNCTION, 2, 1, 1, 0, 1, 0, 0});
}

UNIT(torn_task, 8)
{
    struct fake *fake = unit->fake;
    uint64_t record = unit->program->thread[3];
    fake_put(fake, record, FIELD_thread_seq, 1);
    fake_put(fake, record, FIELD_thread_task, unit->program->explicit_task);
    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    ompd_task_handle_t *task;
    assert_ok(ompd_get_top_task_region(thread, &task));
    ck_assert_uint_eq(id_of(task), EXPLICIT_TASK_ID);
    fake_put(fake, unit->program->explicit_task, FIELD_task_id, 0);
    assert_rc(ompd_get_top_task_region(thread, &task), ompd_rc_unavailable);
    /* Even, it is no longer torn but wrong: the task that is meant is another one. */
    fake_put(fake, record, FIELD_thread_seq, 2);
    assert_ok(ompd_get_top_task_region(thread, &task));
    ompd_task_id_t id;
    assert_rc(ompd_get_task_id(task, &id), ompd_rc_stale_handle);
}

/* Valid questions that nothing recorded answers. */
/* A runtime that keeps no control variables, and has read no settings. */
UNIT(settings_not_held, 8)
{
    ompd_task_handle_t *task = unit_task(unit, 0);
    ompd_thread_handle_t *thread = unit_thread(unit, 0);
    ompd_tword_t value = -1;
    ompd_sched_t kind = ompd_sched_auto;
    ompd_proc_bind_t bind = ompd_proc_bind_close;
    const char *const *vars = NULL;
    assert_rc(ompd_get_num_procs(unit->space, &value), ompd_rc_unsupported);
    assert_rc(ompd_get_thread_limit(unit->space, &value), ompd_rc_unavailable);
    assert_rc(ompd_get_max_threads(task, &value), ompd_rc_unsupported);
    assert_rc(ompd_get_dynamic(task, &value), ompd_rc_unsupported);
    assert_rc(ompd_get_nested(task, &value), ompd_rc_unsupported);
    assert_rc(ompd_get_max_active_levels(thread, &value), ompd_rc_unsupported);
    assert_rc(ompd_get_schedule(task, &kind, &value), ompd_rc_unsupported);
    assert_rc(ompd_get_proc_bind(task, &bind), ompd_rc_unsupported);
    assert_rc(ompd_get_display_control_vars(unit->space, &vars), ompd_rc_unavailable);
    ck_assert_int_eq(value, -1);
    ck_assert_int_eq(kind, ompd_sched_auto);
    ck_assert_int_eq(bind, ompd_proc_bind_close);
    ck_assert_ptr_null(vars);
    assert_rc(ompd_get_num_procs(unit->space, NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_num_procs(NULL, &value), ompd_rc_stale_handle);
    assert_rc(ompd_get_max_threads(task, NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_max_threads(NULL, &value), ompd_rc_stale_handle);
    assert_rc(ompd_get_schedule(task, NULL, &value), ompd_rc_bad_input);
    assert_rc(ompd_get_schedule(task, &kind, NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_display_control_vars(unit->space, NULL), ompd_rc_bad_input);
    assert_rc(ompd_release_display_control_vars(NULL), ompd_rc_bad_input);
}
