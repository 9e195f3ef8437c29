/* SPDX-License-Identifier: MIT
 *
 * A target whose memory says things that cannot be. Every answer is a refusal, after a
 * bounded number of reads.
 */
#include <string.h>

#include "unit.h"

/* No call reads more often than this, whatever the target says. */
enum { READS_MAX = 1 << 14 };

static void expect_threads(struct unit *unit, ompd_rc_t expected)
{
    ompd_thread_handle_t **threads = NULL;
    int count = -7;
    unsigned alive = fake_counts.allocs_alive;
    fake_counts_reset();
    assert_rc(ompd_get_threads(unit->space, &threads, &count), expected);
    ck_assert_ptr_null(threads);
    ck_assert_int_eq(count, -7);
    assert_rc(ompd_get_threads(unit->space, NULL, &count), expected);
    ck_assert_int_eq(count, -7);
    ck_assert_uint_lt(fake_counts.reads, READS_MAX);
    ck_assert_uint_eq(fake_counts.allocs_alive, alive);
}

static void put_slab(struct unit *unit, enum hooks_field field, uint64_t value)
{
    fake_put(unit->fake, unit->program->slab, field, value);
}

UNIT(slab_lists_that_do_not_end, 500)
{
    struct fake *fake = unit->fake;
    uint64_t first = unit->program->slab;
    uint64_t last = first;
    while (fake_get(fake, last, FIELD_slab_next))
        last = fake_get(fake, last, FIELD_slab_next);
    for (uint64_t back = first; back != last; back = fake_get(fake, back, FIELD_slab_next)) {
        fake_put(fake, last, FIELD_slab_next, back);
        expect_threads(unit, ompd_rc_error);
        ck_assert_uint_lt(fake_counts.reads, 200);
    }
    fake_put(fake, last, FIELD_slab_next, last);
    expect_threads(unit, ompd_rc_error);
    ck_assert_uint_lt(fake_counts.reads, 100);
    /* A cycle of empty slabs. */
    for (uint64_t slab = first; slab != last; slab = fake_get(fake, slab, FIELD_slab_next))
        fake_put(fake, slab, FIELD_slab_used, 0);
    fake_put(fake, last, FIELD_slab_next, first);
    fake_put(fake, last, FIELD_slab_used, 0);
    expect_threads(unit, ompd_rc_error);
    /* And the search behind an overflow ends as well. */
    fake_put(fake, fake->root, FIELD_root_index_overflow, 1);
    ompd_thread_handle_t *thread = (void *)unit;
    assert_rc(unit_find_lwp(unit, 77, 4, &thread), ompd_rc_error);
    ck_assert_ptr_eq(thread, (void *)unit);
}

UNIT(too_many_slabs, 8)
{
    struct fake *fake = unit->fake;
    uint64_t last = unit->program->slab;
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t slab = fake_record(fake, RECORD_slab);
        fake_put(fake, slab, FIELD_slab_first, fake->root);
        fake_put(fake, slab, FIELD_slab_stride, fake->record_size[RECORD_thread]);
        fake_put(fake, last, FIELD_slab_next, slab);
        last = slab;
    }
    expect_threads(unit, ompd_rc_error);
}

