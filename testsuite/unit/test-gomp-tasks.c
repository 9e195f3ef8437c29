/* SPDX-License-Identifier: MIT
 *
 * Tasks of a stock libgomp and handles that went stale, over a fake process in every
 * layout.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-unit.h"
#include "libompd/runtime/gomp-task.h"

static bool take_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    (void)facts;
    return take(arg, ref);
}

START_TEST(explicit_tasks)
{
    begin(_i);
    struct list list = {0};
    struct ref region = thread(GF_MASTER).region.ref;
    ck_assert_int_eq(gomp_walk_explicit_tasks(space, region, take, &list), RC_OK);
    taddr expected[] = {gf->running, gf->waiting, gf->blocked, gf->grouped,
                        gf->undeferred};
    ck_assert_uint_eq(list.count, 5);
    for (unsigned i = 0; i < 5; i++) {
        struct task_facts task;
        unsigned found = 0;
        for (unsigned k = 0; k < 5; k++) {
            if ((list.ref[k].id & 0xffffffffffff) != expected[i])
                continue;
            found++;
            task = task_of(list.ref[k]);
        }
        ck_assert_uint_eq(found, 1);
        assert_known(task.is_explicit, 1);
        ck_assert_uint_eq(task.region.ref.id, region.id);
        if (expected[i] == gf->undeferred) {
            ck_assert_int_eq(task.function.known, NEEDS_TRACKING);
        } else {
            assert_known(task.function, 0x5001 + i);
        }
        bool runs = expected[i] == gf->running || expected[i] == gf->undeferred;
        ck_assert_int_eq(task.thread.known, runs ? KNOWN : NONE_HERE);
        if (runs)
            ck_assert_uint_eq(task.thread.ref.id, GF_TID_FIRST + GF_RUNS);
        ck_assert_int_eq(task.parent.known,
                         expected[i] == gf->grouped ? NONE_HERE : KNOWN);
    }
    struct task_facts current = task_of(thread(GF_RUNS).task.ref);
    assert_known(current.undeferred, 1);
    assert_known(current.thread_num, 2);

    struct list all = {0};
    ck_assert_int_eq(space->reader->each_task(space, take_task, &all), RC_OK);
    ck_assert_uint_eq(all.count, 5 + 2); /* and two initial tasks */
    end();
}
END_TEST

START_TEST(initial_tasks)
{
    begin(_i);
    struct task_facts own = task_of(thread(GF_SERIAL).task.ref);
    assert_known(own.kind, TASK_KIND_INITIAL);
    assert_known(own.level, 0);
    ck_assert_int_eq(own.parent.known, NONE_HERE);
    ck_assert_int_eq(own.region.known, NONE_HERE);
    struct region_facts region;
    ck_assert_int_eq(space->reader->region(space, thread(GF_MASTER).region.ref, &region),
                     RC_OK);
    /* Its thread has no struct for it, and it is a task all the same. */
    struct task_facts initial = task_of(region.encountering_task.ref);
    assert_known(initial.kind, TASK_KIND_INITIAL);
    ck_assert_uint_eq(initial.thread.ref.id, GF_TID_FIRST + GF_MASTER);
    end();
}
END_TEST

START_TEST(stale_handles)
{
    begin(_i);
    struct region_facts region;
    struct thread_facts facts;
    struct task_facts task;
    struct ref nested = thread(GF_NESTED).region.ref,
               outer = thread(GF_MASTER).region.ref;
    struct ref implicit = thread(GF_MASTER).task.ref, runs = thread(GF_RUNS).task.ref;
    struct list list = {0};
    ck_assert_int_eq(gomp_walk_explicit_tasks(space, outer, take, &list), RC_OK);

    /* Another thread got the memory of this one. */
    gf_number(gf, gf->pthread[GF_NESTED] + GF_TID_OFFSET, 4, 4711);
    ck_assert_int_eq(space->reader->thread(space, thread_ref(GF_NESTED), &facts),
                     RC_STALE_HANDLE);
    /* And with it the nested team is another one. */
    ck_assert_int_eq(space->reader->region(space, nested, &region), RC_STALE_HANDLE);
    /* The thread has gone. */
    gf_number(gf, gf->pthread[GF_NESTED] + GF_TID_OFFSET, 4, 0);
    ck_assert_int_eq(space->reader->thread(space, thread_ref(GF_NESTED), &facts),
                     RC_STALE_HANDLE);

    /* A task that was run and given back: no queue has it. */
    for (unsigned i = 0; i < list.count; i++) {
        if ((list.ref[i].id & 0xffffffffffff) != gf->grouped)
            continue;
        ck_assert_int_eq(space->reader->task(space, list.ref[i], &task), RC_OK);
        for (unsigned k = 0; k < 3; k++)
            gf_put(gf,
                   gf->grouped + gf->layout->place[GOMP_gomp_task_pnode].offset + 16 * k,
                   GOMP_priority_node_prev, 0);
        ck_assert_int_eq(space->reader->task(space, list.ref[i], &task), RC_STALE_HANDLE);
    }
    /* The thread that ran it runs another. */
    gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf->running);
    ck_assert_int_eq(space->reader->task(space, runs, &task), RC_STALE_HANDLE);

    /* The team has passed a barrier, perhaps that at the end of its region. */
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_OK);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 16 + 1);
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_OK);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 24);
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_STALE_HANDLE);
    ck_assert_int_eq(space->reader->task(space, implicit, &task), RC_STALE_HANDLE);
    end();
}
END_TEST

