/* SPDX-License-Identifier: MIT
 *
 * The extension: all threads, and one of them, also half changed; structures of other sizes.
 */
#include <string.h>

#include "unit5.h"

/* All that a record has. */
enum {
    ALL_KNOWN = ((1u << (OMPD_EXT_THREAD_BARRIER + 1)) - 1) | 1u << OMPD_EXT_THREAD_BARRIERS,
};

UNIT(objects_and_handles, 8)
{
    ompd_word_t version;
    assert_ok(ompd_ext_get_version(&version));
    ck_assert_int_eq(version, OMPD_EXT_VERSION);
    ompd_thread_handle_t *thread = unit_thread(unit, 3), *again;
    ompd_ext_object_t object;
    assert_ok(ompd_ext_get_object(thread, ompd_scope_thread, &object));
    fake_counts_reset();
    assert_ok(ompd_ext_get_thread_handle(unit->space, &object, &again));
    ck_assert_uint_eq(fake_counts.reads, 0);
    int order = 1;
    assert_ok(ompd_thread_handle_compare(thread, again, &order));
    ck_assert_int_eq(order, 0);
    ompd_word_t state;
    assert_ok(ompd_get_state(again, &state, NULL));

    object.id++;
    assert_ok(ompd_ext_get_thread_handle(unit->space, &object, &again));
    assert_rc(ompd_get_state(again, &state, NULL), ompd_rc_stale_handle);
    object.id = 0;
    assert_rc(ompd_ext_get_thread_handle(unit->space, &object, &again), ompd_rc_bad_input);
    assert_rc(ompd_ext_get_object(thread, ompd_scope_task, &object), ompd_rc_incompatible_handle);
    assert_rc(ompd_ext_get_object(unit->space, ompd_scope_address_space, &object),
              ompd_rc_bad_input);
}

EACH(all_threads, 3 * TARGET_KINDS)
{
    static const unsigned sizes[] = {8, 64, 512};
    struct unit unit = unit_begin(_i % TARGET_KINDS, sizes[_i / TARGET_KINDS]);
    unsigned n = unit.program->n;
    fake_put(unit.fake, unit.program->thread[2], FIELD_thread_codeptr, 0x1234);
    fake_put(unit.fake, unit.program->thread[2], FIELD_thread_frame, 0x5678);
    ompd_ext_thread_t *threads;
    ompd_size_t count;
    fake_counts_reset();
    assert_ok(ompd_ext_get_threads(unit.space, sizeof *threads, &threads, &count));
    ck_assert_uint_le(fake_counts.reads, n / 8 + 10);
    ck_assert_uint_eq(fake_counts.lookups, 0);
    ck_assert_uint_eq(count, n + 1);
    const ompd_ext_thread_t *idle = &threads[0];
    ck_assert_uint_eq(idle->thread.id, IDLE_THREAD_ID);
    ck_assert_uint_eq(idle->state, ompt_state_idle);
    ck_assert(!KNOWS(idle, OMPD_EXT_THREAD_REGION) && !KNOWS(idle, OMPD_EXT_THREAD_TASK));
    ck_assert_uint_eq(idle->region.id, 0);
    for (unsigned i = 0; i < n; i++) {
        const ompd_ext_thread_t *t = &threads[i + 1];
        ck_assert_uint_eq(t->known, ALL_KNOWN);
        ck_assert_uint_eq(t->thread.id, THREAD_ID + i);
        ck_assert_uint_eq(t->lwp, FIRST_LWP + i);
        ck_assert_uint_eq(t->pthread, program_pthread(unit.program, i));
        ck_assert_uint_eq(t->thread_num, i == 1 ? 0 : i);
        ck_assert_uint_eq(t->team_size, i == 1 ? 1 : n);
        ck_assert_uint_eq(t->level, i == 1 ? 2 : 1);
        ck_assert_uint_eq(t->region.id, i == 1 ? INNER_ID : OUTER_ID);
        ck_assert_uint_eq(t->task.id, i == 1   ? (unsigned)INNER_TASK_ID
                                      : i == 2 ? (unsigned)EXPLICIT_TASK_ID
                                               : IMPLICIT_TASK_ID + i);
    }
    ck_assert_uint_eq(threads[3].state, ompt_state_wait_critical);
    ck_assert_uint_eq(threads[3].wait_id, CRITICAL_NAME);
    ck_assert_uint_eq(threads[3].codeptr, 0x1234);
    ck_assert_uint_eq(threads[3].frame, 0x5678);

    ompd_thread_handle_t *handle = unit_thread(&unit, 2);
    ompd_ext_thread_t one;
    fake_counts_reset();
    assert_ok(ompd_ext_get_thread(handle, sizeof one, &one));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert_int_eq(memcmp(&one, &threads[3], sizeof one), 0);
    fake_cb_free(threads);
    unit_end(&unit);
}

