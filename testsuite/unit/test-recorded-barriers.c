/* SPDX-License-Identifier: MIT
 *
 * The barriers of a process that records: which one each thread is in, and who has arrived.
 */
#include "recorded-unit.h"

static struct array all_barriers(void)
{
    struct array barriers = {0};
    ck_assert_int_eq(survey_barriers(the_instance(), &barriers), RC_OK);
    return barriers;
}

/* Two members at an explicit barrier and two at the end of the region: a program that
 * hangs. */
BETWEEN(stuck_at_two_barriers, 1, begin_flat(), end_one())
{
    for (unsigned i = 0; i < BOTH_THREADS; i++) {
        bool is_end = i >= 2;
        put_barrier(i, 1, BARRIER_INSIDE | (is_end ? BARRIER_AT_END : 0), is_end ? 0x41 : 0x40);
        fake_put(fake, both.hooks->thread[i], FIELD_thread_codeptr, is_end ? 0x77 : 0x66);
    }
    gf_put(both.gomp, both.gomp->team, GOMP_gomp_team_barrier_awaited, 2);
    gf_put(both.gomp, both.gomp->team, GOMP_gomp_team_barrier_awaited_final, 2);
    both_open();
    struct array barriers = all_barriers();
    const struct surveyed_barrier *all = barriers.elements;
    ck_assert_uint_eq(barriers.count, 2);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_uint_eq(all[i].region.id, OUTER_ID);
        ck_assert_uint_eq(all[i].arrived, 2);
        assert_known(all[i].kind, i ? BARRIER_END : BARRIER_WITHIN);
        assert_known(all[i].codeptr, i ? 0x77 : 0x66);
        assert_known(all[i].generation, 2);
    }
    array_free(&barriers);
    for (unsigned i = 0; i < BOTH_THREADS; i++)
        assert_known(facts_of(i).barrier, i < 2 ? BARRIER_WITHIN : BARRIER_END);
}

/* All but one are on their way out of a barrier: nobody waits there, nobody has arrived. */
BETWEEN(released, 1, begin_flat(), end_one())
{
    for (unsigned i = 1; i < BOTH_THREADS; i++)
        put_barrier(i, 1, BARRIER_INSIDE, 0x40);
    put_barrier(0, 1, 0, 0x01);
    both_open();
    struct array barriers = all_barriers();
    ck_assert_uint_eq(barriers.count, 0);
    array_free(&barriers);
    for (unsigned i = 1; i < BOTH_THREADS; i++)
        assert_known(facts_of(i).state, STATE_overhead);

    /* The first comes to the next barrier, which the others have still to leave this one for. */
    put_barrier(0, 2, BARRIER_INSIDE, 0x40);
    gf_put(both.gomp, both.gomp->team, GOMP_gomp_team_barrier_awaited, 3);
    barriers = all_barriers();
    ck_assert_uint_eq(barriers.count, 1);
    ck_assert_uint_eq(((const struct surveyed_barrier *)barriers.elements)->arrived, 1);
    array_free(&barriers);
    assert_known(facts_of(0).state, STATE_wait_barrier);
    for (unsigned i = 1; i < BOTH_THREADS; i++)
        assert_known(facts_of(i).state, STATE_overhead);

    /* And now it waits for one of them. */
    put_barrier(1, 2, BARRIER_INSIDE, 0x40);
    put_barrier(2, 2, BARRIER_INSIDE, 0x40);
    put_barrier(3, 1, 0, 0x01);
    gf_put(both.gomp, both.gomp->team, GOMP_gomp_team_barrier_awaited, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_known(facts_of(i).state, STATE_wait_barrier);
}

/* The worker of a region that has ended, of which its record does not know yet. */
BETWEEN(idle_for_libgomp, 1, begin_one(), end_one())
{
    fake_put(fake, both.hooks->thread[3], FIELD_thread_pthread, gf->pthread[GF_IDLE]);
    fake_put(fake, both.hooks->thread[3], FIELD_thread_lwp, GF_TID_FIRST + GF_IDLE);
    fake_put(fake, both.hooks->idle, FIELD_thread_id, 0);
    put_barrier(3, 1, BARRIER_INSIDE | BARRIER_AT_END, 0x41);
    both_open();
    struct thread_facts facts = facts_of(GF_IDLE);
    assert_known(facts.state, STATE_idle);
    ck_assert_int_eq(facts.region.known, NONE_HERE);
    ck_assert_int_eq(facts.thread_num.known, NONE_HERE);
    assert_known(facts.wait_id, 0);
}

/* Records of 1.3 do not say which barrier a thread is in: what waits, waits. */
BETWEEN(older_records, 1, begin_flat(), end_one())
{
    records_downgrade_to_1_3(fake);
    put_barrier(1, 1, BARRIER_INSIDE, 0x40);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_awaited, 3);
    both_open();
    ck_assert_str_eq(the_instance()->reader->name, "recorded");
    struct thread_facts facts = facts_of(GF_LEADS);
    assert_known(facts.state, STATE_wait_barrier);
    ck_assert_int_eq(facts.barrier.known, NOT_HELD);
    ck_assert_uint_eq(facts.region.ref.id, OUTER_ID);
    struct array barriers = all_barriers();
    ck_assert_uint_eq(barriers.count, 1);
    ck_assert_uint_eq(((const struct surveyed_barrier *)barriers.elements)->arrived, 1);
    array_free(&barriers);
}
