/* SPDX-License-Identifier: MIT
 *
 * Sections 7.2 and 10: threads, found and asked.
 */
#include <string.h>

#include "unit.h"

static uint64_t state_of(ompd_thread_handle_t *thread, uint64_t *wait_id)
{
    ompd_state_t state;
    assert_ok(ompd_get_state(thread, &state, wait_id));
    return state;
}

UNIT(all_threads, 100)
{
    ompd_thread_handle_t **threads;
    int count = 0;
    assert_ok(ompd_get_threads(unit->space, NULL, &count));
    ck_assert_int_eq(count, 101);
    count = 0;
    assert_ok(ompd_get_threads(unit->space, &threads, &count));
    ck_assert_int_eq(count, 101);
    /* Each found by its id is the same one as in the vector, in the order of the slabs. */
    for (int i = 0; i < count; i++) {
        ompd_thread_handle_t *same =
            i ? unit_thread(unit, (unsigned)i - 1) : unit_idle_thread(unit);
        int order = 1;
        assert_ok(ompd_thread_handle_compare(threads[i], same, &order));
        ck_assert_int_eq(order, 0);
    }
    unit_free_threads(threads, count);
}

UNIT(thread_by_os_id, 8)
{
    for (unsigned i = 0; i < 8; i++) {
        ompd_thread_handle_t *by[3];
        assert_ok(unit_find_lwp(unit, FIRST_LWP + i, 4, &by[0]));
        assert_ok(unit_find_lwp(unit, FIRST_LWP + i, 8, &by[1]));
        assert_ok(unit_find_pthread(unit, program_pthread(unit->program, i), &by[2]));
        for (unsigned j = 0; j < 3; j++) {
            int order = 1;
            assert_ok(ompd_thread_handle_compare(by[0], by[j], &order));
            ck_assert_int_eq(order, 0);
        }
    }
}

UNIT(os_id_of_thread, 8)
{
    for (unsigned i = 0; i < 8; i++) {
        ompd_thread_handle_t *thread = unit_thread(unit, i);
        unsigned char got[8], expected[8];
        for (unsigned size = 4; size <= 8; size += 4) {
            fake_encode(unit->fake, FIRST_LWP + i, expected, size);
            assert_ok(ompd_get_osthread(thread, ompd_osthread_lwp, size, got));
            ck_assert_mem_eq(got, expected, size);
        }
        unsigned size = TARGET_POINTER(_i);
        fake_encode(unit->fake, program_pthread(unit->program, i), expected, size);
        assert_ok(ompd_get_osthread(thread, ompd_osthread_pthread, size, got));
        ck_assert_mem_eq(got, expected, size);

        memset(got, 0xA5, sizeof got);
        memset(expected, 0xA5, sizeof expected);
        assert_rc(ompd_get_osthread(thread, ompd_osthread_pthread, 12 - size, got),
                  ompd_rc_bad_input);
        assert_rc(ompd_get_osthread(thread, ompd_osthread_lwp, 2, got), ompd_rc_bad_input);
        assert_rc(ompd_get_osthread(thread, ompd_osthread_winthread, 8, got), ompd_rc_unsupported);
        ck_assert_mem_eq(got, expected, sizeof got);
    }
}

UNIT(no_openmp_thread, 8)
{
    ompd_thread_handle_t *const before = (ompd_thread_handle_t *)unit;
    ompd_thread_handle_t *thread = before;
    assert_rc(unit_find_lwp(unit, 77, 8, &thread), ompd_rc_bad_input);
    ck_assert_ptr_null(thread);
    thread = before;
    assert_rc(unit_find_pthread(unit, 0x40000000, &thread), ompd_rc_bad_input);
    ck_assert_ptr_null(thread);
    /* 0 is the key of free entries, and a key of the other kind is no answer. */
    thread = before;
    assert_rc(unit_find_lwp(unit, 0, 8, &thread), ompd_rc_bad_input);
    ck_assert_ptr_null(thread);
    thread = before;
    assert_rc(unit_find_pthread(unit, FIRST_LWP, &thread), ompd_rc_bad_input);
    ck_assert_ptr_null(thread);
    thread = before;
    assert_rc(unit_find_lwp(unit, program_pthread(unit->program, 0), 8, &thread),
              ompd_rc_bad_input);
    ck_assert_ptr_null(thread);
}

