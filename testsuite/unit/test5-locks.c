/* SPDX-License-Identifier: MIT
 *
 * As many locks as there may be, all with one address, and as many threads that wait for
 * it: the survey takes a moment, not a step for each pair. Nothing but the time limit of
 * the test tells the difference.
 */
#define TEST_SECONDS 60
#include "libompd/runtime/hooks.h"
#include "libompd/survey/survey.h"
#include "unit5.h"

enum { SAME_ADDRESS = 0xc000, RECORDS = 1 << 13 };

/* A list of slabs that all have the same records. */
static uint64_t put_slabs(struct fake *fake, uint64_t first, uint32_t stride, uint32_t count)
{
    uint64_t next = 0;
    while (count--) {
        uint64_t slab = fake_record(fake, RECORD_slab);
        fake_put(fake, slab, FIELD_slab_next, next);
        fake_put(fake, slab, FIELD_slab_first, first);
        fake_put(fake, slab, FIELD_slab_stride, stride);
        fake_put(fake, slab, FIELD_slab_capacity, RECORDS);
        fake_put(fake, slab, FIELD_slab_used, RECORDS);
        next = slab;
    }
    return next;
}

static void put_waiting_threads(struct fake *fake)
{
    uint32_t stride = fake->record_size[RECORD_thread];
    uint64_t first = fake_memory(fake, (size_t)RECORDS * stride);
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint64_t thread = first + (uint64_t)i * stride;
        fake_put(fake, thread, FIELD_thread_id, THREAD_ID + i);
        fake_put(fake, thread, FIELD_thread_status, OUTER_ID << 8 | STATE_wait_lock);
        fake_put(fake, thread, FIELD_thread_wait_id, SAME_ADDRESS);
    }
    fake_put(fake, fake->root, FIELD_root_slab,
             put_slabs(fake, first, stride, HOOKS_THREADS_MAX / RECORDS));
}

static void put_locks(struct fake *fake)
{
    uint32_t stride = fake->record_size[RECORD_lock];
    uint64_t first = fake_memory(fake, (size_t)RECORDS * stride);
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint64_t lock = first + (uint64_t)i * stride;
        fake_put(fake, lock, FIELD_lock_id, LOCK_HELD_ID + i);
        fake_put(fake, lock, FIELD_lock_address, SAME_ADDRESS);
        fake_put(fake, lock, FIELD_lock_kind, LOCK_SIMPLE);
    }
    fake_put(fake, fake->root, FIELD_root_lock_slab,
             put_slabs(fake, first, stride, SURVEY_LOCKS_MAX / RECORDS));
}

TEST(locks_of_one_address)
{
    struct unit unit = unit_begin(0, 8);
    put_waiting_threads(unit.fake);
    put_locks(unit.fake);
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_ok(ompd_ext_get_locks(unit.space, sizeof *locks, &locks, &count, &waiters, &waiting));
    ck_assert_uint_eq(count, SURVEY_LOCKS_MAX);
    ck_assert_uint_eq(waiting, HOOKS_THREADS_MAX);
    for (ompd_size_t i = 0; i < count; i++) {
        if (locks[i].first_waiter != 0 || locks[i].waiters != waiting)
            ck_abort_msg("lock %u has other waiters", (unsigned)i);
    }
    fake_cb_free(locks);
    fake_cb_free(waiters);
    unit_end(&unit);
}

/* Waiters of several addresses, of which one has records, two of them. */
UNIT(waiters_by_address, 8)
{
    struct fake *fake = unit->fake;
    static const uint64_t wait_id[] = {0xb000, 0xd000, 0xb000, 0xc000, 0xd000, 0xb000};
    for (unsigned i = 0; i < 6; i++) {
        uint64_t thread = unit->program->thread[i];
        fake_put(fake, thread, FIELD_thread_status, OUTER_ID << 8 | STATE_wait_lock);
        fake_put(fake, thread, FIELD_thread_wait_id, wait_id[i]);
    }
    for (unsigned i = 0; i < 2; i++)
        fake_put(fake, unit->records.lock[i], FIELD_lock_address, 0xb000);
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_ok(ompd_ext_get_locks(unit->space, sizeof *locks, &locks, &count, &waiters, &waiting));
    static const struct {
        uint64_t address;
        unsigned first, waiters;
        bool is_recorded;
    } expected[] = {
        {0xb000, 0, 3, true}, {0xb000, 0, 3, true}, {0xc000, 3, 1, false}, {0xd000, 4, 2, false}};
    static const unsigned thread[] = {0, 2, 5, 3, 1, 4};
    ck_assert_uint_eq(count, 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(locks[i].address, expected[i].address);
        ck_assert_uint_eq(locks[i].first_waiter, expected[i].first);
        ck_assert_uint_eq(locks[i].waiters, expected[i].waiters);
        ck_assert_int_eq(locks[i].lock.id != 0, expected[i].is_recorded);
    }
    ck_assert_uint_eq(waiting, 6);
    for (unsigned i = 0; i < 6; i++)
        ck_assert_uint_eq(waiters[i].id, THREAD_ID + thread[i]);
    fake_cb_free(locks);
    fake_cb_free(waiters);
}