/* Many tasks have one parent: whose thread that is is searched for once in a query. */
START_TEST(a_runner_is_searched_once)
{
    begin(_i);
    struct gomp_state *state = gomp_state(space);
    struct gomp_task_stand stand;
    for (unsigned found = 0; found < 2; found++) {
        gomp_begin(space);
        memset(&stand, 0, sizeof stand);
        ck_assert_int_eq(gomp_read_team(space, gf->team, &stand.team), RC_OK);
        stand.task.address = found ? gf->running : gf->waiting;
        ck_assert_int_eq(gomp_find_runner(space, &stand), RC_OK);
        ck_assert_int_eq(stand.has_thread, found);
        uint32_t steps = state->steps;
        struct gomp_task_stand again = {.team = stand.team, .task = stand.task};
        ck_assert_int_eq(gomp_find_runner(space, &again), RC_OK);
        ck_assert_uint_eq(state->steps, steps);
        ck_assert_int_eq(again.has_thread, found);
        if (found) {
            ck_assert_uint_eq(again.number, 2);
            ck_assert_uint_eq(again.thread.address, gf->thread[GF_RUNS]);
        }
        gomp_end(space);
        /* The process may have gone on since. */
        gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task,
               gf_implicit(gf, gf->team, 2));
        gomp_begin(space);
        stand.has_thread = false;
        ck_assert_int_eq(gomp_find_runner(space, &stand), RC_OK);
        ck_assert(!stand.has_thread);
        gomp_end(space);
        gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf->running);
    }
    end();
}
END_TEST

static struct task_facts facts_of_running(void)
{
    struct gomp_team team;
    struct ref ref;
    ck_assert_int_eq(gomp_read_team(space, gf->team, &team), RC_OK);
    ck_assert_int_eq(gomp_team_task_ref(space, &team, gf->running, &ref), RC_OK);
    return task_of(ref);
}

/* Two threads run children of a task that one of them has begun. */
START_TEST(who_has_begun_a_task)
{
    begin(_i);
    gf_put(gf, gf->waiting, GOMP_gomp_task_parent, gf->running);
    gf_put(gf, gf->waiting, GOMP_gomp_task_kind, GOMP_KIND_TIED);
    gf_put(gf, gf->thread[GF_WAITS], GOMP_gomp_thread_task, gf->waiting);
    struct task_facts task = facts_of_running();
    ck_assert_int_eq(task.thread.known, NEEDS_TRACKING);
    ck_assert_int_eq(task.thread_num.known, NEEDS_TRACKING);
    static const unsigned inside[] = {GF_RUNS, GF_WAITS};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 2; k++)
            gf_put(gf, gf->thread[inside[k]], GOMP_gomp_thread_task,
                   k == i ? gf->running : gf->waiting);
        task = facts_of_running();
        ck_assert_int_eq(task.thread.known, KNOWN);
        ck_assert_uint_eq(task.thread.ref.id, GF_TID_FIRST + inside[i]);
        assert_known(task.thread_num, inside[i]);
    }
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("tasks");
    tcase_add_loop_test(tests, who_has_begun_a_task, 0, KINDS);
    tcase_add_loop_test(tests, explicit_tasks, 0, KINDS);
    tcase_add_loop_test(tests, initial_tasks, 0, KINDS);
    tcase_add_loop_test(tests, stale_handles, 0, KINDS);
    tcase_add_loop_test(tests, a_runner_is_searched_once, 0, KINDS);
    return gomp_unit_main(tests);
}
