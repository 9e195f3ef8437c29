/* SPDX-License-Identifier: MIT
 *
 * Barriers by their counts, locks by their addresses, dependences and states of tasks of
 * a stock libgomp, over a fake process in every layout.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-unit.h"
#include "libompd/survey/survey.h"

static struct barrier_facts barrier[BARRIERS_MAX];

static unsigned barriers_of(struct ref region)
{
    unsigned count = 99;
    ck_assert_int_eq(ASK(barriers, region, barrier, &count), RC_OK);
    ck_assert_uint_le(count, BARRIERS_MAX);
    return count;
}

/* Bits of the generation keep the references good: its number is the same. */
OPENED(barriers)
{
    struct ref outer = thread(GF_MASTER).region.ref, inner = thread(GF_NESTED).region.ref;
    ck_assert_uint_eq(barriers_of(outer), 0);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 1);
    ck_assert_uint_eq(barriers_of(outer), 1);
    ck_assert_uint_eq(barrier[0].arrived, 3);
    ck_assert_int_eq(barrier[0].state, STATE_wait_barrier);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited_final, 2);
    ck_assert_uint_eq(barriers_of(outer), 2);
    ck_assert_uint_eq(barrier[1].arrived, 2);
    ck_assert_int_eq(barrier[1].state, STATE_wait_barrier_implicit);
    /* A cancelled region leaves the first count anywhere. */
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, UINT32_MAX);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 16 + 4);
    ck_assert_uint_eq(barriers_of(outer), 1);
    ck_assert_int_eq(barrier[0].state, STATE_wait_barrier_implicit);
    /* All have come, and tasks are left. */
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 4);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited_final, 4);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 16 + 2 + 1);
    ck_assert_uint_eq(barriers_of(outer), 1);
    ck_assert_uint_eq(barrier[0].arrived, 4);
    /* A count that cannot be. */
    unsigned count;
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 16);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 5);
    ck_assert_int_eq(ASK(barriers, outer, barrier, &count), RC_NONSENSE);
    /* A nested team comes together before its region begins. */
    gf_put(gf, gf->nested, GOMP_gomp_team_barrier_awaited, 1);
    ck_assert_uint_eq(barriers_of(inner), 1);
    gf_put(gf, gf->nested, GOMP_gomp_team_barrier_generation, 0);
    inner = thread(GF_NESTED).region.ref;
    ck_assert_uint_eq(barriers_of(inner), 0);
}

/* Where threads sleep that are in no body. */
OPENED(docks)
{
    ck_assert_int_eq(thread(GF_MASTER).dock_word.known, NONE_HERE);
    gf_put(gf, gf->pool, GOMP_gomp_thread_pool_dock_total, 4);
    gf_put(gf, gf->pool, GOMP_gomp_thread_pool_dock_awaited, 1);
    taddr word = gf->pool + gf->layout->place[GOMP_gomp_thread_pool_dock_generation].offset;
    assert_known(thread(GF_MASTER).dock_word, word);
    assert_known(thread(GF_IDLE).dock_word, word);
    assert_known(thread(GF_RUNS).docked, 3);
    assert_known(thread(GF_RUNS).barrier_word,
                 gf->team + gf->layout->place[GOMP_gomp_team_barrier_generation].offset);
    ck_assert_int_eq(thread(GF_IDLE).barrier_word.known, NONE_HERE);
    ck_assert_int_eq(thread(GF_SERIAL).dock_word.known, NONE_HERE);
    /* A count that cannot be. */
    gf_put(gf, gf->pool, GOMP_gomp_thread_pool_dock_awaited, 5);
    ck_assert_int_eq(thread(GF_RUNS).dock_word.known, NONE_HERE);
    ck_assert_int_eq(thread(GF_RUNS).state.known, KNOWN);
}

enum { WORD = 0, COUNT = 4, OWNER = 8 };

static taddr owner_of(taddr task)
{
    return task + gf->layout->place[GOMP_gomp_task_icv].offset;
}

/* The slot's neighbourhood is memory that nothing else uses. */
static taddr put_lock(uint32_t word, uint32_t count, taddr owner)
{
    taddr at = gf->slot + 16;
    gf_number(gf, at + WORD, 4, word);
    gf_number(gf, at + COUNT, 4, count);
    gf_number(gf, at + OWNER, 8, owner);
    return at;
}

static enum rc nest(uint32_t word, uint32_t count, taddr owner, struct lock_facts *out)
{
    return ASK(lock, put_lock(word, count, owner), LOCK_KIND_NEST, out);
}

