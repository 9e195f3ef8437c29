/* SPDX-License-Identifier: MIT
 *
 * The 5.x interface: initialisation, handles, navigation, states, frames, devices.
 */
#include <string.h>

#include "unit5.h"

START_TEST(versions)
{
    static const ompd_word_t good[] = {201811, 202011, 202111, 202411};
    for (unsigned i = 0; i < 4; i++) {
        assert_ok(ompd_initialize(good[i], &fake_debugger));
        assert_rc(ompd_initialize(good[i], &fake_debugger), ompd_rc_error);
        assert_ok(ompd_finalize());
    }
    static const ompd_word_t bad[] = {0, 5, 6, 2, -1, 201810, 202412};
    for (unsigned i = 0; i < 7; i++)
        assert_rc(ompd_initialize(bad[i], &fake_debugger), ompd_rc_unsupported);
    assert_rc(ompd_finalize(), ompd_rc_error);
    ompd_word_t version = 0;
    assert_ok(ompd_get_api_version(&version));
    ck_assert_int_eq(version, 202411);
    const char *string = NULL;
    assert_ok(ompd_get_version_string(&string));
    ck_assert_ptr_nonnull(string);
    assert_rc(ompd_get_api_version(NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_version_string(NULL), ompd_rc_bad_input);
}
END_TEST

START_TEST(callbacks_that_are_needed)
{
    assert_rc(ompd_initialize(201811, NULL), ompd_rc_bad_input);
#define WITHOUT(member)                                                                  \
    do {                                                                                 \
        ompd_callbacks_t table = fake_debugger;                                          \
        table.member = NULL;                                                             \
        assert_rc(ompd_initialize(201811, &table), ompd_rc_bad_input);                   \
    } while (0)
    WITHOUT(alloc_memory);
    WITHOUT(free_memory);
    WITHOUT(sizeof_type);
    WITHOUT(symbol_addr_lookup);
    WITHOUT(read_memory);
    WITHOUT(device_to_host);
#undef WITHOUT
    ompd_address_space_handle_t *space;
    assert_rc(ompd_process_initialize((ompd_address_space_context_t *)&space, &space),
              ompd_rc_error);
}
END_TEST

START_TEST(thread_kinds)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_thread_id_t *kinds;
    ompd_size_t *sizes;
    int count;
    assert_ok(ompd_get_device_thread_id_kinds(unit.space, &kinds, &sizes, &count));
    ck_assert_int_eq(count, 2);
    ompd_thread_handle_t *thread = unit_thread(&unit, 3);
    for (int i = 0; i < count; i++) {
        unsigned char id[8];
        ompd_thread_handle_t *again;
        assert_ok(ompd_get_thread_id(thread, kinds[i], sizes[i], id));
        assert_ok(ompd_get_thread_handle(unit.space, kinds[i], sizes[i], id, &again));
        int order = 1;
        assert_ok(ompd_thread_handle_compare(thread, again, &order));
        ck_assert_int_eq(order, 0);
        assert_ok(ompd_rel_thread_handle(again));
        assert_rc(ompd_get_thread_id(thread, kinds[i], 3, id), ompd_rc_bad_input);
    }
    unsigned char id[8] = {77};
    ompd_thread_handle_t *none = (void *)&unit;
    assert_rc(ompd_get_thread_handle(unit.space, OMPD_THREAD_ID_LWP, 8, id, &none),
              ompd_rc_unavailable);
    assert_rc(
        ompd_get_thread_handle(unit.space, OMPD_THREAD_ID_CUDALOGICAL, 8, id, &none),
        ompd_rc_unsupported);
    ck_assert_ptr_eq(none, (void *)&unit);
    ompd_address_space_handle_t *device;
    assert_ok(ompd_get_device_from_thread(thread, &device));
    ck_assert_ptr_eq(device, unit.space);
    assert_ok(ompd_rel_thread_handle(thread));
    fake_cb_free(kinds);
    fake_cb_free(sizes);
    unit_end(&unit);
}
END_TEST

