/* SPDX-License-Identifier: MIT
 *
 * The 5.x interface: what it tells of tools, and the words that they attach.
 */
#include "unit5.h"

EACH(tools_and_recording, TARGET_KINDS)
{
    static const struct {
        uint32_t root;
        ompd_rc_t rc;
        ompd_word_t tool;
    } cases[] = {
        {TOOL_NONE, ompd_rc_ok, ompd_ext_tool_none},
        {TOOL_OMPT_5, ompd_rc_ok, ompd_ext_tool_ompt},
        {TOOL_OMPT_2, ompd_rc_ok, ompd_ext_tool_ompt_2},
        {TOOL_OF_RUNTIME, ompd_rc_ok, ompd_ext_tool_runtime},
        {77, ompd_rc_unsupported, -1},
    };
    struct unit unit = unit_begin(_i, 8);
    struct fake *fake = unit.fake;
    ompd_word_t word;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_put(fake, fake->root, FIELD_root_tool, cases[i].root);
        word = -1;
        assert_rc(ompd_ext_get_tool(unit.space, &word), cases[i].rc);
        ck_assert_int_eq(word, cases[i].tool);
    }
    assert_ok(ompd_ext_get_recording(unit.space, &word));
    ck_assert_int_eq(word, 1);
    fake_put(fake, fake->root, FIELD_root_tracking, 0);
    assert_ok(ompd_ext_get_recording(unit.space, &word));
    ck_assert_int_eq(word, 0);
    word = -1;
    assert_rc(ompd_ext_get_tool(unit.space, &word), ompd_rc_needs_state_tracking);
    ck_assert_int_eq(word, -1);
    unit_end(&unit);
}

/* The word of a tool, as a number and as an address; not of another interface's tool. */
UNIT(tool_words, 8)
{
    struct program *program = unit->program;
    ompd_thread_handle_t *thread = unit_thread(unit, 4);
    ompd_parallel_handle_t *region = unit_region(unit, 4);
    ompd_task_handle_t *task = unit_task(unit, 4);
    ompd_word_t value = 5;
    ompd_address_t data = {5, 5};
    fake_put(unit->fake, program->thread[4], FIELD_thread_tool_data, 0x1004);
    fake_put(unit->fake, program->outer, FIELD_region_tool_data, 0x2000);
    fake_put(unit->fake, program->task[4], FIELD_task_tool_data, UINT64_MAX);

    fake_put(unit->fake, unit->fake->root, FIELD_root_tool, TOOL_NONE);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, &value, &data), ompd_rc_unavailable);
    fake_put(unit->fake, unit->fake->root, FIELD_root_tool, TOOL_OMPT_2);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_thread, &value, &data), ompd_rc_unsupported);
    ck_assert_int_eq(value, 5);
    fake_put(unit->fake, unit->fake->root, FIELD_root_tool, TOOL_OMPT_5);
    assert_ok(ompd_get_tool_data(thread, ompd_scope_thread, &value, &data));
    ck_assert_int_eq(value, 0x1004);
    ck_assert_uint_eq(data.address, 0x1004);
    ck_assert_uint_eq(data.segment, ompd_segment_none);
    assert_ok(ompd_get_tool_data(region, ompd_scope_parallel, &value, &data));
    ck_assert_int_eq(value, 0x2000);
    assert_rc(ompd_get_tool_data(region, ompd_scope_teams, &value, &data),
              ompd_rc_incompatible_handle);
    assert_rc(ompd_get_tool_data(task, ompd_scope_target, &value, &data),
              ompd_rc_incompatible_handle);
    assert_ok(ompd_get_tool_data(task, ompd_scope_task, &value, &data));
    ck_assert_int_eq(value, -1);
}

UNIT(no_tool, 8)
{
    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    ompd_word_t value = 5;
    ompd_address_t data = {5, 5};
    ompd_rc_t none = ompd_get_tool_data(thread, ompd_scope_thread, &value, &data);
    ck_assert(none == ompd_rc_unavailable || none == ompd_rc_unsupported);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_global, &value, &data), ompd_rc_bad_input);
    assert_rc(ompd_get_tool_data(thread, ompd_scope_task, &value, &data),
              ompd_rc_incompatible_handle);
    assert_rc(ompd_get_tool_data(NULL, ompd_scope_task, &value, &data), ompd_rc_stale_handle);
    ck_assert_int_eq(value, 5);
}