OPENED(nest_locks)
{
    struct lock_facts facts;
    ck_assert_int_eq(nest(0, 0, 0, &facts), RC_OK);
    assert_known(facts.count, 0);
    ck_assert_int_eq(facts.owner.known, NONE_HERE);
    /* An implicit task, one that runs, one that is suspended below it, an initial task.
     */
    const struct {
        taddr task;
        unsigned thread;
    } owner[] = {{gf_implicit(gf, gf->team, 3), GF_WAITS},
                 {gf->undeferred, GF_RUNS},
                 {gf->running, GF_RUNS},
                 {gf_implicit(gf, gf->team, 1), GF_LEADS},
                 {gf->initial, GF_SERIAL}};
    for (unsigned i = 0; i < sizeof owner / sizeof *owner; i++) {
        ck_assert_int_eq(nest(UINT32_MAX, 3, owner_of(owner[i].task), &facts), RC_OK);
        assert_known(facts.count, 3);
        ck_assert_int_eq(facts.owner.known, KNOWN);
        ck_assert_uint_eq(facts.owner.ref.id, ID_IS_MADE + GF_TID_FIRST + owner[i].thread);
        ck_assert_int_eq(facts.owner_task.known, KNOWN);
        ck_assert_uint_eq(facts.owner_task.ref.id & 0xffffffffffff, owner[i].task);
        task_of(facts.owner_task.ref);
    }
    /* A task that has not begun, one that an idle thread left behind, none at all. */
    const taddr nobody[] = {gf->waiting, gf_implicit(gf, gf->idle_team, 1), GF_BASE + 64};
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(nest(1, 1, owner_of(nobody[i]), &facts), RC_OK);
        assert_known(facts.count, 1);
        ck_assert_int_eq(facts.owner.known, NONE_HERE);
    }
    /* It has just been taken. */
    ck_assert_int_eq(nest(1, 0, 0, &facts), RC_OK);
    ck_assert_int_eq(facts.owner.known, NONE_HERE);
    ck_assert_int_ne(facts.count.known, KNOWN);
    /* No lock is like this. */
    ck_assert_int_eq(nest(2, 0, 0, &facts), RC_BAD_INPUT);
    ck_assert_int_eq(nest(0, 1, 0, &facts), RC_BAD_INPUT);
    ck_assert_int_eq(nest(0, 0, owner_of(gf->initial), &facts), RC_BAD_INPUT);
    ck_assert_int_eq(nest(1, 1, 1, &facts), RC_BAD_INPUT);
    ck_assert_int_eq(nest(1, UINT32_MAX, owner_of(gf->initial), &facts), RC_BAD_INPUT);
}

OPENED(simple_locks)
{
    static const enum lock_kind kind[] = {LOCK_KIND_SIMPLE, LOCK_KIND_CRITICAL, LOCK_KIND_ATOMIC};
    struct lock_facts facts;
    for (unsigned i = 0; i < 3; i++) {
        taddr at = put_lock(1, 7, 7);
        ck_assert_int_eq(ASK(lock, at, kind[i], &facts), RC_OK);
        assert_known(facts.count, 1);
        ck_assert_int_eq(facts.owner.known, NEEDS_TRACKING);
        put_lock(0, 7, 7);
        ck_assert_int_eq(ASK(lock, at, kind[i], &facts), RC_OK);
        assert_known(facts.count, 0);
        ck_assert_int_eq(facts.owner.known, NONE_HERE);
        put_lock(17, 0, 0);
        ck_assert_int_eq(ASK(lock, at, kind[i], &facts), RC_BAD_INPUT);
        ck_assert_int_eq(ASK(lock, at + 1, kind[i], &facts), RC_BAD_INPUT);
        ck_assert_int_eq(ASK(lock, 64, kind[i], &facts), RC_READ_ERROR);
    }
}

/* `blocked` waits for `running`; both name an address, and the reader's is of another
 * kind. The memory of depend clauses is behind their tasks. */
static void put_item(taddr task, unsigned number, taddr address, unsigned is_in)
{
    taddr at = task + gf->layout->place[GOMP_gomp_task_depend].offset +
               number * (taddr)gf->layout->size[GOMP_STRUCT_gomp_task_depend_entry];
    gf_put(gf, at, GOMP_gomp_task_depend_entry_addr, address);
    gf_put(gf, at, GOMP_gomp_task_depend_entry_is_in, is_in);
    gf_put(gf, task, GOMP_gomp_task_depend_count, number + 1);
}

static const struct surveyed_task *find(const struct array *tasks, taddr address)
{
    const struct surveyed_task *all = tasks->elements;
    for (size_t i = 0; i < tasks->count; i++) {
        if ((all[i].ref.id & 0xffffffffffff) == address)
            return &all[i];
    }
    ck_abort_msg("a task is missing");
    return NULL;
}

