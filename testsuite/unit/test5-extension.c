/* SPDX-License-Identifier: MIT
 *
 * The extension: all threads, tasks, dependences, locks and barriers of the program.
 */
#include <string.h>

#include "unit5.h"

#define KNOWS(s, bit) ((s)->known >> (bit)&1)

START_TEST(objects_and_handles)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_word_t version;
    assert_ok(ompd_ext_get_version(&version));
    ck_assert_int_eq(version, OMPD_EXT_VERSION);
    ompd_thread_handle_t *thread = unit_thread(&unit, 3), *again;
    ompd_ext_object_t object;
    assert_ok(ompd_ext_get_object(thread, ompd_scope_thread, &object));
    fake_counts_reset();
    assert_ok(ompd_ext_get_thread_handle(unit.space, &object, &again));
    ck_assert_uint_eq(fake_counts.reads, 0);
    int order = 1;
    assert_ok(ompd_thread_handle_compare(thread, again, &order));
    ck_assert_int_eq(order, 0);
    ompd_word_t state;
    assert_ok(ompd_get_state(again, &state, NULL));
    assert_ok(ompd_rel_thread_handle(again));

    object.id++;
    assert_ok(ompd_ext_get_thread_handle(unit.space, &object, &again));
    assert_rc(ompd_get_state(again, &state, NULL), ompd_rc_stale_handle);
    assert_ok(ompd_rel_thread_handle(again));
    object.id = 0;
    assert_rc(ompd_ext_get_thread_handle(unit.space, &object, &again), ompd_rc_bad_input);
    assert_rc(ompd_ext_get_object(thread, ompd_scope_task, &object),
              ompd_rc_incompatible_handle);
    assert_rc(ompd_ext_get_object(unit.space, ompd_scope_address_space, &object),
              ompd_rc_bad_input);
    assert_ok(ompd_rel_thread_handle(thread));
    unit_end(&unit);
}
END_TEST

START_TEST(all_threads)
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
        ck_assert_uint_eq(t->known, (1u << (OMPD_EXT_THREAD_TASK + 1)) - 1);
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
    assert_ok(ompd_rel_thread_handle(handle));
    fake_cb_free(threads);
    unit_end(&unit);
}
END_TEST

/* Half changed pairs are settled while that is cheap. */
START_TEST(all_threads_torn)
{
    struct unit unit = unit_begin(_i, 64);
    for (unsigned i = 0; i < 64; i++)
        fake_put(unit.fake, unit.program->thread[i], FIELD_thread_seq, 3);
    ompd_ext_thread_t *threads;
    ompd_size_t count;
    fake_counts_reset();
    assert_ok(ompd_ext_get_threads(unit.space, sizeof *threads, &threads, &count));
    ck_assert_uint_le(fake_counts.reads, 64 / 8 + 10);
    ck_assert_uint_eq(threads[1].region.id, OUTER_ID);
    ck_assert_uint_eq(threads[1].task.id, IMPLICIT_TASK_ID);
    ck_assert(!KNOWS(&threads[60], OMPD_EXT_THREAD_TASK));
    ck_assert_uint_eq(threads[60].task.address, 0);
    fake_cb_free(threads);
    unit_end(&unit);
}
END_TEST

/* The number in the team hangs on the region, and is not known while that changes. */
enum {
    ALL_KNOWN = (1u << (OMPD_EXT_THREAD_TASK + 1)) - 1,
    TORN_KNOWN = ALL_KNOWN & ~(1u << OMPD_EXT_THREAD_THREAD_NUM),
};

/* One that changes both pairs costs a read for each; where such a read fails the rest is
 * answered all the same. */
START_TEST(one_thread_torn)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_thread_handle_t *handle = unit_thread(&unit, 2);
    fake_put(unit.fake, unit.program->thread[2], FIELD_thread_seq, 3);
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
    assert_rc(ompd_ext_get_thread(handle, sizeof thread, &thread),
              ompd_rc_device_read_error);
    fake_fail_at(0);
    assert_ok(ompd_rel_thread_handle(handle));
    unit_end(&unit);
}
END_TEST

