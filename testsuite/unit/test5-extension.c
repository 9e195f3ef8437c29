/* SPDX-License-Identifier: MIT
 *
 * The extension: locks, regions and barriers of the program, and records that cannot be.
 */
#include "unit5.h"

UNIT(locks_and_waiters, 8)
{
    /* Two who wait for a lock of which there is no record. */
    for (unsigned i = 4; i < 6; i++) {
        fake_put(unit->fake, unit->program->thread[i], FIELD_thread_status, OUTER_ID << 8 | 0x61);
        fake_put(unit->fake, unit->program->thread[i], FIELD_thread_wait_id, 0xb000);
    }
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_ok(ompd_ext_get_locks(unit->space, sizeof *locks, &locks, &count, &waiters, &waiting));
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
    ck_assert(KNOWS(held, OMPD_EXT_LOCK_FRAME) && KNOWS(held, OMPD_EXT_LOCK_LIFE));
    ck_assert_uint_eq(held->frame, LOCK_FRAME);
    ck_assert_uint_eq(held->life, ompd_ext_life_unseen);
    ck_assert(!KNOWS(free, OMPD_EXT_LOCK_FRAME));
    ck_assert_uint_eq(free->life, ompd_ext_life_made);
    ck_assert_uint_eq(held->waiters, 1);
    ck_assert_uint_eq(waiters[held->first_waiter].id, THREAD_ID + 2);
    ck_assert_uint_eq(free->lock.id, LOCK_FREE_ID);
    ck_assert_uint_eq(free->count, 0);
    ck_assert(!KNOWS(free, OMPD_EXT_LOCK_OWNER) && !KNOWS(free, OMPD_EXT_LOCK_CODEPTR));
    ck_assert_uint_eq(free->owner.id, 0);
    ck_assert_uint_eq(free->waiters, 0);
    ck_assert_uint_eq(unrecorded->known, 1u << OMPD_EXT_LOCK_KIND | 1u << OMPD_EXT_LOCK_LIFE);
    ck_assert_uint_eq(unrecorded->life, ompd_ext_life_unseen);
    ck_assert_uint_eq(unrecorded->kind, ompd_ext_lock_nest);
    ck_assert_uint_eq(unrecorded->address, 0xb000);
    ck_assert_uint_eq(unrecorded->waiters, 2);
    ck_assert_uint_eq(waiters[unrecorded->first_waiter].id, THREAD_ID + 4);
    ck_assert_uint_eq(waiters[unrecorded->first_waiter + 1].id, THREAD_ID + 5);
    fake_cb_free(locks);
    fake_cb_free(waiters);
}

EACH(one_lock, TARGET_KINDS)
{
    enum { FIRST = offsetof(ompd_ext_lock_t, frame) }; /* bytes, in the first version */
    struct unit unit = unit_begin(_i, 8);
    ompd_ext_lock_t lock;
    assert_ok(
        ompd_ext_get_lock(unit.space, CRITICAL_NAME, ompd_ext_lock_critical, sizeof lock, &lock));
    ck_assert_uint_eq(lock.lock.id, LOCK_HELD_ID);
    ck_assert_uint_eq(lock.owner.id, THREAD_ID);
    ck_assert_uint_eq(lock.count, 1);
    ck_assert_uint_eq(lock.waiters, 1);
    ck_assert_uint_eq(lock.first_waiter, 0);
    assert_ok(
        ompd_ext_get_lock(unit.space, LOCK_FREE_ADDRESS, ompd_ext_lock_simple, sizeof lock, &lock));
    ck_assert_uint_eq(lock.lock.id, LOCK_FREE_ID);
    ck_assert(!KNOWS(&lock, OMPD_EXT_LOCK_OWNER));
    /* A debugger that knows the first version only. */
    memset(&lock, 0x5a, sizeof lock);
    assert_ok(ompd_ext_get_lock(unit.space, CRITICAL_NAME, ompd_ext_lock_critical, FIRST, &lock));
    ck_assert_uint_eq(lock.owner.id, THREAD_ID);
    ck_assert_uint_eq(lock.frame, UINT64_C(0x5a5a5a5a5a5a5a5a));
    /* Another kind, and an address where no lock was used. */
    assert_rc(
        ompd_ext_get_lock(unit.space, CRITICAL_NAME, ompd_ext_lock_simple, sizeof lock, &lock),
        ompd_rc_unavailable);
    assert_rc(ompd_ext_get_lock(unit.space, 0xb000, ompd_ext_lock_simple, sizeof lock, &lock),
              ompd_rc_unavailable);
    assert_rc(ompd_ext_get_lock(unit.space, CRITICAL_NAME, 5, sizeof lock, &lock),
              ompd_rc_bad_input);
    assert_rc(ompd_ext_get_lock(unit.space, 0, 1, sizeof lock, &lock), ompd_rc_bad_input);
    assert_rc(ompd_ext_get_lock(unit.space, CRITICAL_NAME, 1, FIRST - 8, &lock), ompd_rc_bad_input);
    unit_end(&unit);
}