START_TEST(devices_are_not_here)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_address_space_handle_t *device = (void *)&unit;
    int id = 0;
    assert_rc(ompd_device_initialize(unit.space, context_of(unit.fake),
                                     OMPD_DEVICE_KIND_CUDA, sizeof id, &id, &device),
              ompd_rc_unsupported);
    ck_assert_ptr_eq(device, (void *)&unit);
    assert_rc(ompd_device_initialize(unit.space, NULL, OMPD_DEVICE_KIND_CUDA, sizeof id,
                                     &id, &device),
              ompd_rc_bad_input);
    ompd_word_t version;
    assert_ok(ompd_get_omp_version(unit.space, &version));
    ck_assert_int_eq(version, 201511);
    const char *string;
    assert_ok(ompd_get_omp_version_string(unit.space, &string));
    ck_assert_str_eq(string, "OpenMP 4.5");
    fake_cb_free((char *)(uintptr_t)string);
    unit_end(&unit);
}
END_TEST

static ompd_ext_object_t object_of(void *handle, ompd_scope_t scope)
{
    ompd_ext_object_t object;
    assert_ok(ompd_ext_get_object(handle, scope, &object));
    return object;
}

START_TEST(teams_by_number)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_parallel_handle_t *region = unit_region(&unit, 0);
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
        assert_ok(ompd_rel_thread_handle(thread));
        assert_ok(ompd_rel_task_handle(task));
    }
    ompd_thread_handle_t *thread = (void *)&unit;
    ompd_task_handle_t *task = (void *)&unit;
    /* The arrays have room for ten. */
    static const int outside[] = {-1, 8, 9, 10, 1 << 20, INT32_MAX, INT32_MIN};
    for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_rc(ompd_get_thread_in_parallel(region, outside[i], &thread),
                  ompd_rc_bad_input);
        assert_rc(ompd_get_task_in_parallel(region, outside[i], &task),
                  ompd_rc_bad_input);
    }
    fake_put(unit.fake, unit.program->outer, FIELD_region_actual, 0);
    assert_rc(ompd_get_thread_in_parallel(region, 9, &thread), ompd_rc_unavailable);
    assert_rc(ompd_get_task_in_parallel(region, 9, &task), ompd_rc_unavailable);
    ck_assert_ptr_eq(thread, (void *)&unit);
    ck_assert_ptr_eq(task, (void *)&unit);
    assert_ok(ompd_rel_parallel_handle(region));
    unit_end(&unit);
}
END_TEST

START_TEST(navigation)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_parallel_handle_t *inner = unit_region(&unit, 1);
    ompd_parallel_handle_t *outer;
    assert_ok(ompd_get_enclosing_parallel_handle(inner, &outer));
    ck_assert_uint_eq(object_of(outer, ompd_scope_parallel).id, OUTER_ID);

    ompd_task_handle_t *task = unit_task(&unit, 1);
    ompd_task_handle_t *generating, *scheduling;
    assert_ok(ompd_get_generating_task_handle(task, &generating));
    assert_ok(ompd_get_scheduling_task_handle(task, &scheduling));
    int order = 1;
    assert_ok(ompd_task_handle_compare(generating, scheduling, &order));
    ck_assert_int_eq(order, 0);
    ompd_task_handle_t *nothing = (void *)&unit;
    assert_rc(ompd_get_scheduling_task_handle(generating, &nothing), ompd_rc_unavailable);
    ck_assert_ptr_eq(nothing, (void *)&unit);
    ompd_parallel_handle_t *again;
    assert_ok(ompd_get_task_parallel_handle(task, &again));
    assert_ok(ompd_parallel_handle_compare(inner, again, &order));
    ck_assert_int_eq(order, 0);
    ompd_address_t function;
    assert_ok(ompd_get_task_function(task, &function));
    ck_assert_uint_eq(function.address, INNER_FUNCTION);

    assert_ok(ompd_rel_task_handle(task));
    assert_ok(ompd_rel_task_handle(generating));
    assert_ok(ompd_rel_task_handle(scheduling));
    assert_ok(ompd_rel_parallel_handle(inner));
    assert_ok(ompd_rel_parallel_handle(outer));
    assert_rc(ompd_rel_parallel_handle(outer), ompd_rc_stale_handle);
    assert_ok(ompd_rel_parallel_handle(again));
    unit_end(&unit);
}
END_TEST