UNIT(slabs_out_of_bounds, 8)
{
    static const struct {
        enum hooks_field field;
        uint64_t value;
        ompd_rc_t rc;
    } cases[] = {
        {FIELD_slab_stride, 0, ompd_rc_error},
        {FIELD_slab_stride, 1, ompd_rc_error},
        {FIELD_slab_stride, 1u << 31, ompd_rc_error},
        {FIELD_slab_used, 1u << 31, ompd_rc_error},
        {FIELD_slab_used, UINT32_MAX, ompd_rc_error},
        {FIELD_slab_used, 65, ompd_rc_error},
        {FIELD_slab_first, 0, ompd_rc_error},
        {FIELD_slab_first, 0x100, ompd_rc_target_read_error},
        {FIELD_slab_first, 0xfffffff8, ompd_rc_target_read_error},
        {FIELD_slab_next, 0x100, ompd_rc_target_read_error},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t kept = fake_get(unit->fake, unit->program->slab, cases[i].field);
        put_slab(unit, cases[i].field, cases[i].value);
        /* Near the end of a 32-bit target's memory the array itself cannot be. */
        bool wraps = cases[i].value == 0xfffffff8 && unit->fake->pointer_size == 4;
        expect_threads(unit, wraps ? ompd_rc_error : cases[i].rc);
        put_slab(unit, cases[i].field, kept);
    }
    put_slab(unit, FIELD_slab_capacity, UINT32_MAX);
    put_slab(unit, FIELD_slab_used, 1u << 31);
    expect_threads(unit, ompd_rc_error);
    put_slab(unit, FIELD_slab_used, 1u << 17);
    expect_threads(unit, ompd_rc_target_read_error);
}

/* Opened before the index appears, so that its bounds are seen at the question. */
EACH(index_out_of_bounds, TARGET_KINDS)
{
    struct program *program = program_new(TARGET_POINTER(_i), TARGET_BIG(_i), 8);
    struct fake *fake = program->fake;
    uint64_t index = fake_get(fake, fake->root, FIELD_root_index);
    fake_put(fake, fake->root, FIELD_root_index, 0);
    struct unit unit = {.program = program, .fake = fake};
    assert_ok(ompd_initialize(&fake_debugger));
    assert_ok(ompd_process_initialize(context_of(fake), &unit.space));
    fake_put(fake, fake->root, FIELD_root_index, index);
    static const struct {
        enum hooks_field field;
        uint64_t value;
    } cases[] = {
        {FIELD_root_index_bits, 0},          {FIELD_root_index_bits, 29},
        {FIELD_root_index_bits, 64},         {FIELD_root_index_bits, UINT32_MAX},
        {FIELD_root_index_window, 0},        {FIELD_root_index_window, 16384},
        {FIELD_root_index_window, 1u << 31}, {FIELD_root_index_window, UINT32_MAX},
    };
    ompd_thread_handle_t *thread = (void *)&unit;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t kept = fake_get(fake, fake->root, cases[i].field);
        fake_put(fake, fake->root, cases[i].field, cases[i].value);
        assert_rc(unit_find_lwp(&unit, FIRST_LWP, 4, &thread), ompd_rc_error);
        expect_threads(&unit, ompd_rc_error);
        ompd_address_space_handle_t *space = NULL;
        assert_rc(ompd_process_initialize(context_of(fake), &space), ompd_rc_error);
        ck_assert_ptr_null(space);
        fake_put(fake, fake->root, cases[i].field, kept);
    }
    fake_put(fake, fake->root, FIELD_root_index, 0x100);
    assert_rc(unit_find_lwp(&unit, FIRST_LWP, 4, &thread), ompd_rc_target_read_error);
    ck_assert_ptr_eq(thread, (void *)&unit);
    unit_end(&unit);
}