/* Those of a program, whose hooks may be old; for fake_cb_free(). */
static ompd_ext_thread_t *threads_of(struct program *program, bool is_old, struct unit *unit)
{
    if (is_old)
        records_downgrade_to_1_3(program->fake);
    *unit = (struct unit){.program = program, .fake = program->fake};
    assert_ok(ompd_initialize(201811, &fake_debugger));
    assert_ok(ompd_process_initialize(context_of(unit->fake), &unit->space));
    ompd_ext_thread_t *threads;
    ompd_size_t count;
    assert_ok(ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count));
    return threads;
}

/* The time of a wait that is over is known as such; none of records before 1.7, and where nobody
 * had to wait. */
EACH(times_of_waits, 2 * TARGET_KINDS)
{
    enum { CRITICAL = 2, WORKS = 3 };
    bool is_old = _i / TARGET_KINDS;
    int kind = _i % TARGET_KINDS;
    struct program *program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), 8);
    fake_put(program->fake, program->thread[CRITICAL], FIELD_thread_wait_since, 1000);
    fake_put(program->fake, program->thread[WORKS], FIELD_thread_status, OUTER_ID << 8 | 0x01);
    fake_put(program->fake, program->thread[WORKS], FIELD_thread_wait_since, 900);
    struct unit unit;
    ompd_ext_thread_t *threads = threads_of(program, is_old, &unit);
    const ompd_ext_thread_t *waits = &threads[CRITICAL + 1], *works = &threads[WORKS + 1],
                            *other = &threads[1];
    ck_assert_uint_eq(waits->state, ompt_state_wait_critical);
    ck_assert_uint_eq(KNOWS(waits, OMPD_EXT_THREAD_WAIT_SINCE), !is_old);
    ck_assert_uint_eq(waits->wait_since, is_old ? 0 : 1000);
    ck_assert_uint_eq(waits->last_wait, is_old ? 0 : 1000);
    ck_assert_uint_eq(KNOWS(works, OMPD_EXT_THREAD_LAST_WAIT), !is_old);
    ck_assert_uint_eq(works->last_wait, is_old ? 0 : 900);
    ck_assert_uint_eq(KNOWS(works, OMPD_EXT_THREAD_WAIT_SINCE), 0);
    ck_assert_uint_eq(works->wait_since, 0);
    ck_assert_uint_eq(KNOWS(other, OMPD_EXT_THREAD_LAST_WAIT), 0);
    fake_cb_free(threads);
    unit_end(&unit);
}

/* The lock that a thread tests in vain: of none that waits, nor of records before 1.9. */
EACH(tests_of_locks, 2 * TARGET_KINDS)
{
    enum { CRITICAL = 2, WORKS = 3 };
    bool is_old = _i / TARGET_KINDS;
    int kind = _i % TARGET_KINDS;
    struct program *program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), 8);
    fake_put(program->fake, program->thread[WORKS], FIELD_thread_status, OUTER_ID << 8 | 0x01);
    for (unsigned i = CRITICAL; i <= WORKS; i++) {
        fake_put(program->fake, program->thread[i], FIELD_thread_tested, 0x7040);
        fake_put(program->fake, program->thread[i], FIELD_thread_tests, 12);
        fake_put(program->fake, program->thread[i], FIELD_thread_tested_since, 900);
    }
    struct unit unit;
    ompd_ext_thread_t *threads = threads_of(program, is_old, &unit);
    const ompd_ext_thread_t *waits = &threads[CRITICAL + 1], *works = &threads[WORKS + 1],
                            *other = &threads[1];
    ck_assert_uint_eq(KNOWS(works, OMPD_EXT_THREAD_TESTED), !is_old);
    ck_assert_uint_eq(works->tested, is_old ? 0 : 0x7040);
    ck_assert_uint_eq(KNOWS(works, OMPD_EXT_THREAD_TESTS), !is_old);
    ck_assert_uint_eq(works->tests, is_old ? 0 : 12);
    ck_assert_uint_eq(works->tested_since, is_old ? 0 : 900);
    ck_assert_uint_eq(KNOWS(waits, OMPD_EXT_THREAD_TESTED), 0);
    ck_assert_uint_eq(KNOWS(waits, OMPD_EXT_THREAD_TESTS), 0);
    ck_assert_uint_eq(KNOWS(other, OMPD_EXT_THREAD_TESTED), 0);
    fake_cb_free(threads);
    unit_end(&unit);
}