static bool same_region(ompd_parallel_handle_t *a, ompd_parallel_handle_t *b)
{
    int order = 7, reverse = 7;
    assert_ok(ompd_parallel_handle_compare(a, b, &order));
    assert_ok(ompd_parallel_handle_compare(b, a, &reverse));
    ck_assert_int_eq(order, -reverse);
    return order == 0;
}

/* Around the outer region, one read from region, task or thread. */
START_TEST(implicit_region)
{
    struct unit unit = unit_begin(_i, 8);
    struct fake *fake = unit.fake;
    uint64_t master = unit.program->thread[0];
    ompd_parallel_handle_t *outer = unit_region(&unit, 0);
    ompd_task_handle_t *task = unit_task(&unit, 0), *initial;
    ompd_parallel_handle_t *of_region, *of_task, *of_thread;
    assert_ok(ompd_get_generating_task_handle(task, &initial));
    fake_counts_reset();
    assert_ok(ompd_get_enclosing_parallel_handle(outer, &of_region));
    assert_ok(ompd_get_task_parallel_handle(initial, &of_task));
    ck_assert_uint_eq(fake_counts.reads, 2);

    ompd_parallel_handle_t *none = (void *)&unit;
    assert_rc(ompd_get_enclosing_parallel_handle(of_region, &none), ompd_rc_unavailable);
    ompd_ext_object_t object = {9, 9};
    assert_rc(ompd_ext_get_object(of_region, ompd_scope_parallel, &object),
              ompd_rc_unavailable);
    ck_assert_uint_eq(object.id, 9);
    ompd_ext_region_t facts;
    assert_ok(ompd_ext_get_region(of_region, sizeof facts, &facts));
    ck_assert_uint_eq(facts.region.id, 0);
    ck_assert_uint_eq(facts.master.id, THREAD_ID);
    ck_assert_uint_eq(facts.num_threads, 1);
    ompd_word_t number = -1;
    assert_ok(ompd_get_icv_from_scope(of_region, ompd_scope_parallel,
                                      unit_icv(&unit, "levels-var", NULL), &number));
    ck_assert_int_eq(number, 0);
    assert_ok(ompd_get_icv_from_scope(of_region, ompd_scope_parallel,
                                      unit_icv(&unit, "team-size-var", NULL), &number));
    ck_assert_int_eq(number, 1);

    /* The thread is still inside the outer region. */
    ompd_thread_handle_t *thread;
    ompd_task_handle_t *first;
    int order = 7;
    assert_ok(ompd_get_thread_in_parallel(of_region, 0, &thread));
    ck_assert_uint_eq(object_of(thread, ompd_scope_thread).id, THREAD_ID);
    assert_ok(ompd_get_task_in_parallel(of_region, 0, &first));
    assert_ok(ompd_task_handle_compare(first, initial, &order));
    ck_assert_int_eq(order, 0);
    assert_ok(ompd_rel_task_handle(first));
    ompd_thread_handle_t *no_thread = (void *)&unit;
    ompd_task_handle_t *no_task = (void *)&unit;
    assert_rc(ompd_get_thread_in_parallel(of_region, 1, &no_thread), ompd_rc_bad_input);
    assert_rc(ompd_get_task_in_parallel(of_region, -1, &no_task), ompd_rc_bad_input);

    /* Now it leaves. */
    fake_put(fake, master, FIELD_thread_status, 0);
    fake_put(fake, master, FIELD_thread_region, 0);
    fake_put(fake, master, FIELD_thread_task, unit.program->initial_task);
    fake_put(fake, master, FIELD_thread_task_id, INITIAL_TASK_ID);
    fake_counts_reset();
    assert_ok(ompd_get_curr_parallel_handle(thread, &of_thread));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert(same_region(of_region, of_task) && same_region(of_task, of_thread));
    ck_assert(!same_region(of_region, outer));
    assert_ok(ompd_get_task_in_parallel(of_thread, 0, &first));
    assert_ok(ompd_rel_task_handle(first));

    /* Idle and untracked threads are in none, nor is a task that no thread runs. */
    fake_put(fake, master, FIELD_thread_status, 0x10);
    assert_rc(ompd_get_curr_parallel_handle(thread, &none), ompd_rc_unavailable);
    fake_put(fake, master, FIELD_thread_status, 0);
    fake_put(fake, master, FIELD_thread_flags, THREAD_UNTRACKED);
    assert_rc(ompd_get_curr_parallel_handle(thread, &none), ompd_rc_unavailable);
    assert_rc(ompd_ext_get_region(of_region, sizeof facts, &facts), ompd_rc_stale_handle);
    fake_put(fake, master, FIELD_thread_flags, THREAD_INITIAL);
    fake_put(fake, unit.program->initial_task, FIELD_task_thread, 0);
    fake_put(fake, unit.program->initial_task, FIELD_task_thread_id, 0);
    assert_rc(ompd_get_task_parallel_handle(initial, &none), ompd_rc_unavailable);
    /* Tasks that are each other's parents do not lead to an initial one. */
    fake_put(fake, master, FIELD_thread_task, unit.program->task[0]);
    fake_put(fake, master, FIELD_thread_task_id, IMPLICIT_TASK_ID);
    fake_put(fake, unit.program->task[0], FIELD_task_parent, unit.program->task[1]);
    fake_put(fake, unit.program->task[0], FIELD_task_parent_id, IMPLICIT_TASK_ID + 1);
    fake_put(fake, unit.program->task[1], FIELD_task_parent, unit.program->task[0]);
    fake_put(fake, unit.program->task[1], FIELD_task_parent_id, IMPLICIT_TASK_ID);
    fake_counts_reset();
    assert_rc(ompd_get_task_in_parallel(of_region, 0, &no_task), ompd_rc_error);
    ck_assert_uint_le(fake_counts.reads, 300);
    /* The thread ends. */
    fake_put(fake, master, FIELD_thread_id, 0);
    assert_rc(ompd_ext_get_region(of_region, sizeof facts, &facts), ompd_rc_stale_handle);
    assert_rc(ompd_get_thread_in_parallel(of_region, 0, &no_thread),
              ompd_rc_stale_handle);
    assert_rc(ompd_get_enclosing_parallel_handle(of_region, &none), ompd_rc_stale_handle);
    ck_assert_ptr_eq(none, (void *)&unit);
    ck_assert_ptr_eq(no_thread, (void *)&unit);
    ck_assert_ptr_eq(no_task, (void *)&unit);

    assert_ok(ompd_rel_thread_handle(thread));
    assert_ok(ompd_rel_task_handle(task));
    assert_ok(ompd_rel_task_handle(initial));
    assert_ok(ompd_rel_parallel_handle(outer));
    assert_ok(ompd_rel_parallel_handle(of_region));
    assert_rc(ompd_rel_parallel_handle(of_region), ompd_rc_stale_handle);
    assert_ok(ompd_rel_parallel_handle(of_task));
    assert_ok(ompd_rel_parallel_handle(of_thread));
    unit_end(&unit);
}
END_TEST