/* Entries that are just being written, or that lead to another thread. */
UNIT(index_entries_that_lie, 8)
{
    struct fake *fake = unit->fake;
    uint64_t entry = fake_get(fake, fake->root, FIELD_root_index);
    uint64_t bits = fake_get(fake, fake->root, FIELD_root_index_bits);
    uint64_t i = records_hash(FIRST_LWP, (unsigned)bits);
    while (fake_get(fake, entry + i * fake->record_size[RECORD_index], FIELD_index_key) !=
           FIRST_LWP)
        i++;
    entry += i * fake->record_size[RECORD_index];

    fake_put(fake, entry, FIELD_index_thread_id, 0);
    ompd_thread_handle_t *thread;
    assert_rc(unit_find_lwp(unit, FIRST_LWP, 4, &thread), ompd_rc_bad_input);
    fake_put(fake, entry, FIELD_index_thread_id, THREAD_ID);
    fake_put(fake, entry, FIELD_index_thread, 0);
    assert_rc(unit_find_lwp(unit, FIRST_LWP, 4, &thread), ompd_rc_bad_input);

    /* The record has another id: the handle is made and found stale on use. */
    fake_put(fake, entry, FIELD_index_thread, unit->program->thread[3]);
    assert_ok(unit_find_lwp(unit, FIRST_LWP, 4, &thread));
    ompd_state_t state;
    assert_rc(ompd_get_state(thread, &state, NULL), ompd_rc_stale_handle);
    fake_put(fake, entry, FIELD_index_thread, 0x100);
    assert_ok(unit_find_lwp(unit, FIRST_LWP, 4, &thread));
    assert_rc(ompd_get_state(thread, &state, NULL), ompd_rc_target_read_error);
}

UNIT(teams_out_of_bounds, 8)
{
    struct fake *fake = unit->fake;
    uint64_t record = unit->program->outer;
    ompd_parallel_handle_t *region = unit_region(unit, 0);
    static const struct {
        enum hooks_field field;
        uint64_t value;
        ompd_rc_t rc;
    } cases[] = {
        {FIELD_region_actual, 1u << 31, ompd_rc_error},
        {FIELD_region_actual, UINT32_MAX, ompd_rc_error},
        {FIELD_region_capacity, 1u << 31, ompd_rc_error},
        {FIELD_region_capacity, UINT32_MAX, ompd_rc_error},
        {FIELD_region_members, 0, ompd_rc_error},
        {FIELD_region_members, 0x100, ompd_rc_target_read_error},
    };
    ompd_thread_handle_t **threads = NULL;
    int count = -7;
    fake_counts_reset();
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t kept = fake_get(fake, record, cases[i].field);
        fake_put(fake, record, cases[i].field, cases[i].value);
        assert_rc(ompd_get_thread_in_parallel(region, &threads, &count), cases[i].rc);
        fake_put(fake, record, cases[i].field, kept);
    }
    ompd_tword_t word = -7;
    fake_put(fake, record, FIELD_region_actual, 1u << 31);
    assert_rc(ompd_get_num_threads(region, &word), ompd_rc_error);
    fake_put(fake, record, FIELD_region_actual, 8);
    ompd_task_handle_t **tasks = NULL;
    fake_put(fake, record, FIELD_region_implicit_tasks, 0);
    assert_rc(ompd_get_implicit_task_in_parallel(region, &tasks, &count), ompd_rc_error);
    ck_assert_int_eq(word, -7);
    ck_assert_int_eq(count, -7);
    ck_assert_ptr_null(threads);
    ck_assert_ptr_null(tasks);
    ck_assert_uint_lt(fake_counts.reads, 100);
}

/* More members than there is room for are not read, and one without an address is a lie. */
UNIT(members_that_lie, 8)
{
    struct fake *fake = unit->fake;
    ompd_parallel_handle_t *region = unit_region(unit, 0);
    int count = -7;
    fake_put(fake, unit->program->outer, FIELD_region_actual, 60000);
    assert_ok(ompd_get_thread_in_parallel(region, NULL, &count));
    ck_assert_int_eq(count, 8);
    count = -7;
    fake_put(fake, fake_get(fake, unit->program->outer, FIELD_region_members), FIELD_member_thread,
             0);
    assert_rc(ompd_get_thread_in_parallel(region, NULL, &count), ompd_rc_error);
    ck_assert_int_eq(count, -7);
}

