/* SPDX-License-Identifier: MIT
 *
 * What explains how a stock libgomp got where it is: loops and their counters, stacks, members
 * that a fork left behind, cancellation and the size of teams. Over a fake process in every
 * layout.
 */
#include <check.h>
#include <string.h>

#include "gomp-unit.h"
#include "libompd/survey/survey.h"

enum { MONOTONIC = 1u << 31 };

#define PLACE(field) gf->layout->place[GOMP_##field].offset

/* The slot's neighbourhood is memory that nothing else uses. */
static taddr put_loop(unsigned which, uint64_t schedule)
{
    static taddr next;
    next = gf->end;
    gf->end += 1024;
    gf_put(gf, gf->thread[which], GOMP_gomp_thread_work_share, next);
    gf_put(gf, gf->thread[which], GOMP_gomp_thread_static_trip, 5);
    gf_put(gf, next, GOMP_gomp_work_share_sched, schedule);
    gf_put(gf, next, GOMP_gomp_work_share_chunk, 4);
    gf_put(gf, next, GOMP_gomp_work_share_next, 17);
    gf_put(gf, next, GOMP_gomp_work_share_end, 1000);
    gf_put(gf, next, GOMP_gomp_work_share_incr, 2);
    return next;
}

static enum rc ask(unsigned which, struct loop_facts *out)
{
    memset(out, 0x5a, sizeof *out);
    return ASK(loop, thread_ref(which), out);
}

OPENED(loops)
{
    struct loop_facts loop, untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_UNAVAILABLE);
    taddr at = put_loop(GF_WAITS, 2u | MONOTONIC);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    assert_known(loop.address, at);
    assert_known(loop.schedule, 2);
    assert_known(loop.chunk, 4);
    assert_known(loop.next, 17);
    assert_known(loop.end, 1000);
    assert_known(loop.increment, 2);
    assert_known(loop.dimensions, 0);
    ck_assert_int_ne(loop.trips.known, KNOWN);
    ck_assert_int_eq(loop.awaited.known, NEEDS_TRACKING);
    put_loop(GF_WAITS, 1);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    assert_known(loop.trips, 5);
    ck_assert_int_ne(loop.next.known, KNOWN);
    put_loop(GF_WAITS, 77); /* no loop has such a schedule */
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_UNAVAILABLE);
    ck_assert_mem_eq(&loop, &untouched, sizeof loop);
    put_loop(GF_IDLE, 2);
    ck_assert_int_eq(ask(GF_IDLE, &loop), RC_UNAVAILABLE);
    gf_put(gf, gf->thread[GF_WAITS], GOMP_gomp_thread_work_share, 0x10);
    ck_assert_int_ne(ask(GF_WAITS, &loop), RC_OK);
}

static taddr put_doacross(taddr loop, bool flattened, uint64_t counter)
{
    taddr at = (gf->end + 63) / 64 * 64, array = at + 128;
    gf->end = array + 4 * 64;
    gf_put(gf, loop, GOMP_gomp_work_share_doacross, at);
    gf_put(gf, at, GOMP_gomp_doacross_work_share_elt_sz, 64);
    gf_put(gf, at, GOMP_gomp_doacross_work_share_ncounts, 2);
    gf_put(gf, at, GOMP_gomp_doacross_work_share_flattened, flattened);
    gf_put(gf, at, GOMP_gomp_doacross_work_share_array, array);
    gf_number(gf, at + PLACE(gomp_doacross_work_share_shift_counts), 4, 20);
    gf_number(gf, array + 3 * 64, 8, counter);
    return at;
}

OPENED(doacross)
{
    struct loop_facts loop;
    /* Iteration 41 of the outer loop, in both forms, of thread 3 of the team. */
    put_doacross(put_loop(GF_WAITS, 1), true, (UINT64_C(41) << 20 | 7) + 1);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    assert_known(loop.dimensions, 2);
    assert_known(loop.posted, 41);
    put_doacross(put_loop(GF_WAITS, 1), false, 42);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    assert_known(loop.posted, 41);
    put_doacross(put_loop(GF_WAITS, 1), true, 0);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    ck_assert_int_eq(loop.posted.known, NONE_HERE);
    put_doacross(put_loop(GF_WAITS, 2), true, 1);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    ck_assert_int_ne(loop.posted.known, KNOWN);
    /* A loop that is ordered otherwise has a list of threads there. */
    taddr at = put_doacross(put_loop(GF_WAITS, 1), true, 1);
    gf_put(gf, at, GOMP_gomp_doacross_work_share_array, at + 1);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    assert_known(loop.dimensions, 0);
    at = put_doacross(put_loop(GF_WAITS, 1), true, 1);
    gf_number(gf, at + PLACE(gomp_doacross_work_share_shift_counts), 4, 64);
    ck_assert_int_eq(ask(GF_WAITS, &loop), RC_OK);
    ck_assert_int_eq(loop.posted.known, IMPOSSIBLE);
}

static void put_stack(unsigned which, unsigned offset, taddr low, uint64_t size, uint64_t guard)
{
    gf_number(gf, gf->pthread[which] + offset, 8, low);
    gf_number(gf, gf->pthread[which] + offset + 8, 8, size);
    gf_number(gf, gf->pthread[which] + offset + 16, 8, guard);
}