/* The target construct that a thread is in: each kind, with nowait, on the host, of no such number. */
EACH(target_constructs, 2 * TARGET_KINDS)
{
    static const struct {
        uint32_t kind, device;
        uint32_t wanted; /* 0: not known */
        bool knows_device;
    } rows[] = {
        {TARGET_REGION | TARGET_NOWAIT, 3, ompd_ext_target_region, true},
        {TARGET_ENTER_DATA, TARGET_HOST, ompd_ext_target_enter_data, false},
        {TARGET_EXIT_DATA, TARGET_DEVICE_UNKNOWN, ompd_ext_target_exit_data, false},
        {TARGET_UPDATE, 0, ompd_ext_target_update, true},
        {5, 0, 0, false},
        {1000, 0, 0, false},
        {0, 3, 0, false},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    bool is_old = _i / TARGET_KINDS;
    int kind = _i % TARGET_KINDS;
    struct program *program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), ROWS);
    for (unsigned i = 0; i < ROWS; i++) {
        fake_put(program->fake, program->thread[i], FIELD_thread_target, rows[i].kind);
        fake_put(program->fake, program->thread[i], FIELD_thread_target_device, rows[i].device);
        fake_put(program->fake, program->thread[i], FIELD_thread_target_codeptr, 0x7040);
        fake_put(program->fake, program->thread[i], FIELD_thread_target_since, 900);
    }
    struct unit unit;
    ompd_ext_thread_t *threads = threads_of(program, is_old, &unit);
    for (unsigned i = 0; i < ROWS; i++) {
        const ompd_ext_thread_t *thread = &threads[i + 1];
        bool is_known = !is_old && rows[i].wanted;
        ck_assert_uint_eq(thread->target, is_known ? rows[i].wanted : 0);
        ck_assert_uint_eq(KNOWS(thread, OMPD_EXT_THREAD_TARGET), is_known);
        ck_assert_uint_eq(KNOWS(thread, OMPD_EXT_THREAD_TARGET_DEVICE),
                          is_known && rows[i].knows_device);
        ck_assert_uint_eq(thread->target_codeptr, is_known ? 0x7040 : 0);
        ck_assert_uint_eq(thread->target_since, is_known ? 900 : 0);
    }
    fake_cb_free(threads);
    unit_end(&unit);
}

/* Half changed pairs are settled while that is cheap. */
UNIT(all_threads_torn, 64)
{
    for (unsigned i = 0; i < 64; i++)
        fake_put(unit->fake, unit->program->thread[i], FIELD_thread_seq, 3);
    ompd_ext_thread_t *threads;
    ompd_size_t count;
    fake_counts_reset();
    assert_ok(ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count));
    ck_assert_uint_le(fake_counts.reads, 64 / 8 + 10);
    ck_assert_uint_eq(threads[1].region.id, OUTER_ID);
    ck_assert_uint_eq(threads[1].task.id, IMPLICIT_TASK_ID);
    ck_assert(!KNOWS(&threads[60], OMPD_EXT_THREAD_TASK));
    ck_assert_uint_eq(threads[60].task.address, 0);
    fake_cb_free(threads);
}