START_TEST(frames_have_flags)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_task_handle_t *task = unit_task(&unit, 3);
    ompd_frame_info_t left, entered;
    assert_ok(ompd_get_task_frame(task, &left, &entered));
    ck_assert_uint_eq(left.frame_address.address, EXIT_FRAME + 0x300);
    ck_assert_int_eq(left.frame_flag, ompt_frame_runtime | ompt_frame_cfa);
    ck_assert_uint_eq(entered.frame_address.address, 0);
    ck_assert_int_eq(entered.frame_flag, 0);
    assert_ok(ompd_rel_task_handle(task));
    unit_end(&unit);
}
END_TEST

START_TEST(states)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_word_t state = ompt_state_undefined;
    ompd_word_t more = 1;
    unsigned seen = 0;
    bool wait_critical = false;
    while (more) {
        const char *name;
        assert_ok(ompd_enumerate_states(unit.space, state, &state, &name, &more));
        ck_assert_int_eq(strncmp(name, "ompt_state_", 11), 0);
        if (state == ompt_state_wait_critical)
            wait_critical = strcmp(name, "ompt_state_wait_critical") == 0;
        fake_cb_free((char *)(uintptr_t)name);
        ck_assert_uint_lt(++seen, 100);
    }
    ck_assert(wait_critical);
    ck_assert_int_eq(state, ompt_state_undefined);
    ck_assert_uint_eq(seen, 15);
    const char *none;
    assert_rc(ompd_enumerate_states(unit.space, 0x999, &state, &none, &more),
              ompd_rc_bad_input);

    /* Every value that the hooks may record. */
    ompd_thread_handle_t *thread = unit_thread(&unit, 3);
    static const struct {
        unsigned char recorded;
        ompd_word_t answered;
    } table[] = {
#define STATE(name2, value2, name5, value5) {value2, ompt_state_##name5},
#include "libompd/tables/states.def"
#undef STATE
    };
    ompd_wait_id_t wait;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        fake_put(unit.fake, unit.program->thread[3], FIELD_thread_status,
                 OUTER_ID << 8 | table[i].recorded);
        assert_ok(ompd_get_state(thread, &state, &wait));
        ck_assert_int_eq(state, table[i].answered);
    }
    fake_put(unit.fake, unit.program->thread[3], FIELD_thread_status,
             OUTER_ID << 8 | 0x99);
    assert_rc(ompd_get_state(thread, &state, &wait), ompd_rc_error);
    assert_ok(ompd_rel_thread_handle(thread));
    thread = unit_thread(&unit, 2);
    assert_ok(ompd_get_state(thread, &state, &wait));
    ck_assert_int_eq(state, ompt_state_wait_critical);
    ck_assert_uint_eq(wait, CRITICAL_NAME);
    assert_ok(ompd_rel_thread_handle(thread));
    unit_end(&unit);
}
END_TEST