/* Address or id of a pair is missing, or the object refers to itself. */
UNIT(references_that_lie, 8)
{
    struct fake *fake = unit->fake;
    struct program *program = unit->program;
    struct subject s = subject_begin(unit);
    const struct {
        uint64_t record;
        enum hooks_field field;
        uint64_t value;
        const char *routine;
    } cases[] = {
        {program->thread[1], FIELD_thread_region, 0, "get_top_parallel_region"},
        {program->thread[1], FIELD_thread_task, 0, "get_top_task_region"},
        {program->thread[1], FIELD_thread_task_id, 0, "get_top_task_region"},
        {program->inner, FIELD_region_parent, 0, "get_enclosing_parallel_handle"},
        {program->inner, FIELD_region_parent_id, 0, "get_enclosing_parallel_handle"},
        {program->inner, FIELD_region_parent, program->inner, "get_enclosing_parallel_handle"},
        {program->inner, FIELD_region_parent_id, INNER_ID, "get_enclosing_parallel_handle"},
        {program->inner, FIELD_region_master, 0, "get_master_thread_in_parallel"},
        {program->inner, FIELD_region_master_id, 0, "get_master_thread_in_parallel"},
        {program->inner_task, FIELD_task_parent, 0, "get_ancestor_task_region"},
        {program->inner_task, FIELD_task_parent_id, 0, "get_ancestor_task_region"},
        {program->inner_task, FIELD_task_parent, program->inner_task, "get_ancestor_task_region"},
        {program->inner_task, FIELD_task_parent_id, INNER_TASK_ID, "get_ancestor_task_region"},
        {program->inner_task, FIELD_task_region, 0, "get_task_parallel_handle"},
        {program->inner_task, FIELD_task_region_id, 0, "get_task_parallel_handle"},
        {program->inner_task, FIELD_task_kind, 0, "is_implicit"},
        {program->inner_task, FIELD_task_kind, 4, "is_implicit"},
        {program->thread[1], FIELD_thread_status, INNER_ID << 8 | 0x05, "get_state"},
        {program->thread[1], FIELD_thread_status, INNER_ID << 8 | 0xff, "get_state"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t kept = fake_get(fake, cases[i].record, cases[i].field);
        fake_put(fake, cases[i].record, cases[i].field, cases[i].value);
        unsigned q = 0;
        while (strcmp(questions[q].name, cases[i].routine) != 0)
            q++;
        struct outs outs;
        outs_clear(&outs);
        ompd_rc_t rc = ask(&questions[q], &s, &outs);
        ck_assert_msg(rc == ompd_rc_error, "case %u: %d", i, rc);
        ck_assert_msg(outs_untouched(&outs, sizeof outs), "case %u", i);
        fake_put(fake, cases[i].record, cases[i].field, kept);
        assert_ok(ask(&questions[q], &s, &outs));
        outs_release(&questions[q], &outs);
    }
    subject_end(&s);
}

/* The whole of the records is noise. Whatever comes back, no call crashes, hangs or leaks. */
EACH(noise, 4 * TARGET_KINDS)
{
    struct unit unit = unit_begin(_i % TARGET_KINDS, 20);
    struct subject s = subject_begin(&unit);
    const size_t first = 0x3000;
    uint64_t seed = (uint64_t)_i * 2654435761u + 1;
    for (unsigned round = 0; round < 40; round++) {
        for (size_t at = first; at < unit.fake->end - 0x10000; at++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            if (seed >> 58 < 1 + round % 8)
                unit.fake->bytes[at] = (unsigned char)(seed >> 33);
        }
        for (unsigned q = 0; q < question_count; q++) {
            struct outs outs;
            outs_clear(&outs);
            unsigned alive = fake_counts.allocs_alive;
            fake_counts_reset();
            ompd_rc_t rc = ask(&questions[q], &s, &outs);
            ck_assert_msg(fake_counts.reads < READS_MAX, "%s", questions[q].name);
            if (rc == ompd_rc_ok)
                outs_release(&questions[q], &outs);
            ck_assert_msg(fake_counts.allocs_alive == alive, "%s", questions[q].name);
        }
    }
    subject_end(&s);
    unit_end(&unit);
}
