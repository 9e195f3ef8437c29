/* SPDX-License-Identifier: MIT
 *
 * The extension: all tasks, and what they wait for.
 */
#include "unit5.h"

UNIT(all_tasks, 8)
{
    ompd_ext_task_t *tasks;
    ompd_size_t count;
    fake_counts_reset();
    assert_ok(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_le(fake_counts.reads, 2 + 3 + 6);
    ck_assert_uint_eq(count, SLAB_TASKS);
    static const unsigned state[SLAB_TASKS] = {ompd_ext_task_suspended, ompd_ext_task_waiting,
                                               ompd_ext_task_waiting,   ompd_ext_task_waiting,
                                               ompd_ext_task_ready,     ompd_ext_task_detached,
                                               ompd_ext_task_created,   ompd_ext_task_completed};
    for (unsigned i = 0; i < SLAB_TASKS; i++) {
        const ompd_ext_task_t *t = &tasks[i];
        ck_assert_uint_eq(t->task.id, TASK_A + i);
        ck_assert_uint_eq(t->number, TASK_A + i);
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
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_task, unit->records.task[0]);
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_task_id, TASK_A);
    assert_ok(ompd_ext_get_tasks(unit->space, sizeof *tasks, &tasks, &count));
    ck_assert_uint_eq(tasks[0].state, ompd_ext_task_running);
    fake_cb_free(tasks);

    ompd_task_handle_t *handle = unit_task(unit, 3);
    ompd_ext_task_t one;
    fake_counts_reset();
    assert_ok(ompd_ext_get_task(handle, sizeof one, &one));
    ck_assert_uint_eq(fake_counts.reads, 1);
    ck_assert_uint_eq(one.task.id, TASK_A);
    ck_assert_uint_eq(one.serial, 1);
    ck_assert_uint_eq(one.state, ompd_ext_task_running);
}

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

UNIT(dependences, 8)
{
    ompd_ext_dependence_t *edges;
    ompd_size_t count;
    assert_ok(ompd_ext_get_dependences(unit->space, sizeof *edges, &edges, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert(has_edge(edges, count, TASK_A, TASK_B, 0x9000));
    ck_assert(has_edge(edges, count, TASK_A, TASK_C, 0x9000));
    ck_assert(has_edge(edges, count, TASK_B, TASK_D, 0x9000));
    ck_assert(has_edge(edges, count, TASK_C, TASK_D, 0x9000));
    ck_assert_uint_eq(edges[0].predecessor_kind, ompd_ext_depend_out);
    fake_cb_free(edges);

    /* When the writer is over the readers are ready, and the last still waits for them.
     */
    fake_put(unit->fake, unit->records.task[0], FIELD_task_state, TASK_COMPLETED);
    assert_ok(ompd_ext_get_dependences(unit->space, sizeof *edges, &edges, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert(has_edge(edges, count, TASK_B, TASK_D, 0x9000));
    ck_assert(has_edge(edges, count, TASK_C, TASK_D, 0x9000));
    fake_cb_free(edges);

    /* Tasks of another parent wait for nobody here. */
    fake_put(unit->fake, unit->records.task[3], FIELD_task_parent, unit->program->task[4]);
    fake_put(unit->fake, unit->records.task[3], FIELD_task_parent_id, IMPLICIT_TASK_ID + 4);
    assert_ok(ompd_ext_get_dependences(unit->space, sizeof *edges, &edges, &count));
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(edges);
}

/* All pairs of kinds: only those that may overlap do not wait. */
UNIT(kinds_of_dependences, 8)
{
    struct fake *fake = unit->fake;
    uint64_t first = fake_get(fake, unit->records.task[0], FIELD_task_dependences);
    uint64_t second = fake_get(fake, unit->records.task[1], FIELD_task_dependences);
    for (unsigned i = 2; i < SLAB_TASKS; i++)
        fake_put(fake, unit->records.task[i], FIELD_task_id, 0);
    for (unsigned a = DEPENDENCE_IN; a <= DEPENDENCE_UNKNOWN; a++) {
        for (unsigned b = DEPENDENCE_IN; b <= DEPENDENCE_UNKNOWN; b++) {
            fake_put(fake, first, FIELD_dependence_kind, a);
            fake_put(fake, second, FIELD_dependence_kind, b);
            ompd_ext_dependence_t *edges;
            ompd_size_t count;
            assert_ok(ompd_ext_get_dependences(unit->space, sizeof *edges, &edges, &count));
            bool overlap = a == b && (a == DEPENDENCE_IN || a == DEPENDENCE_INOUTSET);
            ck_assert_uint_eq(count, !overlap);
            if (edges)
                fake_cb_free(edges);
        }
    }
}