OPENED(stacks)
{
    struct stack_facts stack;
    struct ref ref = thread_ref(GF_WAITS);
    taddr page = gf->pthread[GF_WAITS] & ~(taddr)4095;
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_UNAVAILABLE);
    put_stack(GF_WAITS, 1680, page - 0x8000, 0x9000, 0x1000);
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_OK);
    ck_assert_uint_eq(stack.low, page - 0x8000);
    ck_assert_uint_eq(stack.high, page + 0x1000);
    ck_assert_uint_eq(stack.guard, 0x1000);
    /* Two that may be it, one that is elsewhere, one that is not aligned. */
    put_stack(GF_WAITS, 1760, page - 0x4000, 0x6000, 0);
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_UNAVAILABLE);
    put_stack(GF_WAITS, 1760, page - 0x8000, 0x4000, 0);
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_OK);
    put_stack(GF_WAITS, 1680, page - 0x8008, 0x9008, 0x1000);
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_UNAVAILABLE);
    put_stack(GF_WAITS, 1680, page - 0x8000, UINT64_MAX - 0xfff, 0);
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_UNAVAILABLE);
}

OPENED(gone_and_cancelled)
{
    struct ref outer = thread(GF_MASTER).region.ref;
    struct region_facts region;
    struct absence_facts absence = {99, 99};
    enum rc rc = ASK(absence, outer, &absence);
    if (MACHINE(_i) == PROBE_X86_64) {
        ck_assert_int_eq(rc, RC_OK);
        ck_assert_uint_eq(absence.gone, 0);
        gf_number(gf, gf->pthread[GF_RUNS] + GF_TID_OFFSET, 4, 0);
        gf_number(gf, gf->pthread[GF_WAITS] + GF_TID_OFFSET, 4, 0);
        gf_put(gf, gf->thread[GF_WAITS], GOMP_gomp_thread_fn, 1);
        ck_assert_int_eq(ASK(absence, outer, &absence), RC_OK);
        ck_assert_uint_eq(absence.gone, 2);
        ck_assert_uint_eq(absence.unbegun, 1); /* the other one has begun, and ended */
        gf_number(gf, gf->pthread[GF_RUNS] + GF_TID_OFFSET, 4, GF_TID_FIRST + GF_RUNS);
        gf_number(gf, gf->pthread[GF_WAITS] + GF_TID_OFFSET, 4, GF_TID_FIRST + GF_WAITS);
        /* Its memory is that of another member, once that has begun. */
        taddr release = gf->layout->place[GOMP_gomp_thread_release].offset;
        taddr third = gf_get(gf, gf->team, GOMP_gomp_team_ordered_release) + 8 * 3;
        gf_number(gf, third, 8, gf->thread[GF_RUNS] + release);
        for (unsigned begun = 0; begun < 2; begun++) {
            gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_fn, !begun);
            ck_assert_int_eq(ASK(absence, outer, &absence), RC_OK);
            ck_assert_uint_eq(absence.gone, begun);
            ck_assert_uint_eq(absence.unbegun, begun);
        }
        gf_number(gf, third, 8, gf->thread[GF_WAITS] + release);
    } else {
        ck_assert_int_eq(rc, RC_UNSUPPORTED);
    }
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);
    assert_known(region.cancelled, 0);
    gf_put(gf, gf->team, GOMP_gomp_team_cancelled, 1);
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);
    assert_known(region.cancelled, 1);

    struct ref waits = thread(GF_WAITS).task.ref;
    assert_known(task_of(waits).cancelled, 0);
    taddr group = gf_get(gf, gf_implicit(gf, gf->team, 3), GOMP_gomp_task_taskgroup);
    gf_put(gf, group, GOMP_gomp_taskgroup_cancelled, 1);
    assert_known(task_of(waits).cancelled, 1);
    ck_assert_int_eq(task_of(thread(GF_MASTER).task.ref).cancelled.known, NONE_HERE);
}

/* ICVs are told, and no reason: what the clause asked for is not kept. */
OPENED(team_size)
{
    struct handle *inner;
    struct surveyed_team team;
    ck_assert_int_eq(
        handle_create(the_instance(), HANDLE_PARALLEL, thread(GF_NESTED).region.ref, &inner),
        RC_OK);
    ck_assert_int_eq(survey_team(inner, &team), RC_OK);
    assert_known(team.region.num_threads, 2);
    ck_assert_int_eq(team.nthreads.known, KNOWN);
    ck_assert_int_eq(team.thread_limit.known, KNOWN);
    ck_assert_int_ne(team.shortfall.known, KNOWN);
    ck_assert_int_eq(handle_release(inner, HANDLE_PARALLEL), RC_OK);
}

/* Nothing but a whole answer changes what is given out. */
OPENED(failing_callbacks)
{
    taddr page = gf->pthread[GF_WAITS] & ~(taddr)4095;
    put_doacross(put_loop(GF_WAITS, 1), true, 1);
    put_stack(GF_WAITS, 1680, page - 0x8000, 0x9000, 0x1000);
    struct ref ref = thread_ref(GF_WAITS), outer = thread(GF_MASTER).region.ref;
    for (unsigned question = 0; question < 3; question++) {
        for (unsigned n = 1;; n++) {
            struct {
                struct loop_facts loop;
                struct stack_facts stack;
                struct absence_facts absence;
            } out, untouched;
            memset(&out, 0x5a, sizeof out);
            memset(&untouched, 0x5a, sizeof untouched);
            int alive = gf->alive;
            gf->callbacks = 0;
            gf->fail_at = n;
            enum rc rc = question == 0   ? ASK(loop, ref, &out.loop)
                         : question == 1 ? ASK(stack, ref, &out.stack)
                                         : ASK(absence, outer, &out.absence);
            bool reached = gf->callbacks >= n;
            gf->fail_at = 0;
            ck_assert_int_le(gf->alive, alive + 1);
            if (!reached)
                break;
            if (rc != RC_OK)
                ck_assert_mem_eq(&out, &untouched, sizeof out);
        }
    }
}