UNIT(all_regions, 8)
{
    ompd_ext_region_t *regions;
    ompd_size_t count;
    assert_ok(ompd_ext_get_regions(unit->space, sizeof *regions, &regions, &count));
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
            fake_put(unit->fake, unit->program->thread[i], FIELD_thread_status, 0);
    }
    assert_ok(ompd_ext_get_regions(unit->space, sizeof *regions, &regions, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(regions[0].region.id, INNER_ID);
    ck_assert_uint_eq(regions[1].region.id, OUTER_ID);
    fake_cb_free(regions);
}

UNIT(barrier_arrivals, 8)
{
    ompd_ext_barrier_t *barriers;
    ompd_size_t count;
    assert_ok(ompd_ext_get_barriers(unit->space, sizeof *barriers, &barriers, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(barriers->region.id, OUTER_ID);
    ck_assert_uint_eq(barriers->team_size, 8);
    ck_assert_uint_eq(barriers->members, 7); /* thread 1 is in the inner region */
    ck_assert_uint_eq(barriers->arrived, 5); /* 0 works, 2 waits for the critical section */
    ck_assert_uint_eq(barriers->state, ompt_state_wait_barrier_explicit);
    ck_assert_uint_eq(barriers->known, 3 | 1 << OMPD_EXT_BARRIER_CODEPTR);
    fake_cb_free(barriers);
    fake_put(unit->fake, unit->program->thread[4], FIELD_thread_status, OUTER_ID << 8 | 0x41);
    assert_ok(ompd_ext_get_barriers(unit->space, sizeof *barriers, &barriers, &count));
    ck_assert_uint_eq(barriers->arrived, 5);
    ck_assert(!KNOWS(barriers, OMPD_EXT_BARRIER_STATE));
    fake_cb_free(barriers);
}

UNIT(regions, 8)
{
    fake_put(unit->fake, unit->program->inner, FIELD_region_codeptr, 0x1234);
    fake_put(unit->fake, unit->program->inner, FIELD_region_requested, 4);
    ompd_parallel_handle_t *handle = unit_region(unit, 1);
    ompd_ext_region_t region;
    fake_counts_reset();
    assert_ok(ompd_ext_get_region(handle, sizeof region, &region));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert_uint_eq(region.known,
                      ((1u << (OMPD_EXT_REGION_MASTER + 1)) - 1) | 1u << OMPD_EXT_REGION_RUNTIME |
                          1u << OMPD_EXT_REGION_CANCELLED | 1u << OMPD_EXT_REGION_NUMBER |
                          7u << OMPD_EXT_REGION_PARTED);
    ck_assert_uint_eq(region.region.id, INNER_ID);
    ck_assert_uint_eq(region.number, INNER_ID);
    ck_assert_uint_eq(region.kind, ompd_generator_parallel);
    ck_assert_uint_eq(region.requested, 4);
    ck_assert_uint_eq(region.num_threads, 1);
    ck_assert_uint_eq(region.function, INNER_FUNCTION);
    ck_assert_uint_eq(region.codeptr, 0x1234);
    ck_assert_uint_eq(region.enclosing.id, OUTER_ID);
    ck_assert_uint_eq(region.task.id, IMPLICIT_TASK_ID + 1);
    ck_assert_uint_eq(region.master.id, THREAD_ID + 1);
}

/* Slabs, counts and arrays that cannot be. */
UNIT(hostile_records, 8)
{
    struct fake *fake = unit->fake;
    const struct {
        uint64_t record;
        enum hooks_field field;
        uint64_t value;
    } cases[] = {
        {unit->records.task_slab, FIELD_slab_next, unit->records.task_slab},
        {unit->records.task_slab, FIELD_slab_used, 1u << 31},
        {unit->records.task_slab, FIELD_slab_stride, 0},
        {unit->records.task_slab, FIELD_slab_stride, UINT32_MAX},
        {unit->records.lock_slab, FIELD_slab_next, unit->records.lock_slab},
        {unit->records.lock_slab, FIELD_slab_used, 1u << 31},
        {unit->records.lock_slab, FIELD_slab_first, 0},
        {unit->program->slab, FIELD_slab_next, unit->program->slab},
        {fake_get(fake, unit->records.task[1], FIELD_task_dependences), FIELD_dependence_kind, 99},
        {unit->records.task[1], FIELD_task_dependences_held, 1u << 31},
        {unit->records.task[0], FIELD_task_parent_id, TASK_A},
        {unit->records.lock[0], FIELD_lock_kind, 17},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t kept = fake_get(fake, cases[i].record, cases[i].field);
        fake_put(fake, cases[i].record, cases[i].field, cases[i].value);
        ompd_ext_task_t *tasks = NULL;
        ompd_ext_lock_t *locks = NULL;
        ompd_ext_object_t *waiters = NULL;
        ompd_size_t count = 0, waiting = 0;
        fake_counts_reset();
        ompd_rc_t of_tasks = ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count);
        ompd_rc_t of_locks =
            ompd_ext_get_locks(unit->space, sizeof *locks, &locks, &count, &waiters, &waiting);
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
}

/* What was asked for, what the ICVs of the encountering task allow, and what came of it. */
EACH(team_sizes, TARGET_KINDS)
{
    static const struct {
        uint32_t requested, actual, dynamic, limit, levels, around, shortfall;
    } cases[] = {
        {4, 4, 0, INT32_MAX, 9, 1, ompd_ext_shortfall_none},
        {1, 1, 0, INT32_MAX, 9, 1, ompd_ext_shortfall_none}, /* an if clause */
        {8, 1, 1, 3, 1, 1, ompd_ext_shortfall_levels},
        {8, 4, 0, 4, 9, 1, ompd_ext_shortfall_limit},
        {8, 2, 0, 4, 9, 1, ompd_ext_shortfall_limit}, /* others are busy */
        {8, 4, 1, 4, 9, 1, ompd_ext_shortfall_limit},
        {8, 3, 1, INT32_MAX, 9, 1, ompd_ext_shortfall_dynamic},
        {8, 3, 0, INT32_MAX, 9, 1, ompd_ext_shortfall_other},
        {0, 3, 1, INT32_MAX, 9, 1, ompd_ext_shortfall_dynamic}, /* of nthreads-var */
        {0, 6, 1, INT32_MAX, 9, 1, ompd_ext_shortfall_none},
    };
    struct unit unit = unit_begin(_i, 8);
    struct subject subject = subject_begin(&unit);
    uint64_t region = unit.program->inner, icvs = unit.records.icvs;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        ompd_ext_team_t team;
        fake_put(unit.fake, region, FIELD_region_requested, cases[i].requested);
        fake_put(unit.fake, region, FIELD_region_actual, cases[i].actual);
        fake_put(unit.fake, region, FIELD_region_active_level,
                 cases[i].around + (cases[i].actual > 1));
        fake_put(unit.fake, icvs, FIELD_icvs_nthreads, 6);
        fake_put(unit.fake, icvs, FIELD_icvs_dynamic, cases[i].dynamic);
        fake_put(unit.fake, icvs, FIELD_icvs_thread_limit, cases[i].limit);
        fake_put(unit.fake, icvs, FIELD_icvs_max_active_levels, cases[i].levels);
        assert_ok(ompd_ext_get_team(subject.region, sizeof team, &team));
        ck_assert(KNOWS(&team, OMPD_EXT_TEAM_SHORTFALL));
        ck_assert_msg(team.shortfall == cases[i].shortfall, "case %u: %u", i, team.shortfall);
        ck_assert_uint_eq(team.requested, cases[i].requested);
        ck_assert_uint_eq(team.num_threads, cases[i].actual);
        ck_assert_uint_eq(team.nthreads, 6);
        ck_assert(!KNOWS(&team, OMPD_EXT_TEAM_GONE));
    }
    subject_end(&subject);
    unit_end(&unit);
}

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(HISTORY_REGION_BEGIN, ompd_ext_event_region_begin);
SAME(HISTORY_REGION_END, ompd_ext_event_region_end);
SAME(HISTORY_JOIN, ompd_ext_event_join);
SAME(HISTORY_TASK_CREATE, ompd_ext_event_task_create);
SAME(HISTORY_TASK_BEGIN, ompd_ext_event_task_begin);
SAME(HISTORY_TASK_END, ompd_ext_event_task_end);
SAME(HISTORY_CANCEL, ompd_ext_event_cancel);
SAME(HISTORY_SYNC, ompd_ext_event_sync);
SAME(HISTORY_MUTEX, ompd_ext_event_mutex);
SAME(HISTORY_RELEASE, ompd_ext_event_release);
SAME(HISTORY_WORK, ompd_ext_event_work);
SAME(HISTORY_CLASS, ompd_ext_event_class);

/* The events of the thread, whose number is returned; those that the debugger has to free. */
static unsigned history_of(struct subject *subject, ompd_ext_event_t **events)
{
    ompd_size_t count = 99;
    *events = NULL;
    assert_ok(ompd_ext_get_history(subject->thread, sizeof **events, events, &count));
    return (unsigned)count;
}

EACH(last_events, TARGET_KINDS)
{
    struct unit unit = unit_begin(_i, 8);
    struct subject subject = subject_begin(&unit);
    const struct records *records = &unit.records;
    struct fake *fake = unit.fake;
    ompd_ext_event_t *events;
    ck_assert_uint_eq(history_of(&subject, &events), 4);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_uint_eq(events[i].number, i + 3);
        ck_assert(KNOWS(&events[i], OMPD_EXT_EVENT_TIME));
        ck_assert_uint_eq(events[i].time, 7000000000 + (i + 1) * 500000000);
    }
    ck_assert_uint_eq(events[0].kind, ompd_ext_event_sync + 3);
    ck_assert_uint_eq(events[0].waited, 250000000);
    ck_assert(KNOWS(&events[0], OMPD_EXT_EVENT_OPEN) && !events[0].open);
    ck_assert(!KNOWS(&events[1], OMPD_EXT_EVENT_WAITED) && !events[1].open);
    ck_assert_uint_eq(events[2].object, 0xa000);
    ck_assert(events[2].open);
    ck_assert(!KNOWS(&events[3], OMPD_EXT_EVENT_OPEN));
    ck_assert_uint_eq(events[3].codeptr, 0x4460);
    fake_cb_free(events);

    /* One that is being stored, and one whose number is not that of its place. */
    uint32_t stride = fake->record_size[RECORD_event];
    fake_put(fake, records->events + 2 * stride, FIELD_event_number, 0);
    fake_put(fake, records->events + stride, FIELD_event_number, 7);
    ck_assert_uint_eq(history_of(&subject, &events), 2);
    ck_assert_uint_eq(events[0].number, 4);
    ck_assert_uint_eq(events[1].number, 5);
    fake_cb_free(events);

    /* Clocks that are torn, and such as have gone back. */
    fake_put(fake, records->clock, FIELD_clock_seq, 3);
    ck_assert_uint_eq(history_of(&subject, &events), 2);
    ck_assert(!KNOWS(&events[0], OMPD_EXT_EVENT_TIME));
    fake_cb_free(events);
    fake_put(fake, records->clock, FIELD_clock_seq, 4);
    fake_put(fake, records->clock, FIELD_clock_last_time, 6000000000);
    ck_assert_uint_eq(history_of(&subject, &events), 2);
    ck_assert(!KNOWS(&events[0], OMPD_EXT_EVENT_TIME));
    fake_cb_free(events);

    ompd_size_t count;
    fake_put(fake, records->history, FIELD_history_capacity, UINT32_MAX);
    assert_rc(ompd_ext_get_history(subject.thread, sizeof *events, &events, &count), ompd_rc_error);
    fake_put(fake, records->history, FIELD_history_capacity, 0);
    assert_rc(ompd_ext_get_history(subject.thread, sizeof *events, &events, &count), ompd_rc_error);
    fake_put(fake, unit.program->thread[1], FIELD_thread_history, 0);
    assert_rc(ompd_ext_get_history(subject.thread, sizeof *events, &events, &count),
              ompd_rc_unavailable);
    assert_rc(ompd_ext_get_history(subject.thread, sizeof *events - 8, &events, &count),
              ompd_rc_bad_input);
    subject_end(&subject);
    unit_end(&unit);
}

EACH(lock_orders, TARGET_KINDS)
{
    struct unit unit = unit_begin(_i, 8);
    struct subject subject = subject_begin(&unit);
    struct fake *fake = unit.fake;
    ompd_ext_order_t *orders;
    ompd_size_t count;
    assert_ok(ompd_ext_get_orders(unit.space, sizeof *orders, &orders, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert(orders[0].order == 1 && !orders[0].parent && !orders[0].thread);
    for (unsigned i = 1; i < 4; i++) {
        ck_assert(orders[i].order == 2 && orders[i].parent == 1);
        ck_assert_uint_eq(orders[i].lock, LOCK_HELD_ID + 2);
        ck_assert(orders[i].address == 0xb002 && orders[i].codeptr == 0x4472);
        ck_assert_uint_eq(orders[i].kind, ompd_ext_lock_simple);
        ck_assert_uint_eq(orders[i].thread, i == 1 ? 0 : THREAD_ID + i - 1);
    }
    ck_assert(orders[3].region == OUTER_ID && orders[3].barrier == 3);
    fake_cb_free(orders);
    fake_put(fake, fake->root, FIELD_root_orders_lost, 1);
    assert_rc(ompd_ext_get_orders(unit.space, sizeof *orders, &orders, &count), ompd_rc_incomplete);
    ck_assert_uint_eq(count, 4);
    fake_cb_free(orders);
    assert_rc(ompd_ext_get_orders(unit.space, sizeof *orders - 8, &orders, &count),
              ompd_rc_bad_input);
    fake_put(fake, unit.records.order_slab, FIELD_slab_used, UINT32_MAX);
    assert_rc(ompd_ext_get_orders(unit.space, sizeof *orders, &orders, &count), ompd_rc_error);
    fake_put(fake, fake->root, FIELD_root_order_slab, 0);
    assert_rc(ompd_ext_get_orders(unit.space, sizeof *orders, &orders, &count),
              ompd_rc_unavailable);
    subject_end(&subject);
    unit_end(&unit);
}

SAME(SUM_REGION, ompd_ext_sum_region);
SAME(SUM_MEMBER, ompd_ext_sum_member);
SAME(SUM_BARRIER, ompd_ext_sum_barrier);
SAME(SUM_TASKWAIT, ompd_ext_sum_taskwait);
SAME(SUM_TASK_CREATED, ompd_ext_sum_task_created);
SAME(SUM_TASK, ompd_ext_sum_task);
SAME(SUM_MUTEX, ompd_ext_sum_mutex);

EACH(added_up, TARGET_KINDS)
{
    struct unit unit = unit_begin(_i, 8);
    const struct records *records = &unit.records;
    struct fake *fake = unit.fake;
    ompd_ext_sum_t *sums = NULL;
    ompd_size_t count = 99;
    assert_ok(ompd_ext_get_sums(unit.space, sizeof *sums, &sums, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(sums[0].kind, ompd_ext_sum_threads);
    ck_assert_uint_eq(sums[0].number, 77);
    ck_assert(sums[0].count == 2 && sums[0].time == 7000000000 && sums[0].waited == 8000000000);
    ck_assert(sums[1].count == 4 && sums[1].time == 500000000 && sums[1].contended == 1000000000);
    ck_assert_uint_eq(sums[1].typical, 1536 / 2);
    ck_assert(sums[2].time == 200000000 && sums[2].contended == 3 && sums[2].several);
    ck_assert_uint_eq(sums[2].codeptr, 0x4470);
    ck_assert(!KNOWS(&sums[3], OMPD_EXT_SUM_TIME) && !KNOWS(&sums[3], OMPD_EXT_SUM_CONTENDED));
    fake_cb_free(sums);

#define ANSWERS(rc) assert_rc(ompd_ext_get_sums(unit.space, sizeof *sums, &sums, &count), rc)
    /* A list that has no end, more than there can be, and the child of a fork. */
    fake_put(fake, records->sums, FIELD_sums_next, records->sums);
    ANSWERS(ompd_rc_error);
    fake_put(fake, records->sums, FIELD_sums_next, 0);
    fake_put(fake, records->sums, FIELD_sums_used, UINT32_MAX);
    ANSWERS(ompd_rc_error);
    fake_put(fake, records->sums, FIELD_sums_threads, 0);
    ANSWERS(ompd_rc_error);
    fake_put(fake, records->sums, FIELD_sums_used, 0);
    assert_ok(ompd_ext_get_sums(unit.space, sizeof *sums, &sums, &count));
    ck_assert_uint_eq(count, 0);

    fake_put(fake, records->clock, FIELD_clock_seq, 3);
    ANSWERS(ompd_rc_unavailable);
    fake_put(fake, records->clock, FIELD_clock_seq, 4);
    fake_put(fake, fake->root, FIELD_root_sums, 0);
    ANSWERS(ompd_rc_unavailable);
#undef ANSWERS
    assert_rc(ompd_ext_get_sums(unit.space, sizeof *sums - 8, &sums, &count), ompd_rc_bad_input);
    unit_end(&unit);
}

UNIT(what_else_is_recorded, 8)
{
    struct subject subject = subject_begin(unit);
    ompd_ext_loop_t loop;
    ompd_ext_stack_t stack;
    ompd_ext_region_t region;
    ompd_word_t forks;
    assert_ok(ompd_ext_set_stop(unit->space, 1));
    assert_rc(ompd_ext_set_stop(NULL, 1), ompd_rc_stale_handle);
    assert_ok(ompd_ext_get_forks(unit->space, &forks));
    ck_assert_int_eq(forks, 2);
    assert_ok(ompd_ext_get_loop(subject.thread, sizeof loop, &loop));
    ck_assert_uint_eq(loop.known, 1u << OMPD_EXT_LOOP_AWAITED);
    ck_assert_uint_eq(loop.awaited, AWAITED);
    fake_put(unit->fake, unit->program->thread[1], FIELD_thread_awaited, 0);
    assert_rc(ompd_ext_get_loop(subject.thread, sizeof loop, &loop), ompd_rc_unavailable);
    assert_rc(ompd_ext_get_stack(subject.thread, sizeof stack, &stack), ompd_rc_unsupported);
    for (uint32_t cancelled = 0; cancelled < 2; cancelled++) {
        fake_put(unit->fake, unit->program->inner, FIELD_region_cancelled, cancelled);
        assert_ok(ompd_ext_get_region(subject.region, sizeof region, &region));
        ck_assert(KNOWS(&region, OMPD_EXT_REGION_CANCELLED));
        ck_assert_uint_eq(region.cancelled, cancelled);
    }
    subject_end(&subject);
}

/* An older minor version whose descriptor ends behind any kind of records, while its root
 * names lists of all: what it does not describe is not read, whatever stands there. */
EACH(older_minor_versions, TARGET_KINDS *(RECORD_COUNT - RECORD_task - 1))
{
    enum { FIRST = RECORD_task + 1 };
    int kind = _i / (RECORD_COUNT - FIRST);
    unsigned records = FIRST + (unsigned)_i % (RECORD_COUNT - FIRST);
    struct program *program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), 8);
    struct unit unit = {.program = program, .fake = program->fake};
    unit.records = records_add(program);
    fake_put(unit.fake, unit.records.lock_slab, FIELD_slab_stride, 0);
    records_cut(unit.fake, records);
    assert_ok(ompd_initialize(201811, &fake_debugger));
    assert_ok(ompd_process_initialize(context_of(unit.fake), &unit.space));

    ompd_ext_thread_t *threads;
    ompd_ext_task_t *tasks;
    ompd_ext_dependence_t *dependences;
    ompd_ext_barrier_t *barriers;
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_ok(ompd_ext_get_threads(unit.space, sizeof *threads, &threads, &count));
    ck_assert_uint_eq(count, 9);
    fake_cb_free(threads);
    assert_ok(ompd_ext_get_tasks(unit.space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_gt(count, SLAB_TASKS - 1);
    fake_cb_free(tasks);
    assert_ok(ompd_ext_get_barriers(unit.space, sizeof *barriers, &barriers, &count));
    fake_cb_free(barriers);
    ompd_rc_t rc = ompd_ext_get_dependences(unit.space, sizeof *dependences, &dependences, &count);
    assert_rc(rc, records > RECORD_dependence ? ompd_rc_ok : ompd_rc_unsupported);
    if (rc == ompd_rc_ok)
        fake_cb_free(dependences);
    assert_rc(ompd_ext_get_locks(unit.space, sizeof *locks, &locks, &count, &waiters, &waiting),
              records > RECORD_lock ? ompd_rc_error : ompd_rc_unsupported);
    unit_end(&unit);
}