START_TEST(display_control_variables)
{
    struct unit unit = unit_begin(_i, 8);
    const char *const *vars;
    assert_ok(ompd_get_display_control_vars(unit.space, &vars));
    ck_assert_str_eq(vars[0], "OMP_NUM_THREADS=8,4,2");
    ck_assert_str_eq(vars[1], "OMP_THREAD_LIMIT=100");
    ck_assert_str_eq(vars[2], "_OPENMP='201511'");
    ck_assert_ptr_null(vars[3]);
    assert_ok(ompd_rel_display_control_vars(&vars));
    assert_rc(ompd_rel_display_control_vars(&vars), ompd_rc_bad_input);
    assert_rc(ompd_rel_display_control_vars(NULL), ompd_rc_bad_input);

    const char *const *const before = vars;
    struct fake *fake = unit.fake;
    fake_put(fake, fake->root, FIELD_root_settings_bytes, 10); /* does not end with NUL */
    assert_rc(ompd_get_display_control_vars(unit.space, &vars), ompd_rc_error);
    fake_put(fake, fake->root, FIELD_root_settings_bytes, UINT32_MAX);
    assert_rc(ompd_get_display_control_vars(unit.space, &vars), ompd_rc_error);
    fake_put(fake, fake->root, FIELD_root_settings, 0);
    assert_rc(ompd_get_display_control_vars(unit.space, &vars), ompd_rc_unavailable);
    fake_put(fake, fake->root, FIELD_root_tracking, 0);
    assert_rc(ompd_get_display_control_vars(unit.space, &vars),
              ompd_rc_needs_state_tracking);
    ck_assert_ptr_eq(vars, before);
    unit_end(&unit);
}
END_TEST

