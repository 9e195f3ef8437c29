/* SPDX-License-Identifier: MIT
 *
 * Handles: order and names, and every way in which one can be no good.
 */
#include <ctype.h>
#include <string.h>

#include "unit.h"

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static int compare(ompd_thread_handle_t *a, ompd_thread_handle_t *b)
{
    int order = 99;
    assert_ok(ompd_thread_handle_compare(a, b, &order));
    return sign(order);
}

static bool same_name(ompd_thread_handle_t *a, ompd_thread_handle_t *b)
{
    char *name[2];
    assert_ok(ompd_get_thread_handle_string_id(a, &name[0]));
    assert_ok(ompd_get_thread_handle_string_id(b, &name[1]));
    for (const char *c = name[0]; *c; c++)
        ck_assert_msg(isalnum((unsigned char)*c) || *c == '_', "%s", name[0]);
    bool same = strcmp(name[0], name[1]) == 0;
    fake_cb_free(name[0]);
    fake_cb_free(name[1]);
    return same;
}

/* Two handles of each thread of two processes with equal ids. */
EACH(order_is_total, TARGET_KINDS)
{
    enum { THREADS = 6, HANDLES = 4 * THREADS };
    struct unit unit = unit_begin(_i, THREADS);
    struct program *other = program_new(8, false, THREADS);
    struct unit second = {.program = other, .fake = other->fake};
    assert_ok(ompd_process_initialize(context_of(other->fake), &second.space));
    ompd_thread_handle_t *all[HANDLES];
    for (unsigned i = 0; i < HANDLES; i++)
        all[i] = unit_thread(i / THREADS % 2 ? &unit : &second, i % THREADS);
    for (unsigned a = 0; a < HANDLES; a++) {
        for (unsigned b = 0; b < HANDLES; b++) {
            bool same = a % (2 * THREADS) == b % (2 * THREADS);
            ck_assert_int_eq(compare(all[a], all[b]) == 0, same);
            ck_assert_int_eq(compare(all[a], all[b]), -compare(all[b], all[a]));
            ck_assert_int_eq(same_name(all[a], all[b]), same);
            for (unsigned c = 0; c < HANDLES; c++) {
                if (compare(all[a], all[b]) <= 0 && compare(all[b], all[c]) <= 0)
                    ck_assert_int_le(compare(all[a], all[c]), 0);
            }
        }
    }
    for (unsigned i = 0; i < HANDLES; i++)
        assert_ok(ompd_release_thread_handle(all[i]));
    assert_ok(ompd_release_address_space_handle(second.space));
    program_free(other);
    unit_end(&unit);
}

