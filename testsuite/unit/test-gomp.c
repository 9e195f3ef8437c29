/* SPDX-License-Identifier: MIT
 *
 * What threads and regions of a stock libgomp are, over a fake process in every layout.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-unit.h"

EACH(what_threads_are, KINDS)
{
    static const unsigned char state[GF_THREADS] = {
        [GF_MASTER] = STATE_work_parallel,
        [GF_LEADS] = STATE_work_parallel,
        [GF_RUNS] = STATE_work_parallel,
        [GF_WAITS] = STATE_wait_taskgroup,
        [GF_NESTED] = STATE_work_parallel,
        [GF_RELEASED] = STATE_undefined,
        [GF_IDLE] = STATE_idle,
        [GF_SERIAL] = STATE_work_serial,
    };
    static const int number[GF_THREADS] = {
        [GF_MASTER] = 0, [GF_LEADS] = 0,     [GF_RUNS] = 2,  [GF_WAITS] = 3,
        [GF_NESTED] = 1, [GF_RELEASED] = -1, [GF_IDLE] = -1, [GF_SERIAL] = 0,
    };
    begin(_i);
    for (unsigned i = 0; i < GF_THREADS; i++) {
        struct ref found;
        enum rc rc = ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + i, &found);
        ck_assert_int_eq(rc, i == GF_FOREIGN ? RC_UNAVAILABLE : RC_OK);
        rc = ASK(find_thread, OS_THREAD_PTHREAD, gf->pthread[i], &found);
        ck_assert_int_eq(rc, i == GF_FOREIGN ? RC_UNAVAILABLE : RC_OK);
        if (i == GF_FOREIGN)
            continue;
        struct thread_facts facts = thread(i);
        assert_known(facts.state, state[i]);
        assert_known(facts.lwp, GF_TID_FIRST + i);
        assert_known(facts.pthread, gf->pthread[i]);
        if (number[i] < 0)
            ck_assert_int_eq(facts.thread_num.known, NONE_HERE);
        else
            assert_known(facts.thread_num, (uint64_t)number[i]);
        if (number[i] < 0)
            ck_assert_int_eq(facts.initial.known, NONE_HERE);
        else
            assert_known(facts.initial, i == GF_MASTER || i == GF_SERIAL);
        bool member = i <= GF_NESTED;
        ck_assert_int_eq(facts.region.known, member ? KNOWN : NONE_HERE);
        ck_assert_int_eq(facts.task.known, member || i == GF_SERIAL ? KNOWN : NONE_HERE);
    }
    end();
}

EACH(in_passing, KINDS)
{
    begin(_i);
    /* The first thread has left the team, and the next region has not begun. */
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_team, 0);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_level, 0);
    assert_known(thread(GF_WAITS).state, STATE_overhead);
    assert_known(thread(GF_MASTER).state, STATE_work_serial);
    /* It runs a target region on the host: what it was is put aside. */
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_pool, 0);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_task, 0);
    assert_known(thread(GF_WAITS).state, STATE_wait_taskgroup);
    end();
    begin(_i);
    /* A thread that has begun and is not listed yet. */
    gf_number(gf, gf_get(gf, gf->nested, GOMP_gomp_team_ordered_release) + 8, 8, 0);
    assert_known(thread(GF_NESTED).state, STATE_overhead);
    ck_assert_int_eq(thread(GF_NESTED).region.known, NONE_HERE);
    end();
    begin(_i);
    /* A thread that ends: of GCC 14's it loses its pool before its task. */
    gf_put(gf, gf->thread[GF_NESTED], GOMP_gomp_thread_pool, 0);
    assert_known(thread(GF_NESTED).state, STATE_overhead);
    ck_assert_int_eq(thread(GF_NESTED).region.known, NONE_HERE);
    end();
    begin(_i);
    /* A nested team whose memory was given back. */
    taddr at;
    gf_put(gf, gf->nested, GOMP_gomp_team_nthreads, 0x41414141);
    gf_put(gf, gf->thread[GF_LEADS], GOMP_gomp_thread_team, gf->team);
    gf_put(gf, gf->thread[GF_LEADS], GOMP_gomp_thread_team_id, 1);
    assert_known(thread(GF_NESTED).state, STATE_overhead);
    ck_assert_int_eq(ASK(damage, &at), RC_UNAVAILABLE);
    end();
}