UNIT(bad_os_id, 8)
{
    unsigned char id[16];
    fake_encode(unit->fake, FIRST_LWP, id, 8);
    ompd_thread_handle_t *const before = (ompd_thread_handle_t *)unit;
    ompd_thread_handle_t *thread = before;
    static const ompd_size_t sizes[] = {0, 1, 2, 3, 5, 7, 9, 16, UINT64_MAX};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_rc(ompd_get_thread_handle(unit->space, ompd_osthread_lwp, sizes[i], id, &thread),
                  ompd_rc_bad_input);
        assert_rc(ompd_get_thread_handle(unit->space, ompd_osthread_pthread, sizes[i], id, &thread),
                  ompd_rc_bad_input);
    }
    assert_rc(ompd_get_thread_handle(unit->space, ompd_osthread_pthread, 12 - TARGET_POINTER(_i),
                                     id, &thread),
              ompd_rc_bad_input);
    assert_rc(ompd_get_thread_handle(unit->space, ompd_osthread_winthread, 8, id, &thread),
              ompd_rc_unsupported);
    ck_assert_ptr_eq(thread, before);
}

/* A thread for which the index had no room. */
UNIT(thread_behind_overflow, 100)
{
    struct fake *fake = unit->fake;
    program_unindex(unit->program, FIRST_LWP + 99);
    program_unindex(unit->program, program_pthread(unit->program, 99));
    ompd_thread_handle_t *thread;
    assert_rc(unit_find_lwp(unit, FIRST_LWP + 99, 4, &thread), ompd_rc_bad_input);
    fake_put(fake, fake->root, FIELD_root_index_overflow, 1);
    assert_ok(unit_find_lwp(unit, FIRST_LWP + 99, 4, &thread));
    ompd_tword_t number = 0;
    assert_ok(ompd_get_thread_num(thread, &number));
    ck_assert_int_eq(number, 99);
    assert_ok(unit_find_pthread(unit, program_pthread(unit->program, 99), &thread));
    assert_rc(unit_find_lwp(unit, 77, 4, &thread), ompd_rc_bad_input);
    fake_put(fake, unit->program->thread[50], FIELD_thread_lwp, 0);
    assert_rc(unit_find_lwp(unit, 0, 4, &thread), ompd_rc_bad_input);
}

UNIT(index_was_replaced, 20)
{
    program_replace_index(unit->program);
    ompd_thread_handle_t *thread = unit_thread(unit, 7);
    /* From then on one read again. */
    for (unsigned i = 0; i < 20; i++) {
        fake_counts_reset();
        assert_ok(ompd_release_thread_handle(unit_thread(unit, i)));
        ck_assert_uint_eq(fake_counts.reads, 1);
    }
    assert_rc(unit_find_lwp(unit, 77, 4, &thread), ompd_rc_bad_input);
}

/* Stopped while the root is being changed: the new index with the old size, or with none. */
UNIT(index_is_being_replaced, 20)
{
    struct fake *fake = unit->fake;
    uint64_t bits = fake_get(fake, fake->root, FIELD_root_index_bits);
    program_replace_index(unit->program);
    for (uint64_t seen = 0; seen <= bits; seen += bits) {
        fake_put(fake, fake->root, FIELD_root_index_bits, seen);
        fake_put(fake, fake->root, FIELD_root_index_overflow, 1);
        assert_ok(ompd_release_address_space_handle(unit->space));
        assert_ok(ompd_process_initialize(context_of(fake), &unit->space));
        for (unsigned i = 0; i < 20; i++)
            assert_ok(ompd_release_thread_handle(unit_thread(unit, i)));
        fake_put(fake, fake->root, FIELD_root_index_bits, bits + 2);
        fake_put(fake, fake->root, FIELD_root_index_overflow, 0);
        for (unsigned i = 0; i < 20; i++)
            assert_ok(ompd_release_thread_handle(unit_thread(unit, i)));
    }
}