UNIT(names_tell_regions_and_tasks_apart, 4)
{
    ompd_parallel_handle_t *region[3];
    ompd_task_handle_t *task[3];
    char *region_name[3], *task_name[3];
    static const unsigned thread[] = {0, 1, 0};
    for (unsigned i = 0; i < 3; i++) {
        region[i] = unit_region(unit, thread[i]);
        task[i] = unit_task(unit, thread[i]);
        assert_ok(ompd_get_parallel_handle_string_id(region[i], &region_name[i]));
        assert_ok(ompd_get_task_handle_string_id(task[i], &task_name[i]));
    }
    for (unsigned a = 0; a < 3; a++) {
        for (unsigned b = 0; b < 3; b++) {
            int order = 99;
            assert_ok(ompd_parallel_handle_compare(region[a], region[b], &order));
            ck_assert_int_eq(order == 0, thread[a] == thread[b]);
            ck_assert_int_eq(strcmp(region_name[a], region_name[b]) == 0, order == 0);
            assert_ok(ompd_task_handle_compare(task[a], task[b], &order));
            ck_assert_int_eq(order == 0, thread[a] == thread[b]);
            ck_assert_int_eq(strcmp(task_name[a], task_name[b]) == 0, order == 0);
            ck_assert_str_ne(task_name[a], region_name[b]);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        fake_cb_free(region_name[i]);
        fake_cb_free(task_name[i]);
    }
}

static void expect_stale(const struct subject *subject)
{
    ck_assert_uint_gt(ask_all_stale(subject, false, ompd_rc_stale_handle), 20);
}

UNIT(null_handles_are_stale, 4)
{
    expect_stale(&(struct subject){.context = unit->fake});
    assert_rc(ompd_release_thread_handle(NULL), ompd_rc_stale_handle);
    assert_rc(ompd_release_parallel_handle(NULL), ompd_rc_stale_handle);
    assert_rc(ompd_release_task_handle(NULL), ompd_rc_stale_handle);
    assert_rc(ompd_release_address_space_handle(NULL), ompd_rc_stale_handle);
}

UNIT(handles_of_another_kind_are_stale, 4)
{
    struct subject good = subject_begin(unit);
    struct subject bad = good;
    bad.space = (void *)good.thread;
    bad.thread = (void *)good.region;
    bad.region = (void *)good.task;
    bad.task = (void *)good.space;
    expect_stale(&bad);
    assert_rc(ompd_release_thread_handle(bad.thread), ompd_rc_stale_handle);
    assert_rc(ompd_release_parallel_handle(bad.region), ompd_rc_stale_handle);
    assert_rc(ompd_release_task_handle(bad.task), ompd_rc_stale_handle);
    assert_rc(ompd_release_address_space_handle(bad.space), ompd_rc_stale_handle);
    subject_end(&good);
}

UNIT(foreign_memory_is_stale, 4)
{
    static uint64_t zeros[64];
    struct subject bad = {
        .context = unit->fake,
        .space = (void *)zeros,
        .thread = (void *)((char *)zeros + 1),
        .region = (void *)zeros,
        .task = (void *)((char *)zeros + 3),
    };
    expect_stale(&bad);
}

UNIT(released_handles_are_stale, 4)
{
    struct subject subject = subject_begin(unit);
    ompd_address_space_handle_t *space;
    assert_ok(ompd_process_initialize(context_of(unit->fake), &space));
    assert_ok(ompd_release_address_space_handle(space));
    subject.space = space;
    subject_end(&subject);
    expect_stale(&subject);
    assert_rc(ompd_release_thread_handle(subject.thread), ompd_rc_stale_handle);
    assert_rc(ompd_release_parallel_handle(subject.region), ompd_rc_stale_handle);
    assert_rc(ompd_release_task_handle(subject.task), ompd_rc_stale_handle);
}

/* In whatever order a debugger forgets them. */
EACH(a_space_releases_its_handles, TARGET_KINDS)
{
    for (unsigned released = 0; released < 3; released++) {
        struct unit unit = unit_begin(_i, 4);
        ompd_address_space_handle_t *other = unit.space;
        assert_ok(ompd_process_initialize(context_of(unit.fake), &unit.space));
        struct subject subject = subject_begin(&unit);
        if (released == 0)
            assert_ok(ompd_release_thread_handle(subject.thread));
        else if (released == 1)
            assert_ok(ompd_release_parallel_handle(subject.region));
        else
            assert_ok(ompd_release_task_handle(subject.task));
        assert_ok(ompd_release_address_space_handle(unit.space));
        subject.space = unit.space;
        expect_stale(&subject);
        assert_rc(ompd_release_thread_handle(subject.thread), ompd_rc_stale_handle);
        assert_rc(ompd_release_parallel_handle(subject.region), ompd_rc_stale_handle);
        assert_rc(ompd_release_task_handle(subject.task), ompd_rc_stale_handle);
        unit.space = other;
        unit_end(&unit); /* nothing is left behind */
    }
}

/* The objects have ended, or their memory has been given to others. */
EACH(handles_of_ended_objects_are_stale, TARGET_KINDS)
{
    for (uint64_t new_id = 0; new_id <= 77777; new_id += 77777) {
        struct unit unit = unit_begin(_i, 4);
        struct subject subject = subject_begin(&unit);
        fake_put(unit.fake, unit.program->thread[1], FIELD_thread_id, new_id);
        fake_put(unit.fake, unit.program->inner, FIELD_region_id, new_id);
        fake_put(unit.fake, unit.program->inner_task, FIELD_task_id, new_id);
        ck_assert_uint_gt(ask_all_stale(&subject, true, ompd_rc_stale_handle), 10);
        /* What asks nothing of the target still works, so that handles can be sorted out
         * and given back. */
        int order;
        char *name;
        assert_ok(ompd_thread_handle_compare(subject.thread, subject.thread, &order));
        assert_ok(ompd_get_task_handle_string_id(subject.task, &name));
        fake_cb_free(name);
        subject_end(&subject);
        unit_end(&unit);
    }
}

UNIT(every_routine_without_a_place_for_an_answer, 4)
{
    struct subject subject = subject_begin(unit);
    ck_assert_uint_eq(ask_all_without_outs(&subject, ompd_rc_bad_input), 34);
    subject_end(&subject);
}

UNIT(compare_checks_its_handles, 4)
{
    struct subject s = subject_begin(unit);
    int order = 5;
    assert_rc(ompd_thread_handle_compare(s.thread, NULL, &order), ompd_rc_stale_handle);
    assert_rc(ompd_task_handle_compare(NULL, s.task, &order), ompd_rc_stale_handle);
    ck_assert_int_eq(order, 5);
    subject_end(&s);
}
