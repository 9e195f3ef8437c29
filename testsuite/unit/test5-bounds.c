/* SPDX-License-Identifier: MIT
 *
 * The extension over a target that claims more than anybody wants to list: it costs a
 * bounded number of reads and amount of memory, and what there is comes back as incomplete.
 * Also readers that can do less than the hooks'.
 */
#include <string.h>

#include "libompd/handle/handle.h"
#include "libompd/runtime/hooks.h"
#include "libompd/survey/survey.h"
#include "unit5.h"

enum { MEGABYTE = 1 << 20, FAR = 0x40000000 };

/* Lets a slab claim `used` records, all of them repetitions of one. */
static void claim(const struct unit *unit, uint64_t slab, uint64_t record, uint32_t used)
{
    struct fake *fake = unit->fake;
    fake->endless = FAR;
    fake->repeated = record;
    fake->endless_period = fake_get(fake, slab, FIELD_slab_stride);
    fake_put(fake, slab, FIELD_slab_first, FAR);
    fake_put(fake, slab, FIELD_slab_capacity, used);
    fake_put(fake, slab, FIELD_slab_used, used);
    fake_counts_reset();
}

/* Records that are free are read, but cost no memory. */
UNIT(many_free_tasks, 8)
{
    uint64_t empty = fake_memory(unit->fake, HOOKS_RECORD_BYTES_MAX);
    claim(unit, unit->records.task_slab, empty, 1u << 20);
    ompd_ext_task_t *tasks = (void *)unit;
    ompd_size_t count = 99;
    assert_rc(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count), ompd_rc_incomplete);
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(tasks);
    ck_assert_uint_le(fake_counts.reads, HOOKS_WALK_READS_MAX + 1);
    ck_assert_uint_lt(fake_counts.bytes_peak, MEGABYTE);
    claim(unit, unit->records.task_slab, empty, UINT32_MAX);
    assert_rc(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count), ompd_rc_incomplete);
    ck_assert_uint_le(fake_counts.reads, HOOKS_WALK_READS_MAX + 1);
    /* As many as can be read are no reason to complain. */
    claim(unit, unit->records.task_slab, empty, 1u << 18);
    assert_ok(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_eq(count, 0);
}

UNIT(many_tasks, 8)
{
    claim(unit, unit->records.task_slab, unit->records.task[3], 1u << 20);
    ompd_ext_task_t *tasks;
    ompd_size_t count;
    assert_rc(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count), ompd_rc_incomplete);
    ck_assert_uint_eq(count, SURVEY_TASKS_MAX);
    ck_assert_uint_eq(tasks[count - 1].task.id, TASK_D);
    /* One that waits for none of these may wait for one that was left out. */
    ck_assert_uint_eq(tasks[0].state, ompd_ext_task_created);
    ck_assert_uint_eq(tasks[count - 1].state, ompd_ext_task_waiting);
    ck_assert_uint_lt(fake_counts.bytes_peak, 200 * MEGABYTE);
    fake_cb_free(tasks);
}

UNIT(many_depend_clauses, 8)
{
    claim(unit, unit->records.task_slab, unit->records.task[3], 20000);
    ompd_ext_dependence_t *edges;
    ompd_size_t count;
    assert_ok(ompd_ext_get_dependences(unit->space, sizeof *edges, &edges, &count));
    /* Each wants to write what the one before wants to write. */
    ck_assert_uint_eq(count, 20000 - 1);
    /* The clauses of all are in one page. */
    ck_assert_uint_le(fake_counts.reads, HOOKS_WALK_READS_MAX + 2);
    fake_cb_free(edges);
    ompd_ext_task_t *tasks;
    assert_ok(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_eq(count, 20000);
    ck_assert_uint_eq(tasks[0].state, ompd_ext_task_ready);
    ck_assert_uint_eq(tasks[count - 1].state, ompd_ext_task_waiting);
    fake_cb_free(tasks);
}

/* Locks that point into the second vector stay right when some are left out. */
UNIT(many_locks, 8)
{
    claim(unit, unit->records.lock_slab, unit->records.lock[0], 1u << 20);
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_rc(ompd_ext_get_locks(unit->space, sizeof *locks, &locks, &count, &waiters, &waiting),
              ompd_rc_incomplete);
    ck_assert_uint_eq(count, SURVEY_LOCKS_MAX);
    ck_assert_uint_eq(waiting, 1);
    for (ompd_size_t i = 0; i < count; i++)
        ck_assert_uint_le(locks[i].first_waiter + locks[i].waiters, waiting);
    ck_assert_uint_eq(waiters[0].id, THREAD_ID + 2);
    ck_assert_uint_lt(fake_counts.bytes_peak, 200 * MEGABYTE);
    fake_cb_free(locks);
    fake_cb_free(waiters);
}

UNIT(many_threads, 8)
{
    ompd_ext_thread_t *threads = (void *)unit;
    ompd_size_t count = 99;
    claim(unit, unit->program->slab, unit->program->thread[0], HOOKS_THREADS_MAX + 1);
    assert_rc(ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count), ompd_rc_error);
    ck_assert_uint_le(fake_counts.reads, 2);
    ck_assert_ptr_eq(threads, (void *)unit);
    ck_assert_uint_eq(count, 99);
    claim(unit, unit->program->slab, unit->program->thread[0], HOOKS_THREADS_MAX);
    assert_ok(ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count));
    ck_assert_uint_eq(count, HOOKS_THREADS_MAX);
    ck_assert_uint_le(fake_counts.reads, count / 8 + 10);
    ck_assert_uint_lt(fake_counts.bytes_peak, 150 * MEGABYTE);
    fake_cb_free(threads);
}