/* The number in the team hangs on the region, and is not known while that changes. */
enum {
    TORN_KNOWN = ALL_KNOWN & ~(1u << OMPD_EXT_THREAD_THREAD_NUM | 1u << OMPD_EXT_THREAD_BARRIER |
                               1u << OMPD_EXT_THREAD_BARRIERS),
};

/* One that changes both pairs costs a read for each; where such a read fails the rest is
 * answered all the same. */
UNIT(one_thread_torn, 8)
{
    ompd_thread_handle_t *handle = unit_thread(unit, 2);
    fake_put(unit->fake, unit->program->thread[2], FIELD_thread_seq, 3);
    ompd_ext_thread_t thread;
    fake_counts_reset();
    assert_ok(ompd_ext_get_thread(handle, sizeof thread, &thread));
    ck_assert_uint_eq(fake_counts.reads, 3);
    ck_assert_uint_eq(thread.known, TORN_KNOWN);
    static const unsigned lost[] = {OMPD_EXT_THREAD_REGION, OMPD_EXT_THREAD_TASK};
    for (unsigned i = 0; i < 2; i++) {
        fake_fail_at(2 + i);
        assert_ok(ompd_ext_get_thread(handle, sizeof thread, &thread));
        ck_assert_int_eq(fake_failed(), FAKE_READ);
        ck_assert_uint_eq(thread.known, TORN_KNOWN & ~(1u << lost[i]));
    }
    ck_assert_uint_eq(thread.task.id, 0);
    ck_assert_uint_eq(thread.task.address, 0);
    fake_fail_at(1);
    assert_rc(ompd_ext_get_thread(handle, sizeof thread, &thread), ompd_rc_device_read_error);
    fake_fail_at(0);
}

/* The same of all: a read that fails costs the answer, or one pair of that thread. */
UNIT(failing_read_of_a_torn_thread, 8)
{
    fake_put(unit->fake, unit->program->thread[2], FIELD_thread_seq, 3);
    unsigned pairs = 0;
    for (unsigned n = 1;; n++) {
        ompd_ext_thread_t *threads = NULL;
        ompd_size_t count = 99;
        fake_fail_at(n);
        ompd_rc_t rc = ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count);
        enum fake_callback failed = fake_failed();
        fake_fail_at(0);
        if (rc != ompd_rc_ok) {
            ck_assert_int_eq(rc, failed == FAKE_READ ? ompd_rc_device_read_error : ompd_rc_nomem);
            ck_assert_ptr_null(threads);
            ck_assert_uint_eq(count, 99);
            continue;
        }
        ck_assert_uint_eq(count, 9);
        for (unsigned i = 1; i < count; i++) {
            if (i != 3)
                ck_assert_uint_eq(threads[i].known, ALL_KNOWN);
        }
        if (failed == FAKE_READ) {
            unsigned lost = pairs++ ? OMPD_EXT_THREAD_TASK : OMPD_EXT_THREAD_REGION;
            ck_assert_uint_eq(threads[3].known, TORN_KNOWN & ~(1u << lost));
        }
        fake_cb_free(threads);
        if (failed == FAKE_NONE)
            break;
    }
    ck_assert_uint_eq(pairs, 2);
}

/* A debugger of another version has larger structures, or none that make sense. */
UNIT(sizes_of_structures, 8)
{
    struct larger {
        ompd_ext_thread_t thread;
        uint64_t later[3];
    } * threads;
    ompd_size_t count;
    assert_ok(ompd_ext_get_threads(unit->space, sizeof *threads,
                                   (ompd_ext_thread_t **)(void *)&threads, &count));
    ck_assert_uint_eq(count, 9);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(threads[i + 1].thread.thread.id, THREAD_ID + i);
        ck_assert_uint_eq(threads[i + 1].later[2], 0);
    }
    fake_cb_free(threads);
    static const ompd_size_t bad[] = {0,    8,          offsetof(ompd_ext_thread_t, runtime) - 8,
                                      4104, UINT64_MAX, sizeof(ompd_ext_thread_t) + 4};
    ompd_ext_thread_t *none = (void *)unit;
    count = 99;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_rc(ompd_ext_get_threads(unit->space, bad[i], &none, &count), ompd_rc_bad_input);
    ck_assert_ptr_eq(none, (void *)unit);
    ck_assert_uint_eq(count, 99);
}