/* The word of a tool, as a number and as an address; not of another interface's tool. */
START_TEST(tool_words)
{
    struct unit unit = unit_begin(_i, 8);
    struct program *program = unit.program;
    ompd_thread_handle_t *thread = unit_thread(&unit, 4);
    ompd_parallel_handle_t *region = unit_region(&unit, 4);
    ompd_task_handle_t *task = unit_task(&unit, 4);
    ompd_word_t value = 5;
    ompd_address_t data = {5, 5};
    fake_put(unit.fake, program->thread[4], FIELD_thread_tool_data, 0x1004);
    fake_put(unit.fake, program->outer, FIELD_region_tool_data, 0x2000);
    fake_put(unit.fake, program->task[4], FIELD_task_tool_data, UINT64_MAX);

    fake_put(unit.fake, unit.fake->root, FIELD_root_tool, TOOL_NONE);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, &value, &data),
              ompd_rc_unavailable);
    fake_put(unit.fake, unit.fake->root, FIELD_root_tool, TOOL_OMPT_2);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, &value, &data),
              ompd_rc_unsupported);
    ck_assert_int_eq(value, 5);
    fake_put(unit.fake, unit.fake->root, FIELD_root_tool, TOOL_OMPT_5);
    assert_ok(ompd_get_tool_data(thread, ompd_scope_thread, &value, &data));
    ck_assert_int_eq(value, 0x1004);
    ck_assert_uint_eq(data.address, 0x1004);
    ck_assert_uint_eq(data.segment, ompd_segment_none);
    assert_ok(ompd_get_tool_data(region, ompd_scope_parallel, &value, &data));
    ck_assert_int_eq(value, 0x2000);
    assert_ok(ompd_get_tool_data(task, ompd_scope_task, &value, &data));
    ck_assert_int_eq(value, -1);
    assert_ok(ompd_rel_thread_handle(thread));
    assert_ok(ompd_rel_parallel_handle(region));
    assert_ok(ompd_rel_task_handle(task));
    unit_end(&unit);
}
END_TEST

START_TEST(no_tool)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_thread_handle_t *thread = unit_thread(&unit, 3);
    ompd_word_t value = 5;
    ompd_address_t data = {5, 5};
    ompd_rc_t none = ompd_get_tool_data(thread, ompd_scope_thread, &value, &data);
    ck_assert(none == ompd_rc_unavailable || none == ompd_rc_unsupported);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_global, &value, &data),
              ompd_rc_bad_input);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_task, &value, &data),
              ompd_rc_incompatible_handle);
    assert_rc(ompd_get_tool_data(NULL, ompd_scope_task, &value, &data),
              ompd_rc_stale_handle);
    ck_assert_int_eq(value, 5);
    assert_ok(ompd_rel_thread_handle(thread));
    unit_end(&unit);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("interface of 5.x");
    TCase *tcase = tcase_create("interface");
    tcase_add_test(tcase, versions);
    tcase_add_test(tcase, callbacks_that_are_needed);
    tcase_add_loop_test(tcase, thread_kinds, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, devices_are_not_here, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, teams_by_number, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, navigation, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, implicit_region, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, frames_have_flags, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, states, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, display_control_variables, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, no_tool, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, tool_words, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