/* A reader that gives one thread at a time. */
UNIT(threads_one_by_one, 8)
{
    struct reader reader = hooks_reader;
    reader.each_thread = NULL;
    struct space *space = (struct space *)unit->space;
    fake_put(unit->fake, unit->program->thread[5], FIELD_thread_seq, 3);
    ompd_ext_thread_t *expected, *threads;
    ompd_size_t expected_count, count;
    assert_ok(ompd_ext_get_threads(unit->space, sizeof *threads, &expected, &expected_count));
    space->instances->reader = &reader;
    fake_counts_reset();
    assert_ok(ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count));
    ck_assert_uint_eq(count, expected_count);
    ck_assert_int_eq(memcmp(threads, expected, count * sizeof *threads), 0);
    ck_assert_uint_eq(fake_counts.reads, 3 + 9 + 2);
    fake_cb_free(threads);
    fake_cb_free(expected);
    ompd_ext_barrier_t *barriers;
    assert_ok(ompd_ext_get_barriers(unit->space, sizeof *barriers, &barriers, &count));
    ck_assert_uint_eq(count, 1);
    fake_cb_free(barriers);

    /* Every read and allocation fails in turn. */
    for (unsigned n = 1;; n++) {
        unsigned alive = fake_counts.allocs_alive;
        threads = (void *)unit;
        fake_fail_at(n);
        ompd_rc_t rc = ompd_ext_get_threads(unit->space, sizeof *threads, &threads, &count);
        enum fake_callback failed = fake_failed();
        fake_fail_at(0);
        if (failed == FAKE_NONE) {
            assert_ok(rc);
            fake_cb_free(threads);
            break;
        }
        /* A pair that cannot be settled is left out, and no more. */
        if (rc == ompd_rc_ok) {
            fake_cb_free(threads);
        } else {
            ck_assert_int_eq(rc, failed == FAKE_ALLOC ? ompd_rc_nomem : ompd_rc_device_read_error);
            ck_assert_ptr_eq(threads, (void *)unit);
        }
        ck_assert_uint_eq(fake_counts.allocs_alive, alive);
    }

    /* And one that knows neither tasks nor locks. */
    reader.each_task = NULL;
    reader.each_lock = NULL;
    reader.dependences = NULL;
    reader.icvs = NULL;
    reader.globals = NULL;
    reader.settings = NULL;
    ompd_ext_task_t *tasks;
    ompd_ext_lock_t *locks;
    ompd_ext_dependence_t *edges;
    ompd_ext_object_t *waiters;
    ompd_size_t waiting;
    ompd_word_t number;
    const char *const *vars;
    assert_rc(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count), ompd_rc_unsupported);
    assert_rc(ompd_ext_get_dependences(unit->space, sizeof *edges, &edges, &count),
              ompd_rc_unsupported);
    assert_rc(ompd_ext_get_locks(unit->space, sizeof *locks, &locks, &count, &waiters, &waiting),
              ompd_rc_unsupported);
    assert_rc(ompd_get_omp_version(unit->space, &number), ompd_rc_unsupported);
    assert_rc(ompd_get_display_control_vars(unit->space, &vars), ompd_rc_unsupported);
    assert_rc(ompd_get_icv_from_scope(unit->space, ompd_scope_address_space,
                                      unit_icv(unit, "num-procs-var", NULL), &number),
              ompd_rc_unsupported);
    space->instances->reader = &hooks_reader;
}