UNIT(states, 8)
{
    ompd_thread_handle_t *thread = unit_thread(unit, 0);
    uint64_t wait = 1;
    ck_assert_uint_eq(state_of(thread, &wait), ompd_state_work_parallel);
    ck_assert_uint_eq(wait, 0);
    thread = unit_thread(unit, 2);
    ck_assert_uint_eq(state_of(thread, &wait), ompd_state_wait_critical);
    ck_assert_uint_eq(wait, CRITICAL_NAME);
    ck_assert_uint_eq(state_of(thread, NULL), ompd_state_wait_critical);
    thread = unit_thread(unit, 3);
    ck_assert_uint_eq(state_of(thread, &wait), ompd_state_wait_barrier_explicit);
    ck_assert_uint_eq(wait, OUTER_ID);
    thread = unit_idle_thread(unit);
    ck_assert_uint_eq(state_of(thread, &wait), ompd_state_idle);
    ck_assert_uint_eq(wait, 0);
}

TEST(every_state_of_the_report)
{
    struct unit unit = unit_begin(0, 4);
    ompd_thread_handle_t *thread = unit_thread(&unit, 3);
    unsigned known = 0;
    for (unsigned code = 0; code < 256; code++) {
        fake_put(unit.fake, unit.program->thread[3], FIELD_thread_status,
                 (uint64_t)OUTER_ID << 8 | code);
        ompd_state_t state = ompd_state_first;
        uint64_t wait = 1234;
        ompd_rc_t rc = ompd_get_state(thread, &state, &wait);
        if (rc == ompd_rc_ok) {
            known++;
            ck_assert_uint_eq(state, code);
            ck_assert_uint_eq(wait, code >= 0x40 && code < 0x70 ? OUTER_ID : 0);
        } else {
            assert_rc(rc, ompd_rc_error);
            ck_assert_uint_eq(state, ompd_state_first);
            ck_assert_uint_eq(wait, 1234);
        }
    }
    ck_assert_uint_eq(known, 16);
    unit_end(&unit);
}

UNIT(thread_numbers, 8)
{
    static const struct {
        unsigned thread;
        int number;
    } cases[] = {{0, 0}, {1, 0}, {2, 2}, {7, 7}};
    for (unsigned i = 0; i < 4; i++) {
        ompd_thread_handle_t *thread = unit_thread(unit, cases[i].thread);
        ompd_tword_t number = -1;
        assert_ok(ompd_get_thread_num(thread, &number));
        ck_assert_int_eq(number, cases[i].number);
    }
    ompd_tword_t number = -1;
    ompd_thread_handle_t *untracked = unit_thread(unit, 3);
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_flags, THREAD_UNTRACKED);
    assert_rc(ompd_get_thread_num(untracked, &number), ompd_rc_unavailable);
    ompd_thread_handle_t *idle = unit_idle_thread(unit);
    assert_rc(ompd_get_thread_num(idle, &number), ompd_rc_unavailable);
    ck_assert_int_eq(number, -1);
}

UNIT(threads_of_a_team, 100)
{
    ompd_parallel_handle_t *outer = unit_region(unit, 0);
    ompd_thread_handle_t **threads;
    int count = 0;
    assert_ok(ompd_get_thread_in_parallel(outer, &threads, &count));
    ck_assert_int_eq(count, 100);
    for (int i = 0; i < count; i++) {
        unsigned char lwp[4], expected[4];
        assert_ok(ompd_get_osthread(threads[i], ompd_osthread_lwp, 4, lwp));
        fake_encode(unit->fake, FIRST_LWP + (unsigned)i, expected, 4);
        ck_assert_mem_eq(lwp, expected, 4);
    }
    unit_free_threads(threads, count);

    /* One that has not begun. */
    uint64_t member = fake_get(unit->fake, unit->program->outer, FIELD_region_members) +
                      5 * unit->fake->record_size[RECORD_member];
    fake_put(unit->fake, member, FIELD_member_thread_id, 0);
    assert_ok(ompd_get_thread_in_parallel(outer, NULL, &count));
    ck_assert_int_eq(count, 99);
}

UNIT(master_of_a_team, 8)
{
    for (unsigned i = 0; i < 2; i++) {
        ompd_parallel_handle_t *region = unit_region(unit, i);
        ompd_thread_handle_t *expected = unit_thread(unit, i);
        ompd_thread_handle_t *master;
        assert_ok(ompd_get_master_thread_in_parallel(region, &master));
        int order = 1;
        assert_ok(ompd_thread_handle_compare(master, expected, &order));
        ck_assert_int_eq(order, 0);
    }
}