OPENED(dependences_and_states)
{
    put_item(gf->running, 0, 0xd0, 1);
    put_item(gf->running, 1, 0xd1, 0);
    put_item(gf->blocked, 0, 0xd0, 1); /* both read it: not what it waits over */
    put_item(gf->blocked, 1, 0xd1, 1);
    gf_put(gf, gf->grouped, GOMP_gomp_task_kind, GOMP_KIND_DETACHED);
    struct array tasks = {0}, edges = {0};
    ck_assert_int_eq(survey_tasks(the_instance(), &tasks), RC_OK);
    ck_assert_int_eq(survey_task_states(the_instance(), &tasks, true), RC_OK);
    ck_assert_int_eq(find(&tasks, gf->running)->state, TASK_STATE_SUSPENDED);
    ck_assert_int_eq(find(&tasks, gf->undeferred)->state, TASK_STATE_RUNNING);
    ck_assert_int_eq(find(&tasks, gf->waiting)->state, TASK_STATE_READY);
    ck_assert_int_eq(find(&tasks, gf->blocked)->state, TASK_STATE_WAITING);
    ck_assert_int_eq(find(&tasks, gf->grouped)->state, TASK_STATE_DETACHED);
    assert_known(find(&tasks, gf->blocked)->facts.dependence_count, 2);
    ck_assert_int_eq(survey_dependences(the_instance(), &tasks, &edges), RC_OK);
    ck_assert_uint_eq(edges.count, 1);
    const struct surveyed_dependence *edge = edges.elements;
    ck_assert_uint_eq(edge->predecessor.id, find(&tasks, gf->running)->ref.id);
    ck_assert_uint_eq(edge->successor.id, find(&tasks, gf->blocked)->ref.id);
    ck_assert_uint_eq(edge->address, 0xd1);
    ck_assert_int_eq(edge->predecessor_kind, DEPEND_OUT);
    ck_assert_int_eq(edge->successor_kind, DEPEND_IN);
    array_free(&edges);
    /* A list that claims too much. */
    taddr list = gf_get(gf, gf->running, GOMP_gomp_task_dependers);
    gf_put(gf, list, GOMP_gomp_dependers_vec_n_elem, UINT64_MAX);
    ck_assert_int_eq(survey_dependences(the_instance(), &tasks, &edges), RC_INCOMPLETE);
    ck_assert_uint_eq(edges.count, 0);
    array_free(&edges);
    array_free(&tasks);
}

/* One team whose counts cannot be, one list in memory that is gone: the others are told. */
OPENED(one_of_several)
{
    struct array found = {0}, regions = {0}, tasks = {0};
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 1);
    gf_put(gf, gf->nested, GOMP_gomp_team_barrier_awaited, 1);
    ck_assert_int_eq(survey_barriers(the_instance(), &found), RC_OK);
    ck_assert_uint_eq(found.count, 2);
    array_free(&found);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 5);
    ck_assert_int_eq(survey_barriers(the_instance(), &found), RC_INCOMPLETE);
    ck_assert_uint_eq(found.count, 1);
    const struct surveyed_barrier *left = found.elements;
    ck_assert_uint_eq(left->region.address, gf->nested);
    array_free(&found);

    ck_assert_int_eq(survey_regions(the_instance(), &regions), RC_OK);
    size_t all = regions.count;
    array_free(&regions);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 1);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_pool, 0x10);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_level, 1);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_team, gf->team);
    ck_assert_int_eq(survey_regions(the_instance(), &regions), RC_OK);
    ck_assert_uint_eq(regions.count, all);
    array_free(&regions);
    ck_assert_int_eq(survey_barriers(the_instance(), &found), RC_OK);
    ck_assert_uint_eq(found.count, 2);
    array_free(&found);

    ck_assert_int_eq(survey_tasks(the_instance(), &tasks), RC_INCOMPLETE);
    all = tasks.count;
    array_free(&tasks);
    gf_put(gf, gf->running, GOMP_gomp_task_dependers, 0x10);
    ck_assert_int_eq(survey_tasks(the_instance(), &tasks), RC_INCOMPLETE);
    ck_assert_int_eq(survey_task_states(the_instance(), &tasks, true), RC_INCOMPLETE);
    ck_assert_uint_ge(tasks.count, all - 1); /* without the one that only this list has */
    ck_assert_int_eq(find(&tasks, gf->waiting)->state, TASK_STATE_READY);
    array_free(&tasks);
}