/* The same of all: a read that fails costs the answer, or one pair of that thread. */
START_TEST(failing_read_of_a_torn_thread)
{
    struct unit unit = unit_begin(_i, 8);
    fake_put(unit.fake, unit.program->thread[2], FIELD_thread_seq, 3);
    unsigned pairs = 0;
    for (unsigned n = 1;; n++) {
        ompd_ext_thread_t *threads = NULL;
        ompd_size_t count = 99;
        fake_fail_at(n);
        ompd_rc_t rc =
            ompd_ext_get_threads(unit.space, sizeof *threads, &threads, &count);
        enum fake_callback failed = fake_failed();
        fake_fail_at(0);
        if (rc != ompd_rc_ok) {
            ck_assert_int_eq(rc, failed == FAKE_READ ? ompd_rc_device_read_error
                                                     : ompd_rc_nomem);
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
    unit_end(&unit);
}
END_TEST

/* A debugger of another version has larger structures, or none that make sense. */
START_TEST(sizes_of_structures)
{
    struct unit unit = unit_begin(_i, 8);
    struct larger {
        ompd_ext_thread_t thread;
        uint64_t later[3];
    } * threads;
    ompd_size_t count;
    assert_ok(ompd_ext_get_threads(unit.space, sizeof *threads,
                                   (ompd_ext_thread_t **)(void *)&threads, &count));
    ck_assert_uint_eq(count, 9);
    for (unsigned i = 0; i < 8; i++) {
        ck_assert_uint_eq(threads[i + 1].thread.thread.id, THREAD_ID + i);
        ck_assert_uint_eq(threads[i + 1].later[2], 0);
    }
    fake_cb_free(threads);
    static const ompd_size_t bad[] = {
        0,    8,         sizeof(ompd_ext_thread_t) - 8, sizeof(ompd_ext_thread_t) + 4,
        4104, UINT64_MAX};
    ompd_ext_thread_t *none = (void *)&unit;
    count = 99;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_rc(ompd_ext_get_threads(unit.space, bad[i], &none, &count),
                  ompd_rc_bad_input);
    ck_assert_ptr_eq(none, (void *)&unit);
    ck_assert_uint_eq(count, 99);
    unit_end(&unit);
}
END_TEST

START_TEST(all_tasks)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_ext_task_t *tasks;
    ompd_size_t count;
    fake_counts_reset();
    assert_ok(ompd_ext_get_tasks(unit.space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_le(fake_counts.reads, 2 + 3 + 6);
    ck_assert_uint_eq(count, SLAB_TASKS);
    static const unsigned state[SLAB_TASKS] = {
        ompd_ext_task_suspended, ompd_ext_task_waiting,  ompd_ext_task_waiting,
        ompd_ext_task_waiting,   ompd_ext_task_ready,    ompd_ext_task_detached,
        ompd_ext_task_created,   ompd_ext_task_completed};
    for (unsigned i = 0; i < SLAB_TASKS; i++) {
        const ompd_ext_task_t *t = &tasks[i];
        ck_assert_uint_eq(t->task.id, TASK_A + i);
        ck_assert_msg(t->state == state[i], "task %u: %u", i, t->state);
        ck_assert_uint_eq(t->kind, ompd_ext_task_explicit);
        ck_assert_uint_eq(t->function, EXPLICIT_FUNCTION + i);
        ck_assert_uint_eq(t->codeptr, 0x5000 + i);
        ck_assert_uint_eq(t->parent.id, IMPLICIT_TASK_ID);
        ck_assert_uint_eq(t->region.id, OUTER_ID);
        ck_assert(KNOWS(t, OMPD_EXT_TASK_THREAD) == (i == 0));
    }
    ck_assert_uint_eq(tasks[0].thread.id, THREAD_ID + 3);
    ck_assert_uint_eq(tasks[0].scheduling.id, IMPLICIT_TASK_ID + 3);
    ck_assert_uint_eq(tasks[2].dependences, 2);
    ck_assert_uint_eq(tasks[5].event, EVENT);
    ck_assert_uint_eq(tasks[5].flags, OMPD_EXT_TASK_DETACHABLE | OMPD_EXT_TASK_UNTIED);
    fake_cb_free(tasks);

    /* Its thread comes back to it. */
    fake_put(unit.fake, unit.program->thread[3], FIELD_thread_task, unit.records.task[0]);
    fake_put(unit.fake, unit.program->thread[3], FIELD_thread_task_id, TASK_A);
    assert_ok(ompd_ext_get_tasks(unit.space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_eq(tasks[0].state, ompd_ext_task_running);
    fake_cb_free(tasks);

    ompd_task_handle_t *handle = unit_task(&unit, 3);
    ompd_ext_task_t one;
    fake_counts_reset();
    assert_ok(ompd_ext_get_task(handle, sizeof one, &one));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert_uint_eq(one.task.id, TASK_A);
    ck_assert_uint_eq(one.serial, 1);
    ck_assert_uint_eq(one.state, ompd_ext_task_running);
    assert_ok(ompd_rel_task_handle(handle));
    unit_end(&unit);
}
END_TEST

static bool has_edge(const ompd_ext_dependence_t *edges, ompd_size_t count, unsigned from,
                     unsigned to, uint64_t address)
{
    for (ompd_size_t i = 0; i < count; i++) {
        if (edges[i].predecessor.id == from && edges[i].successor.id == to &&
            edges[i].address == address)
            return true;
    }
    return false;
}

START_TEST(dependences)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_ext_dependence_t *edges;
    ompd_size_t count;
    assert_ok(ompd_ext_get_dependences(unit.space, sizeof *edges, &edges, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert(has_edge(edges, count, TASK_A, TASK_B, 0x9000));
    ck_assert(has_edge(edges, count, TASK_A, TASK_C, 0x9000));
    ck_assert(has_edge(edges, count, TASK_B, TASK_D, 0x9000));
    ck_assert(has_edge(edges, count, TASK_C, TASK_D, 0x9000));
    ck_assert_uint_eq(edges[0].predecessor_kind, ompd_ext_depend_out);
    fake_cb_free(edges);

    /* When the writer is over the readers are ready, and the last still waits for them.
     */
    fake_put(unit.fake, unit.records.task[0], FIELD_task_state, TASK_COMPLETED);
    assert_ok(ompd_ext_get_dependences(unit.space, sizeof *edges, &edges, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(has_edge(edges, count, TASK_B, TASK_D, 0x9000));
    ck_assert(has_edge(edges, count, TASK_C, TASK_D, 0x9000));
    fake_cb_free(edges);

    /* Tasks of another parent wait for nobody here. */
    fake_put(unit.fake, unit.records.task[3], FIELD_task_parent, unit.program->task[4]);
    fake_put(unit.fake, unit.records.task[3], FIELD_task_parent_id, IMPLICIT_TASK_ID + 4);
    assert_ok(ompd_ext_get_dependences(unit.space, sizeof *edges, &edges, &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(edges);
    unit_end(&unit);
}
END_TEST

/* All pairs of kinds: only those that may overlap do not wait. */
START_TEST(kinds_of_dependences)
{
    struct unit unit = unit_begin(_i, 8);
    struct fake *fake = unit.fake;
    uint64_t first = fake_get(fake, unit.records.task[0], FIELD_task_dependences);
    uint64_t second = fake_get(fake, unit.records.task[1], FIELD_task_dependences);
    for (unsigned i = 2; i < SLAB_TASKS; i++)
        fake_put(fake, unit.records.task[i], FIELD_task_id, 0);
    for (unsigned a = DEPENDENCE_IN; a <= DEPENDENCE_UNKNOWN; a++) {
        for (unsigned b = DEPENDENCE_IN; b <= DEPENDENCE_UNKNOWN; b++) {
            fake_put(fake, first, FIELD_dependence_kind, a);
            fake_put(fake, second, FIELD_dependence_kind, b);
            ompd_ext_dependence_t *edges;
            ompd_size_t count;
            assert_ok(
                ompd_ext_get_dependences(unit.space, sizeof *edges, &edges, &count));
            bool overlap = a == b && (a == DEPENDENCE_IN || a == DEPENDENCE_INOUTSET);
            ck_assert_uint_eq(count, !overlap);
            if (edges)
                fake_cb_free(edges);
        }
    }
    unit_end(&unit);
}
END_TEST

START_TEST(locks_and_waiters)
{
    struct unit unit = unit_begin(_i, 8);
    /* Two who wait for a lock of which there is no record. */
    for (unsigned i = 4; i < 6; i++) {
        fake_put(unit.fake, unit.program->thread[i], FIELD_thread_status,
                 OUTER_ID << 8 | 0x61);
        fake_put(unit.fake, unit.program->thread[i], FIELD_thread_wait_id, 0xb000);
    }
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_ok(ompd_ext_get_locks(unit.space, sizeof *locks, &locks, &count, &waiters,
                                 &waiting));
    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(waiting, 3);
    const ompd_ext_lock_t *held = &locks[0], *free = &locks[1], *unrecorded = &locks[2];
    ck_assert_uint_eq(held->lock.id, LOCK_HELD_ID);
    ck_assert_uint_eq(held->address, CRITICAL_NAME);
    ck_assert_uint_eq(held->kind, ompd_ext_lock_critical);
    ck_assert_uint_eq(held->owner.id, THREAD_ID);
    ck_assert_uint_eq(held->owner_task.id, IMPLICIT_TASK_ID);
    ck_assert_uint_eq(held->count, 1);
    ck_assert_uint_eq(held->codeptr, LOCK_CODEPTR);
    ck_assert_uint_eq(held->waiters, 1);
    ck_assert_uint_eq(waiters[held->first_waiter].id, THREAD_ID + 2);
    ck_assert_uint_eq(free->lock.id, LOCK_FREE_ID);
    ck_assert_uint_eq(free->count, 0);
    ck_assert(!KNOWS(free, OMPD_EXT_LOCK_OWNER) && !KNOWS(free, OMPD_EXT_LOCK_CODEPTR));
    ck_assert_uint_eq(free->owner.id, 0);
    ck_assert_uint_eq(free->waiters, 0);
    ck_assert_uint_eq(unrecorded->known, 1u << OMPD_EXT_LOCK_KIND);
    ck_assert_uint_eq(unrecorded->kind, ompd_ext_lock_nest);
    ck_assert_uint_eq(unrecorded->address, 0xb000);
    ck_assert_uint_eq(unrecorded->waiters, 2);
    ck_assert_uint_eq(waiters[unrecorded->first_waiter].id, THREAD_ID + 4);
    ck_assert_uint_eq(waiters[unrecorded->first_waiter + 1].id, THREAD_ID + 5);
    fake_cb_free(locks);
    fake_cb_free(waiters);
    unit_end(&unit);
}
END_TEST

START_TEST(one_lock)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_ext_lock_t lock;
    assert_ok(ompd_ext_get_lock(unit.space, CRITICAL_NAME, ompd_ext_lock_critical,
                                sizeof lock, &lock));
    ck_assert_uint_eq(lock.lock.id, LOCK_HELD_ID);
    ck_assert_uint_eq(lock.owner.id, THREAD_ID);
    ck_assert_uint_eq(lock.count, 1);
    ck_assert_uint_eq(lock.waiters, 1);
    ck_assert_uint_eq(lock.first_waiter, 0);
    assert_ok(ompd_ext_get_lock(unit.space, LOCK_FREE_ADDRESS, ompd_ext_lock_simple,
                                sizeof lock, &lock));
    ck_assert_uint_eq(lock.lock.id, LOCK_FREE_ID);
    ck_assert(!KNOWS(&lock, OMPD_EXT_LOCK_OWNER));
    /* Another kind, and an address where no lock was used. */
    assert_rc(ompd_ext_get_lock(unit.space, CRITICAL_NAME, ompd_ext_lock_simple,
                                sizeof lock, &lock),
              ompd_rc_unavailable);
    assert_rc(
        ompd_ext_get_lock(unit.space, 0xb000, ompd_ext_lock_simple, sizeof lock, &lock),
        ompd_rc_unavailable);
    assert_rc(ompd_ext_get_lock(unit.space, CRITICAL_NAME, 5, sizeof lock, &lock),
              ompd_rc_bad_input);
    assert_rc(ompd_ext_get_lock(unit.space, 0, 1, sizeof lock, &lock), ompd_rc_bad_input);
    assert_rc(ompd_ext_get_lock(unit.space, CRITICAL_NAME, 1, sizeof lock - 8, &lock),
              ompd_rc_bad_input);
    unit_end(&unit);
}
END_TEST

START_TEST(all_regions)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_ext_region_t *regions;
    ompd_size_t count;
    assert_ok(ompd_ext_get_regions(unit.space, sizeof *regions, &regions, &count));
    ck_assert_uint_eq(count, 2);
    const ompd_ext_region_t *outer = &regions[regions[0].region.id == INNER_ID];
    const ompd_ext_region_t *inner = &regions[regions[0].region.id != INNER_ID];
    ck_assert_uint_eq(outer->region.id, OUTER_ID);
    ck_assert(!KNOWS(outer, OMPD_EXT_REGION_ENCLOSING));
    ck_assert(!KNOWS(outer, OMPD_EXT_REGION_MASTER_NUM));
    ck_assert_uint_eq(inner->region.id, INNER_ID);
    ck_assert_uint_eq(inner->enclosing.id, OUTER_ID);
    ck_assert(KNOWS(inner, OMPD_EXT_REGION_MASTER_NUM));
    ck_assert_uint_eq(inner->master_num, 1);
    fake_cb_free(regions);
    /* A region that no thread is in, around one that is in use. */
    for (unsigned i = 0; i < 8; i++) {
        if (i != 1)
            fake_put(unit.fake, unit.program->thread[i], FIELD_thread_status, 0);
    }
    assert_ok(ompd_ext_get_regions(unit.space, sizeof *regions, &regions, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(regions[0].region.id, INNER_ID);
    ck_assert_uint_eq(regions[1].region.id, OUTER_ID);
    fake_cb_free(regions);
    unit_end(&unit);
}
END_TEST

START_TEST(barrier_arrivals)
{
    struct unit unit = unit_begin(_i, 8);
    ompd_ext_barrier_t *barriers;
    ompd_size_t count;
    assert_ok(ompd_ext_get_barriers(unit.space, sizeof *barriers, &barriers, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(barriers->region.id, OUTER_ID);
    ck_assert_uint_eq(barriers->team_size, 8);
    ck_assert_uint_eq(barriers->members, 7); /* thread 1 is in the inner region */
    ck_assert_uint_eq(barriers->arrived,
                      5); /* 0 works, 2 waits for the critical section */
    ck_assert_uint_eq(barriers->state, ompt_state_wait_barrier_explicit);
    ck_assert_uint_eq(barriers->known, 3);
    fake_cb_free(barriers);
    fake_put(unit.fake, unit.program->thread[4], FIELD_thread_status,
             OUTER_ID << 8 | 0x41);
    assert_ok(ompd_ext_get_barriers(unit.space, sizeof *barriers, &barriers, &count));
    ck_assert_uint_eq(barriers->arrived, 5);
    ck_assert(!KNOWS(barriers, OMPD_EXT_BARRIER_STATE));
    fake_cb_free(barriers);
    unit_end(&unit);
}
END_TEST

START_TEST(regions)
{
    struct unit unit = unit_begin(_i, 8);
    fake_put(unit.fake, unit.program->inner, FIELD_region_codeptr, 0x1234);
    fake_put(unit.fake, unit.program->inner, FIELD_region_requested, 4);
    ompd_parallel_handle_t *handle = unit_region(&unit, 1);
    ompd_ext_region_t region;
    fake_counts_reset();
    assert_ok(ompd_ext_get_region(handle, sizeof region, &region));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert_uint_eq(region.known, (1u << (OMPD_EXT_REGION_MASTER + 1)) - 1);
    ck_assert_uint_eq(region.region.id, INNER_ID);
    ck_assert_uint_eq(region.kind, ompd_generator_parallel);
    ck_assert_uint_eq(region.requested, 4);
    ck_assert_uint_eq(region.num_threads, 1);
    ck_assert_uint_eq(region.function, INNER_FUNCTION);
    ck_assert_uint_eq(region.codeptr, 0x1234);
    ck_assert_uint_eq(region.enclosing.id, OUTER_ID);
    ck_assert_uint_eq(region.task.id, IMPLICIT_TASK_ID + 1);
    ck_assert_uint_eq(region.master.id, THREAD_ID + 1);
    assert_ok(ompd_rel_parallel_handle(handle));
    unit_end(&unit);
}
END_TEST

/* Slabs, counts and arrays that cannot be. */
START_TEST(hostile_records)
{
    struct unit unit = unit_begin(_i, 8);
    struct fake *fake = unit.fake;
    const struct {
        uint64_t record;
        enum hooks_field field;
        uint64_t value;
    } cases[] = {
        {unit.records.task_slab, FIELD_slab_next, unit.records.task_slab},
        {unit.records.task_slab, FIELD_slab_used, 1u << 31},
        {unit.records.task_slab, FIELD_slab_stride, 0},
        {unit.records.task_slab, FIELD_slab_stride, UINT32_MAX},
        {unit.records.lock_slab, FIELD_slab_next, unit.records.lock_slab},
        {unit.records.lock_slab, FIELD_slab_used, 1u << 31},
        {unit.records.lock_slab, FIELD_slab_first, 0},
        {unit.program->slab, FIELD_slab_next, unit.program->slab},
        {fake_get(fake, unit.records.task[1], FIELD_task_dependences),
         FIELD_dependence_kind, 99},
        {unit.records.task[1], FIELD_task_dependences_held, 1u << 31},
        {unit.records.task[0], FIELD_task_parent_id, TASK_A},
        {unit.records.lock[0], FIELD_lock_kind, 17},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t kept = fake_get(fake, cases[i].record, cases[i].field);
        fake_put(fake, cases[i].record, cases[i].field, cases[i].value);
        ompd_ext_task_t *tasks = NULL;
        ompd_ext_lock_t *locks = NULL;
        ompd_ext_object_t *waiters = NULL;
        ompd_size_t count = 0, waiting = 0;
        fake_counts_reset();
        ompd_rc_t of_tasks =
            ompd_ext_get_tasks(unit.space, sizeof *tasks, &tasks, &count);
        ompd_rc_t of_locks = ompd_ext_get_locks(unit.space, sizeof *locks, &locks, &count,
                                                &waiters, &waiting);
        ck_assert_uint_lt(fake_counts.reads, 1 << 14);
        /* A list that is wrong spoils the answer; one wrong record only itself. */
        ck_assert_msg((of_tasks != ompd_rc_ok || of_locks != ompd_rc_ok) == (i < 9),
                      "case %u: %d %d", i, of_tasks, of_locks);
        ck_assert((tasks != NULL) == (of_tasks == ompd_rc_ok));
        ck_assert((locks != NULL) == (of_locks == ompd_rc_ok));
        if (i == 9) {
            ck_assert_uint_eq(tasks[1].state, ompd_ext_task_created);
        }
        if (i == 11) {
            ck_assert(!KNOWS(&locks[0], OMPD_EXT_LOCK_KIND));
        }
        if (tasks)
            fake_cb_free(tasks);
        if (locks)
            fake_cb_free(locks);
        if (waiters)
            fake_cb_free(waiters);
        fake_put(fake, cases[i].record, cases[i].field, kept);
    }
    unit_end(&unit);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extension");
    TCase *tcase = tcase_create("extension");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, objects_and_handles, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, all_threads, 0, 3 * TARGET_KINDS);
    tcase_add_loop_test(tcase, all_threads_torn, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, one_thread_torn, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, failing_read_of_a_torn_thread, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, sizes_of_structures, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, all_tasks, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, dependences, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, kinds_of_dependences, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, locks_and_waiters, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, one_lock, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, all_regions, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, barrier_arrivals, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, regions, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, hostile_records, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