/* A target region that the host executes clears what libgomp has of its thread; the team lists it
 * as before. */
static void put_aside(unsigned which)
{
    static const enum gomp_field fields[] = {
        GOMP_gomp_thread_team, GOMP_gomp_thread_team_id, GOMP_gomp_thread_level,
        GOMP_gomp_thread_task, GOMP_gomp_thread_pool,
    };
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        gf_put(gf, gf->thread[which], fields[i], 0);
}

static unsigned threads_now(void)
{
    unsigned threads = 0;
    ck_assert_int_eq(ASK(walk_threads, count_ref, &threads), RC_OK);
    return threads;
}

EACH(in_a_target_region, KINDS)
{
    static const unsigned generation = 1 << GOMP_BARRIER_GENERATION_SHIFT;
    begin(_i);
    struct ref region = thread(GF_MASTER).region.ref;
    put_aside(GF_RUNS);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 0);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 4);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited_final, 4);
    /* Not while the team may be being made. */
    ck_assert_uint_eq(threads_now(), GF_THREADS - 2);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 3);
    ck_assert_uint_eq(threads_now(), GF_THREADS - 1);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 4);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, generation);
    ck_assert_uint_eq(threads_now(), GF_THREADS - 1);
    struct thread_facts facts = thread(GF_RUNS);
    assert_known(facts.thread_num, 2);
    assert_known(facts.team_size, 4);
    assert_known(facts.level, 1);
    assert_known(facts.state, STATE_work_parallel);
    ck_assert_uint_eq(facts.region.ref.address, region.address);
    ck_assert_int_eq(facts.task.known, NONE_HERE);
    /* Nor one that the team does not list. */
    struct ref found;
    gf_number(gf, gf_get(gf, gf->team, GOMP_gomp_team_ordered_release) + 2 * 8, 8, 0);
    ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + GF_RUNS, &found),
                     RC_UNAVAILABLE);
    ck_assert_uint_eq(threads_now(), GF_THREADS - 2);
    end();
}

/* Teams that their primary threads are in: only what these say is lost. */
EACH(overwritten, KINDS)
{
    taddr at;
    unsigned threads = 0;
    begin(_i);
    ck_assert_int_eq(ASK(damage, &at), RC_UNAVAILABLE);
    gf_put(gf, gf->nested, GOMP_gomp_team_nthreads, 0x41414141);
    ck_assert_int_eq(thread(GF_LEADS).state.known, IMPOSSIBLE);
    assert_known(thread(GF_LEADS).lwp, GF_TID_FIRST + GF_LEADS);
    assert_known(thread(GF_WAITS).state, STATE_wait_taskgroup);
    ck_assert_int_eq(ASK(damage, &at), RC_OK);
    ck_assert_uint_eq(at, gf->nested);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_total, 0);
    for (unsigned which = GF_MASTER; which <= GF_WAITS; which++)
        ck_assert_int_eq(thread(which).state.known, IMPOSSIBLE);
    ck_assert_int_eq(ASK(damage, &at), RC_OK);
    ck_assert_uint_eq(at, gf->team);
    ck_assert_int_eq(ASK(walk_threads, count_ref, &threads), RC_OK);
    ck_assert_uint_eq(threads, GF_THREADS - 1);
    end();
}

