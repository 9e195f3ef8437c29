/* SPDX-License-Identifier: MIT
 *
 * Evidence, piece by piece, what is to be said of it, and how the library is asked.
 */
#ifndef WHY_EVIDENCE_H
#define WHY_EVIDENCE_H

#include <string.h>

#include "libompd/why/why.h"
#include "unit5.h"

#define PIECE(k, w, wh, f, i, o)                                                                   \
    {                                                                                              \
        .kind = k, .witness = w, .what = wh, .flags = f, .id = i, .other = o                       \
    }
#define PROCESS(flags) PIECE(EVIDENCE_PROCESS, WITNESS_KERNEL, 0, flags, 0, 0)
#define THREAD(id, doing) PIECE(EVIDENCE_THREAD, WITNESS_KERNEL, DOING_##doing, 0, id, 0)
#define MARKED(id, doing, flags) PIECE(EVIDENCE_THREAD, WITNESS_KERNEL, DOING_##doing, flags, id, 0)
#define ASLEEP(id) MARKED(id, WAITS, FLAG_CONFIRMED)
#define HELPER(id) PIECE(EVIDENCE_THREAD, WITNESS_STACKS, DOING_IDLE, FLAG_CONFIRMED, id, 0)
#define THING(id, kind, flags) PIECE(EVIDENCE_THING, WITNESS_RUNTIME, THING_##kind, flags, id, 0)
#define TASK(id, state, flags) PIECE(EVIDENCE_TASK, WITNESS_RUNTIME, PROGRESS_##state, flags, id, 0)
#define WAITS(id, other, witness)                                                                  \
    PIECE(EVIDENCE_WAITS, WITNESS_##witness, 0, FLAG_CONFIRMED, id, other)
#define SEEMS(id, other, witness) PIECE(EVIDENCE_WAITS, WITNESS_##witness, 0, 0, id, other)
#define NEEDS(id, other, witness) PIECE(EVIDENCE_NEEDS, WITNESS_##witness, 0, 0, id, other)
#define READS_FOR(id, other) PIECE(EVIDENCE_NEEDS, WITNESS_RUNTIME, 0, FLAG_CONFIRMED, id, other)
#define TESTS(id, other, witness) PIECE(EVIDENCE_POLLS, WITNESS_##witness, 0, 0, id, other)
#define TESTS_ON(id, other, witness)                                                               \
    PIECE(EVIDENCE_POLLS, WITNESS_##witness, 0, FLAG_CONFIRMED, id, other)
#define RETURNED(id, other) PIECE(EVIDENCE_NEEDS, WITNESS_RECORDED, 0, FLAG_RETURNED, id, other)
#define BY_ONE_CALL(id, other) PIECE(EVIDENCE_NEEDS, WITNESS_RECORDED, 0, FLAG_ONE_CALL, id, other)
#define SUSPENDED(id, other) PIECE(EVIDENCE_NEEDS, WITNESS_RECORDED, 0, FLAG_SUSPENDED, id, other)
#define ALL PROCESS(FLAG_COMPLETE)
#define HANDLED PROCESS(FLAG_COMPLETE | FLAG_HANDLED)
#define TEAM(id, flags) PIECE(EVIDENCE_TEAM, WITNESS_RUNTIME, 0, flags, id, 0)
#define MEMBER(id, other) PIECE(EVIDENCE_MEMBER, WITNESS_RUNTIME, 0, 0, id, other)
#define THING_OF(team, id, kind, flags)                                                            \
    PIECE(EVIDENCE_THING, WITNESS_RUNTIME, THING_##kind, flags, id, team)

/* Two pieces: a thread that sleeps waits for a thing; a held thing needs its owner. */
#define BLOCKED(id, other, witness) ASLEEP(id), WAITS(id, other, witness)
#define HELD(id, kind, owner, witness) THING(id, kind, FLAG_HELD), NEEDS(id, owner, witness)
/* Nobody knows who holds it, or anybody may end it. */
#define HELD_BY_ANY(id, kind) THING(id, kind, FLAG_HELD | FLAG_WHOEVER)

/* Scenes of which several differ by what a thread does: two wait for the third at a barrier, one
 * for the second at the end of a region that is cancelled; two have a share to execute. */
#define AT_BARRIER(third)                                                                          \
    ALL, BLOCKED(1, 10, RECORDED), BLOCKED(2, 10, RECORDED), third, HELD(10, BARRIER, 3, RECORDED)
#define IN_CANCELLED(second)                                                                       \
    ALL, BLOCKED(1, 10, RECORDED), second, THING(10, REGION_END, FLAG_HELD | FLAG_CANCELLED),      \
        NEEDS(10, 2, RECORDED)
#define SHARE_OF(first, second)                                                                    \
    ALL, first, second, THING(10, SHARE, 0), READS_FOR(10, 1), READS_FOR(10, 2)
/* A thread executes task 20, on which task 21 depends. */
#define TASK_BEFORE_ANOTHER(thread)                                                                \
    TASK(20, BEGUN, 0), TASK(21, CREATED, 0), NEEDS(21, 20, RUNTIME), NEEDS(20, thread, RUNTIME)

enum { PIECES_MAX = 24 };

/* Evidence, and the first verdict on it. Threads are 1 to 9, things 10 to 19, tasks 20 and more,
 * teams 90 and more. `next` is left out where it is as in other scenes. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
struct scene {
    const char *name;
    struct {
        enum why_verdict_name verdict;
        enum why_certainty certainty;
        enum why_cause cause;
        unsigned threads, others;
    } says;
    ompd_ext_evidence_t evidence[PIECES_MAX];
    unsigned next;
    unsigned more; /* verdicts */
};
#define SAYS(verdict, certainty, cause, threads, others)                                           \
    {                                                                                              \
        VERDICT_##verdict, CERTAINTY_##certainty, CAUSE_##cause, threads, others                   \
    }

struct answer {
    ompd_ext_verdict_t *verdicts;
    ompd_ext_link_t *links;
    ompd_size_t verdict_count, link_count;
};

static inline ompd_rc_t judge(const ompd_ext_evidence_t *evidence, ompd_size_t count,
                              struct answer *out)
{
    return ompd_ext_get_verdicts(evidence, sizeof *evidence, count, sizeof *out->verdicts,
                                 &out->verdicts, &out->verdict_count, &out->links,
                                 &out->link_count);
}

static inline void answer_free(struct answer *answer)
{
    fake_cb_free(answer->verdicts);
    if (answer->links)
        fake_cb_free(answer->links);
}

static inline void begin(void)
{
    assert_ok(ompd_initialize(202111, &fake_debugger));
}

static inline void end(void)
{
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    assert_ok(ompd_finalize());
}

#endif