OPENED(regions)
{
    struct region_facts inner, outer;
    struct ref nested = thread(GF_NESTED).region.ref;
    ck_assert_int_eq(ASK(region, nested, &inner), RC_OK);
    assert_known(inner.num_threads, 2);
    assert_known(inner.level, 2);
    assert_known(inner.active_level, 2);
    ck_assert_int_eq(inner.function.known, NEEDS_TRACKING);
    ck_assert_int_eq(inner.master.known, KNOWN);
    ck_assert_uint_eq(inner.master.ref.id, ID_IS_MADE + GF_TID_FIRST + GF_LEADS);
    ck_assert_int_eq(inner.enclosing.known, KNOWN);
    ck_assert_uint_eq(inner.enclosing.ref.id, thread(GF_MASTER).region.ref.id);
    ck_assert_int_eq(inner.encountering_task.known, KNOWN);

    ck_assert_int_eq(ASK(region, inner.enclosing.ref, &outer), RC_OK);
    assert_known(outer.num_threads, 4);
    assert_known(outer.level, 1);
    ck_assert_int_eq(outer.enclosing.known, NONE_HERE);
    ck_assert_uint_eq(outer.master.ref.id, ID_IS_MADE + GF_TID_FIRST + GF_MASTER);

    struct list team = {0}, tasks = {0};
    ck_assert_int_eq(ASK(walk_members, inner.enclosing.ref, MEMBER_THREADS, take, &team), RC_OK);
    ck_assert_uint_eq(team.count, 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(team.ref[i].id, ID_IS_MADE + GF_TID_FIRST + i);
    ck_assert_int_eq(the_instance()->reader->walk_members(the_instance(), inner.enclosing.ref,
                                                          MEMBER_TASKS, take, &tasks),
                     RC_OK);
    ck_assert_uint_eq(tasks.count, 4);
    for (unsigned i = 0; i < 4; i++) {
        struct task_facts task = task_of(tasks.ref[i]);
        assert_known(task.thread_num, i);
        assert_known(task.implicit, 1);
        assert_known(task.level, 1);
        ck_assert_uint_eq(task.thread.ref.id, ID_IS_MADE + GF_TID_FIRST + i);
        ck_assert_uint_eq(task.region.ref.id, inner.enclosing.ref.id);
    }
    ck_assert_uint_eq(inner.encountering_task.ref.id, tasks.ref[1].id);
}

/* The debugger knows fewer threads than memory has, as in a child inside fork. */
EACH(threads_that_do_not_exist, KINDS)
{
    begin(_i);
    struct list list = {0};
    struct ref region = thread(GF_MASTER).region.ref;
    gf->tells = true;
    gf->gone = ~(1u << GF_LEADS);
    ck_assert_int_eq(ASK(walk_threads, take, &list), RC_OK);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(list.ref[0].id, ID_IS_MADE + GF_TID_FIRST + GF_LEADS);
    list.count = 0;
    ck_assert_int_eq(ASK(walk_members, region, MEMBER_THREADS, take, &list), RC_OK);
    ck_assert_uint_eq(list.count, 1);
    unsigned asked = gf->asked;
    list.count = 0;
    ck_assert_int_eq(ASK(walk_threads, take, &list), RC_OK);
    ck_assert_uint_eq(gf->asked - asked, GF_THREADS - 1); /* but the foreign one */
    /* Where two are there, all are. */
    gf->gone = 0;
    asked = gf->asked;
    list.count = 0;
    ck_assert_int_eq(ASK(walk_threads, take, &list), RC_OK);
    ck_assert_uint_eq(list.count, GF_THREADS - 1);
    ck_assert_uint_eq(gf->asked - asked, 2);
    end();
    /* One that knows none is not believed, nor is one that does not say. */
    begin(_i);
    gf->tells = true;
    gf->gone = UINT32_MAX;
    list.count = 0;
    ck_assert_int_eq(ASK(walk_threads, take, &list), RC_OK);
    ck_assert_uint_eq(list.count, GF_THREADS - 1);
    gf->tells = false;
    list.count = 0;
    ck_assert_int_eq(ASK(walk_threads, take, &list), RC_OK);
    ck_assert_uint_eq(list.count, GF_THREADS - 1);
    end();
}

static unsigned reads_of_a_walk(void)
{
    struct list list = {0};
    unsigned before = gf->reads;
    ck_assert_int_eq(ASK(walk_threads, take, &list), RC_OK);
    ck_assert_uint_eq(list.count, GF_THREADS - 1);
    return gf->reads - before;
}

/* What one question has read is not read again at the same stop, and at no other one. */
OPENED(stops)
{
    unsigned reads = reads_of_a_walk();
    ck_assert_uint_gt(reads, 0);
    ck_assert_uint_eq(reads_of_a_walk(), reads);
    for (space->stop = 1; space->stop < 3; space->stop++) {
        ck_assert_uint_eq(reads_of_a_walk(), reads);
        ck_assert_uint_eq(reads_of_a_walk(), 0);
    }
    space->stop = 0;
    ck_assert_uint_eq(reads_of_a_walk(), reads);
    ck_assert_uint_eq(reads_of_a_walk(), reads);
}
