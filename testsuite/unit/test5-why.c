/* SPDX-License-Identifier: MIT
 *
 * Verdicts: scenes as tables of evidence, each in many orders and with every allocation
 * failing in turn, and how much time large ones take.
 */
#include <string.h>
#include <time.h>

#include "libompd/why/why.h"
#include "unit5.h"

enum { PIECES_MAX = 24, MORE = 16, ORDERS = 40, TASKS = 100000, THREADS = 512 };

#define PIECE(k, w, wh, f, i, o)                                                         \
    {                                                                                    \
        .kind = k, .witness = w, .what = wh, .flags = f, .id = i, .other = o             \
    }
#define PROCESS(flags) PIECE(EVIDENCE_PROCESS, WITNESS_KERNEL, 0, flags, 0, 0)
#define THREAD(id, doing) PIECE(EVIDENCE_THREAD, WITNESS_KERNEL, DOING_##doing, 0, id, 0)
#define MARKED(id, doing, flags)                                                         \
    PIECE(EVIDENCE_THREAD, WITNESS_KERNEL, DOING_##doing, flags, id, 0)
#define ASLEEP(id) MARKED(id, WAITS, FLAG_CONFIRMED)
#define HELPER(id) PIECE(EVIDENCE_THREAD, WITNESS_STACKS, DOING_IDLE, FLAG_CONFIRMED, id, 0)
#define THING(id, kind, flags)                                                           \
    PIECE(EVIDENCE_THING, WITNESS_RUNTIME, THING_##kind, flags, id, 0)
#define TASK(id, state, flags)                                                           \
    PIECE(EVIDENCE_TASK, WITNESS_RUNTIME, PROGRESS_##state, flags, id, 0)
#define WAITS(id, other, witness)                                                        \
    PIECE(EVIDENCE_WAITS, WITNESS_##witness, 0, FLAG_CONFIRMED, id, other)
#define SEEMS(id, other, witness) PIECE(EVIDENCE_WAITS, WITNESS_##witness, 0, 0, id, other)
#define NEEDS(id, other, witness) PIECE(EVIDENCE_NEEDS, WITNESS_##witness, 0, 0, id, other)
#define TESTS(id, other, witness) PIECE(EVIDENCE_POLLS, WITNESS_##witness, 0, 0, id, other)
#define TESTS_ON(id, other, witness)                                                     \
    PIECE(EVIDENCE_POLLS, WITNESS_##witness, 0, FLAG_CONFIRMED, id, other)
#define RETURNED(id, other)                                                              \
    PIECE(EVIDENCE_NEEDS, WITNESS_RECORDED, 0, FLAG_RETURNED, id, other)
#define BY_ONE_CALL(id, other)                                                           \
    PIECE(EVIDENCE_NEEDS, WITNESS_RECORDED, 0, FLAG_ONE_CALL, id, other)
#define SUSPENDED(id, other)                                                             \
    PIECE(EVIDENCE_NEEDS, WITNESS_RECORDED, 0, FLAG_SUSPENDED, id, other)
#define ALL PROCESS(FLAG_COMPLETE)
#define HANDLED PROCESS(FLAG_COMPLETE | FLAG_HANDLED)
#define TEAM(id, flags) PIECE(EVIDENCE_TEAM, WITNESS_RUNTIME, 0, flags, id, 0)
#define MEMBER(id, other) PIECE(EVIDENCE_MEMBER, WITNESS_RUNTIME, 0, 0, id, other)
#define THING_OF(team, id, kind, flags)                                                  \
    PIECE(EVIDENCE_THING, WITNESS_RUNTIME, THING_##kind, flags, id, team)

/* Threads are 1 to 9, things 10 to 19, tasks 20 and more, teams 90 and more. `next` is left out where it is as in
 * other scenes. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct scene {
    const char *name;
    enum why_verdict_name verdict;
    enum why_certainty certainty;
    enum why_cause cause;
    unsigned threads, others, verdicts;
    ompd_ext_evidence_t evidence[PIECES_MAX];
    unsigned next;
} scenes[] = {
    {"two orders", VERDICT_LOCK_CYCLE_2, CERTAINTY_CERTAIN, CAUSE_TWO_ORDERS, 2, 1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), ASLEEP(3), THING(10, LOCK, FLAG_HELD),
      THING(11, CRITICAL, FLAG_HELD), THING(12, REGION_END, FLAG_HELD),
      WAITS(1, 11, RECORDED), WAITS(2, 10, RECORDED), WAITS(3, 12, RECORDED),
      NEEDS(10, 1, RECORDED), NEEDS(11, 2, RECORDED), NEEDS(12, 1, RECORDED),
      NEEDS(12, 2, RECORDED)}},
    {"two orders, others work", VERDICT_LOCK_CYCLE_2, CERTAINTY_CERTAIN, CAUSE_TWO_ORDERS, 2,
     0, 1,
     {PROCESS(0), ASLEEP(1), ASLEEP(2), THREAD(3, WORKS), THING(10, LOCK, FLAG_HELD),
      THING(11, MUTEX, FLAG_HELD), WAITS(1, 11, KERNEL), WAITS(2, 10, RECORDED),
      NEEDS(10, 1, RECORDED), NEEDS(11, 2, LIBC)}},
    {"two locks, by one call", VERDICT_LOCK_CYCLE_2, CERTAINTY_CERTAIN,
     CAUSE_ORDERS_OR_NOT_RELEASED, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, LOCK, FLAG_HELD), THING(11, LOCK, FLAG_HELD),
      WAITS(1, 11, RECORDED), WAITS(2, 10, RECORDED), BY_ONE_CALL(10, 1), NEEDS(11, 2, RECORDED)}},
    {"two orders, one released meanwhile", VERDICT_LOCK_CYCLE_2, CERTAINTY_POSSIBLE,
     CAUSE_TWO_ORDERS, 2, 0, 1,
     {ALL, ASLEEP(1), THREAD(2, WAITS), THING(10, LOCK, 0), THING(11, LOCK, 0),
      WAITS(1, 11, RECORDED), SEEMS(2, 10, STACKS), NEEDS(10, 1, RECORDED),
      NEEDS(11, 2, RECORDED)}},
    {"two orders, an owner by the source", VERDICT_LOCK_CYCLE_2, CERTAINTY_LIKELY,
     CAUSE_TWO_ORDERS, 2, 0, 1,
     {PROCESS(0), ASLEEP(1), ASLEEP(2), THREAD(3, WORKS), THING(10, CRITICAL, FLAG_HELD),
      THING(11, MUTEX, FLAG_HELD), WAITS(1, 11, KERNEL), WAITS(2, 10, KERNEL),
      NEEDS(10, 1, SOURCE), NEEDS(11, 2, LIBC)}},
    {"three orders", VERDICT_LOCK_CYCLE, CERTAINTY_CERTAIN, CAUSE_TWO_ORDERS, 3, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), ASLEEP(3), THING(10, LOCK, 0), THING(11, LOCK, 0),
      THING(12, LOCK, 0), WAITS(1, 11, RECORDED), WAITS(2, 12, RECORDED),
      WAITS(3, 10, RECORDED), NEEDS(10, 1, RECORDED), NEEDS(11, 2, RECORDED),
      NEEDS(12, 3, RECORDED)}},
    {"a section in itself", VERDICT_SECTION_SELF, CERTAINTY_LIKELY, CAUSE_ENTERED_AGAIN, 1, 1,
     1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, CRITICAL, FLAG_HELD), WAITS(1, 10, KERNEL),
      WAITS(2, 10, KERNEL), NEEDS(10, 1, SOURCE)}},
    {"a section in itself, by one call", VERDICT_SECTION_SELF, CERTAINTY_CERTAIN, CAUSE_JUMPED,
     1, 0, 1,
     {ALL, ASLEEP(1), THING(10, CRITICAL, FLAG_HELD), WAITS(1, 10, RECORDED),
      BY_ONE_CALL(10, 1)}},
    {"a lock that a function left held", VERDICT_LOCK_SELF, CERTAINTY_CERTAIN, CAUSE_RETURNED,
     1, 0, 1,
     {ALL, ASLEEP(1), THREAD(2, WORKS), THING(10, LOCK, FLAG_HELD), WAITS(1, 10, RECORDED),
      RETURNED(10, 1)}},
    {"a lock that a suspended task of the thread holds", VERDICT_LOCK_SUSPENDED,
     CERTAINTY_CERTAIN, CAUSE_SUSPENDED, 1, 1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, LOCK, FLAG_HELD), WAITS(1, 10, RECORDED),
      WAITS(2, 10, RECORDED), SUSPENDED(10, 1)}},
    {"a section that one is in", VERDICT_LOCK_SUSPENDED, CERTAINTY_CERTAIN, CAUSE_SUSPENDED, 1,
     0, 1,
     {ALL, ASLEEP(1), THING(10, CRITICAL, FLAG_HELD), WAITS(1, 10, RECORDED),
      SUSPENDED(10, 1)}},
    {"nobody knows who holds it, and all wait", VERDICT_LOCK_ORPHAN, CERTAINTY_CERTAIN,
     CAUSE_NOT_RELEASED, 2, 1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), ASLEEP(3), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      THING(11, BARRIER, FLAG_HELD), WAITS(1, 10, KERNEL), WAITS(2, 10, KERNEL),
      WAITS(3, 11, STACKS), NEEDS(11, 1, STACKS)}},
    {"nobody knows who is in it, and all wait", VERDICT_LOCK_ORPHAN, CERTAINTY_CERTAIN,
     CAUSE_NOT_LEFT, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, CRITICAL, FLAG_HELD | FLAG_WHOEVER),
      WAITS(1, 10, KERNEL), WAITS(2, 10, KERNEL)}},
    {"nobody knows who holds it, and one works", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE,
     1, 2, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, WORKS),
      THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER), WAITS(1, 10, KERNEL),
      WAITS(2, 10, KERNEL)}},
    {"the same, and there may be more threads", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE,
     0, 2, 1,
     {PROCESS(0), ASLEEP(1), ASLEEP(2), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      WAITS(1, 10, KERNEL), WAITS(2, 10, KERNEL)}},
    {"one of a cycle's team waits for whoever wakes it", VERDICT_LOCK_HOLDER_WAITS,
     CERTAINTY_CERTAIN, CAUSE_HOLDS_ACROSS, 2, 0, 2,
     {ALL, ASLEEP(1), ASLEEP(2), ASLEEP(3), THING(10, MUTEX, FLAG_HELD),
      THING(11, REGION_END, FLAG_HELD), THING(12, OTHER, FLAG_HELD | FLAG_WHOEVER),
      WAITS(1, 12, LIBC), WAITS(2, 11, KERNEL), WAITS(3, 10, LIBC), NEEDS(10, 2, LIBC),
      NEEDS(11, 1, KERNEL), NEEDS(11, 3, KERNEL)}},
    {"two locks, nobody knows who holds them", VERDICT_LOCK_ORPHANS, CERTAINTY_CERTAIN,
     CAUSE_ORDERS_OR_NOT_RELEASED, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, LOCK, FLAG_WHOEVER | FLAG_HELD),
      THING(11, LOCK, FLAG_WHOEVER | FLAG_HELD), WAITS(1, 10, KERNEL),
      WAITS(2, 11, KERNEL)}},
    {"the holder has ended", VERDICT_LOCK_ENDED, CERTAINTY_CERTAIN, CAUSE_OWNER_ENDED, 1, 0, 1,
     {PROCESS(0), ASLEEP(1), THREAD(2, WORKS), THREAD(3, ENDED), THING(10, MUTEX, FLAG_HELD),
      WAITS(1, 10, KERNEL), NEEDS(10, 3, LIBC)}},
    {"the holder has gone back to the pool", VERDICT_LOCK_ORPHAN, CERTAINTY_CERTAIN,
     CAUSE_RETURNED, 1, 0, 1,
     {ALL, ASLEEP(1), MARKED(2, IDLE, FLAG_CONFIRMED), THING(10, LOCK, FLAG_HELD),
      WAITS(1, 10, RECORDED), NEEDS(10, 2, RECORDED)},
     1 << NEXT_BT},
    {"a mutex across a region", VERDICT_LOCK_HOLDER_WAITS, CERTAINTY_CERTAIN,
     CAUSE_HOLDS_ACROSS, 2, 1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), ASLEEP(3), THING(10, MUTEX, FLAG_HELD),
      THING(11, REGION_END, FLAG_HELD), WAITS(1, 11, RUNTIME), WAITS(2, 10, KERNEL),
      WAITS(3, 11, RUNTIME), NEEDS(10, 1, LIBC), NEEDS(11, 2, RUNTIME)}},
    {"barriers that do not match, by the counts alone", VERDICT_BARRIER_MISMATCH,
     CERTAINTY_CERTAIN, CAUSE_FEWER_BARRIERS, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, BARRIER, FLAG_HELD),
      THING(11, REGION_END, FLAG_HELD), WAITS(1, 10, STACKS), WAITS(2, 11, STACKS),
      NEEDS(10, 11, RUNTIME), NEEDS(11, 10, RUNTIME)}},
    {"a barrier that all have come to", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 0, 2, 1,
     {ALL, THREAD(1, WAITS), THREAD(2, WAITS), THING(10, BARRIER, 0), SEEMS(1, 10, RECORDED),
      SEEMS(2, 10, RECORDED)}},
    {"released, and not run yet", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 1, 1, 1,
     {ALL, THREAD(1, WAITS), THREAD(2, WORKS), THING(10, BARRIER, 0), SEEMS(1, 10, RECORDED),
      NEEDS(10, 2, RECORDED)}},
    {"one has not come", VERDICT_ABSENT_WORKS, CERTAINTY_POSSIBLE, CAUSE_NONE, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, WORKS), THING(10, BARRIER, FLAG_HELD),
      WAITS(1, 10, RECORDED), WAITS(2, 10, RECORDED), NEEDS(10, 3, RECORDED)}},
    {"the same after a second look", VERDICT_SPIN, CERTAINTY_LIKELY, CAUSE_NONE, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), MARKED(3, WORKS, FLAG_SAME_PLACE | FLAG_REPEATS),
      THING(10, BARRIER, FLAG_HELD), WAITS(1, 10, RECORDED), WAITS(2, 10, RECORDED),
      NEEDS(10, 3, RECORDED)},
     1 << NEXT_BT},
    {"the same function, and ever other values", VERDICT_SLOW, CERTAINTY_POSSIBLE, CAUSE_NONE, 2,
     0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), MARKED(3, WORKS, FLAG_SAME_PLACE),
      THING(10, BARRIER, FLAG_HELD), WAITS(1, 10, RECORDED), WAITS(2, 10, RECORDED),
      NEEDS(10, 3, RECORDED)}},
    {"what repeats itself may wait for what does not", VERDICT_SLOW, CERTAINTY_POSSIBLE,
     CAUSE_NONE, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), MARKED(3, WORKS, FLAG_SAME_PLACE | FLAG_REPEATS),
      MARKED(4, WORKS, FLAG_SAME_PLACE), THING(10, BARRIER, FLAG_HELD), WAITS(1, 10, RECORDED),
      WAITS(2, 10, RECORDED), NEEDS(10, 3, RECORDED), NEEDS(10, 4, RECORDED)}},
    {"and it got further", VERDICT_SLOW, CERTAINTY_LIKELY, CAUSE_NONE, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), MARKED(3, WORKS, FLAG_MOVED), THING(10, BARRIER, FLAG_HELD),
      WAITS(1, 10, RECORDED), WAITS(2, 10, RECORDED), NEEDS(10, 3, RECORDED)}},
    {"one reads", VERDICT_ABSENT_ASLEEP, CERTAINTY_POSSIBLE, CAUSE_NONE, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, ASLEEP), THING(10, BARRIER, FLAG_HELD),
      WAITS(1, 10, RECORDED), WAITS(2, 10, RECORDED), NEEDS(10, 3, RECORDED)}},
    {"one is in MPI", VERDICT_MPI, CERTAINTY_POSSIBLE, CAUSE_NONE, 1, 0, 1,
     {ALL, ASLEEP(1), THREAD(3, MPI), THING(10, BARRIER, FLAG_HELD), WAITS(1, 10, RECORDED),
      NEEDS(10, 3, RECORDED)}},
    {"one is in MPI, and nobody waits for it", VERDICT_IN_MPI, CERTAINTY_POSSIBLE, CAUSE_NONE, 1,
     0, 1, {ALL, THREAD(1, WORKS), THREAD(3, MPI)}},
    {"so it was a while ago", VERDICT_IN_MPI, CERTAINTY_LIKELY, CAUSE_NONE, 2, 0, 1,
     {ALL, THREAD(2, MPI), MARKED(3, MPI, FLAG_SAME_PLACE)}, 1 << NEXT_RANKS},
    {"it made progress", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 0, 0, 1,
     {ALL, MARKED(3, MPI, FLAG_MOVED)}},
    {"beside a helper thread of a library", VERDICT_LOCK_ORPHAN, CERTAINTY_LIKELY,
     CAUSE_NOT_RELEASED, 1, 0, 1,
     {ALL, ASLEEP(1), HELPER(2), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      WAITS(1, 10, RUNTIME)}},
    {"the holder reads", VERDICT_HOLDER_ASLEEP, CERTAINTY_POSSIBLE, CAUSE_NONE, 1, 0, 1,
     {ALL, ASLEEP(1), THREAD(3, ASLEEP), THING(10, LOCK, FLAG_HELD), WAITS(1, 10, RECORDED),
      NEEDS(10, 3, RECORDED)}},
    {"one joins, and is waited for", VERDICT_ABSENT_ASLEEP, CERTAINTY_POSSIBLE, CAUSE_NONE, 1,
     1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, ASLEEP), THING(10, BARRIER, FLAG_HELD),
      THING(11, JOIN, FLAG_HELD), WAITS(1, 10, RECORDED), WAITS(2, 11, LIBC),
      NEEDS(10, 2, RECORDED), NEEDS(11, 3, LIBC)}},
    {"a loop without an exit", VERDICT_SPIN_FOREVER, CERTAINTY_CERTAIN, CAUSE_NO_EXIT, 1, 0, 1,
     {ALL, ASLEEP(1), THREAD(2, ENDLESS), THREAD(3, WORKS), THING(10, REGION_END, FLAG_HELD),
      WAITS(1, 10, RUNTIME), NEEDS(10, 2, RUNTIME)}},
    {"three in such loops", VERDICT_SPIN_FOREVER, CERTAINTY_CERTAIN, CAUSE_NO_EXIT, 2, 0, 1,
     {ALL, ASLEEP(1), THREAD(2, ENDLESS), THREAD(3, ENDLESS), THREAD(4, ENDLESS), ASLEEP(5),
      THING(10, REGION_END, FLAG_HELD), THING(11, BARRIER, FLAG_HELD), WAITS(1, 10, RUNTIME),
      WAITS(5, 11, RUNTIME), NEEDS(10, 2, RUNTIME), NEEDS(10, 3, RUNTIME),
      NEEDS(11, 4, RUNTIME)}},
    {"a child of fork", VERDICT_FORK, CERTAINTY_CERTAIN, CAUSE_NO_WORKERS, 1, 0, 1,
     {ALL, ASLEEP(1), THREAD(2, ABSENT), THING(10, REGION_END, FLAG_HELD),
      WAITS(1, 10, KERNEL), NEEDS(10, 2, RUNTIME)}},
    {"a detached task", VERDICT_TASK_DETACHED, CERTAINTY_LIKELY, CAUSE_NO_FULFIL, 1, 1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, TASKWAIT, FLAG_WHOEVER),
      THING(11, EVENT, FLAG_WHOEVER), THING(12, BARRIER, FLAG_HELD), TASK(20, DETACHED, 0),
      WAITS(1, 10, RECORDED), WAITS(2, 12, RECORDED), NEEDS(12, 1, RECORDED),
      NEEDS(10, 20, RUNTIME), NEEDS(20, 11, RUNTIME)}},
    {"a detached task, somebody works", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 1, 1, 1,
     {ALL, ASLEEP(1), THREAD(2, WORKS), THING(10, TASKWAIT, FLAG_WHOEVER),
      THING(11, EVENT, FLAG_WHOEVER), TASK(20, DETACHED, 0), WAITS(1, 10, RECORDED),
      NEEDS(10, 20, RUNTIME), NEEDS(20, 11, RUNTIME)}},
    {"taskwait in a section that the child wants", VERDICT_LOCK_HOLDER_WAITS,
     CERTAINTY_CERTAIN, CAUSE_HOLDS_ACROSS, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, TASKWAIT, 0), THING(11, CRITICAL, FLAG_HELD),
      TASK(20, BEGUN, 0), WAITS(1, 10, RECORDED), WAITS(2, 11, RECORDED),
      NEEDS(10, 20, RUNTIME), NEEDS(20, 2, RUNTIME), NEEDS(11, 1, RECORDED)}},
    {"a task waits for its successor", VERDICT_TASK_CYCLE, CERTAINTY_CERTAIN,
     CAUSE_WAITS_FOR_SUCCESSOR, 1, 0, 1,
     {ALL, ASLEEP(1), THREAD(2, WORKS), THING(10, TASKWAIT, 0), TASK(20, BEGUN, 0),
      TASK(21, CREATED, 0), WAITS(1, 10, RECORDED), NEEDS(10, 21, RUNTIME),
      NEEDS(21, 20, RUNTIME), NEEDS(20, 1, RUNTIME)}},
    {"threads that join each other", VERDICT_WAIT_CYCLE, CERTAINTY_CERTAIN, CAUSE_NONE, 2, 0,
     1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, JOIN, FLAG_HELD), THING(11, JOIN, FLAG_HELD),
      WAITS(1, 10, LIBC), WAITS(2, 11, LIBC), NEEDS(10, 2, LIBC), NEEDS(11, 1, LIBC)}},
    {"one works for its turn's part, one waits for its turn, two are done", VERDICT_ABSENT_WORKS,
     CERTAINTY_POSSIBLE, CAUSE_NONE, 2, 1, 1,
     {ALL, TEAM(90, 0), MEMBER(90, 1), MEMBER(90, 2), MEMBER(90, 3), MEMBER(90, 4),
      THREAD(1, WORKS), ASLEEP(2), ASLEEP(3), ASLEEP(4),
      THING_OF(90, 10, ORDERED, FLAG_WHOEVER), THING_OF(90, 11, REGION_END, FLAG_HELD),
      WAITS(2, 10, RECORDED), WAITS(3, 11, RECORDED), WAITS(4, 11, RECORDED),
      NEEDS(10, 1, RUNTIME), NEEDS(10, 3, RUNTIME), NEEDS(10, 4, RUNTIME),
      NEEDS(11, 1, RECORDED), NEEDS(11, 2, RECORDED)}},
    {"an iteration of whom nobody knows which, and one works", VERDICT_ABSENT_WORKS,
     CERTAINTY_POSSIBLE, CAUSE_NONE, 2, 0, 1,
     {ALL, TEAM(90, 0), MEMBER(90, 1), MEMBER(90, 2), MEMBER(90, 3), THREAD(1, WORKS),
      ASLEEP(2), ASLEEP(3), THING_OF(90, 10, ITERATION, FLAG_WHOEVER), WAITS(2, 10, RECORDED),
      WAITS(3, 10, RECORDED), NEEDS(10, 1, RUNTIME)}},
    {"a turn that those who are done were to give", VERDICT_WAIT_CYCLE, CERTAINTY_CERTAIN,
     CAUSE_NONE, 2, 0, 1,
     {ALL, TEAM(90, 0), MEMBER(90, 1), MEMBER(90, 2), ASLEEP(1), ASLEEP(2),
      THING_OF(90, 10, ORDERED, FLAG_WHOEVER), THING_OF(90, 11, REGION_END, FLAG_HELD),
      WAITS(1, 10, RECORDED), WAITS(2, 11, RECORDED), NEEDS(10, 2, RUNTIME),
      NEEDS(11, 1, RECORDED)}},
    {"a member that nobody waits for, of another team", VERDICT_BARRIER_MISMATCH,
     CERTAINTY_CERTAIN, CAUSE_FEWER_BARRIERS, 2, 0, 1,
     {ALL, TEAM(90, 0), MEMBER(90, 1), MEMBER(90, 2), TEAM(91, 0), MEMBER(91, 1),
      MEMBER(91, 3), ASLEEP(1), ASLEEP(2), THREAD(3, WORKS),
      THING_OF(90, 10, BARRIER, FLAG_HELD), THING_OF(90, 11, REGION_END, FLAG_HELD),
      WAITS(1, 10, RUNTIME), WAITS(2, 11, RUNTIME), NEEDS(10, 2, RUNTIME),
      NEEDS(11, 1, RUNTIME)}},
    {"the only member in a child of fork works", VERDICT_FORK, CERTAINTY_LIKELY,
     CAUSE_NO_WORKERS, 0, 0, 1,
     {ALL, TEAM(90, FLAG_ALONE), MEMBER(90, 1), MEMBER(90, 2), THREAD(1, WORKS),
      THREAD(2, ABSENT), THING_OF(90, 10, REGION_END, 0), NEEDS(10, 1, STACKS),
      NEEDS(10, 2, RUNTIME)}},
    {"of several members one has ended", VERDICT_MEMBER_ENDED, CERTAINTY_CERTAIN,
     CAUSE_MEMBER_ENDED, 1, 0, 1,
     {ALL, TEAM(90, 0), MEMBER(90, 1), MEMBER(90, 2), ASLEEP(1), THREAD(2, ENDED),
      THING_OF(90, 10, REGION_END, FLAG_HELD), WAITS(1, 10, KERNEL), NEEDS(10, 2, KERNEL)}},
    {"a lock that a handler may release", VERDICT_LOCK_ORPHAN, CERTAINTY_POSSIBLE,
     CAUSE_HANDLER, 2, 0, 1,
     {HANDLED, ASLEEP(1), ASLEEP(2), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      WAITS(1, 10, KERNEL), WAITS(2, 10, KERNEL)}},
    {"two that it may, in its owner", VERDICT_LOCK_CYCLE_2, CERTAINTY_POSSIBLE, CAUSE_TWO_ORDERS,
     2, 0, 1,
     {HANDLED, ASLEEP(1), ASLEEP(2), THING(10, LOCK, FLAG_HELD), THING(11, MUTEX, FLAG_HELD),
      WAITS(1, 11, RECORDED), WAITS(2, 10, RECORDED), NEEDS(10, 1, RECORDED),
      NEEDS(11, 2, RECORDED)}},
    {"a section that it may not leave", VERDICT_SECTION_SELF, CERTAINTY_CERTAIN,
     CAUSE_ENTERED_AGAIN, 1, 0, 1,
     {HANDLED, ASLEEP(1), THING(10, CRITICAL, FLAG_HELD), WAITS(1, 10, RECORDED),
      NEEDS(10, 1, RECORDED)}},
    {"an owner in which none runs any more", VERDICT_LOCK_ENDED, CERTAINTY_CERTAIN,
     CAUSE_OWNER_ENDED, 1, 0, 1,
     {HANDLED, ASLEEP(1), THREAD(3, ENDED), THING(10, MUTEX, FLAG_HELD), WAITS(1, 10, KERNEL),
      NEEDS(10, 3, LIBC)}},
    {"an event that it may fulfil", VERDICT_TASK_DETACHED, CERTAINTY_POSSIBLE, CAUSE_NO_FULFIL, 1,
     0, 1,
     {HANDLED, ASLEEP(1), THING(10, TASKWAIT, FLAG_WHOEVER),
      THING(11, EVENT, FLAG_WHOEVER | FLAG_HELD), TASK(20, DETACHED, 0), WAITS(1, 10, RECORDED),
      NEEDS(10, 20, RUNTIME), NEEDS(20, 11, RUNTIME)}},
    {"a semaphore that it may post", VERDICT_ABSENT_ASLEEP, CERTAINTY_POSSIBLE, CAUSE_NONE, 1,
     0, 1,
     {HANDLED, ASLEEP(1), ASLEEP(2), THING(10, BARRIER, FLAG_HELD),
      THING(11, SEMAPHORE, FLAG_WHOEVER | FLAG_HELD), WAITS(1, 10, RECORDED),
      WAITS(2, 11, LIBC), NEEDS(10, 2, RECORDED)}},
    {"one that nobody handles signals to post", VERDICT_WAIT_ORPHAN, CERTAINTY_CERTAIN,
     CAUSE_NONE, 1, 1, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, BARRIER, FLAG_HELD),
      THING(11, SEMAPHORE, FLAG_WHOEVER | FLAG_HELD), WAITS(1, 10, RECORDED),
      WAITS(2, 11, LIBC), NEEDS(10, 2, RECORDED)}},
    {"a crash comes first", VERDICT_CRASH_STACK, CERTAINTY_CERTAIN, CAUSE_NONE, 1, 1, 2,
     {ALL, ASLEEP(1), ASLEEP(4), MARKED(2, CRASHED, FLAG_OVERFLOW), THING(10, BARRIER, 0),
      THING(11, LOCK, FLAG_HELD), WAITS(1, 10, RECORDED), NEEDS(10, 2, RECORDED),
      WAITS(4, 11, RECORDED), NEEDS(11, 4, RECORDED)},
     1 << NEXT_STACKSIZE},
    {"the initial thread's stack, which has a limit of its own", VERDICT_CRASH_STACK,
     CERTAINTY_CERTAIN, CAUSE_NONE, 1, 0, 1,
     {ALL, MARKED(1, CRASHED, FLAG_OVERFLOW | FLAG_INITIAL)}, 1 << NEXT_STACK_LIMIT},
    {"a crash, and nobody knows who holds a lock", VERDICT_CRASH_SIGNAL, CERTAINTY_CERTAIN,
     CAUSE_NONE, 1, 1, 1,
     {ALL, ASLEEP(1), MARKED(2, CRASHED, 0), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      WAITS(1, 10, KERNEL)}},
    {"all sleep, nobody knows why", VERDICT_WAIT_ORPHAN, CERTAINTY_CERTAIN, CAUSE_NONE, 1, 0,
     1, {ALL, ASLEEP(1), THING(10, OTHER, FLAG_HELD | FLAG_WHOEVER), WAITS(1, 10, KERNEL)}},
    {"iterations that wait for one another", VERDICT_DOACROSS, CERTAINTY_LIKELY,
     CAUSE_NOT_POSTED, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, WORKS), THING(10, ITERATION, FLAG_HELD),
      THING(11, ITERATION, FLAG_HELD), WAITS(1, 10, RECORDED), WAITS(2, 11, RECORDED),
      NEEDS(10, 2, RUNTIME), NEEDS(11, 1, RUNTIME)}},
    {"iterations, and who posts them is at the loop's end", VERDICT_DOACROSS,
     CERTAINTY_LIKELY, CAUSE_NOT_POSTED, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THING(10, ITERATION, FLAG_HELD),
      THING(11, BARRIER, FLAG_HELD), WAITS(1, 10, RECORDED), WAITS(2, 11, RECORDED),
      NEEDS(10, 2, RUNTIME), NEEDS(11, 1, RECORDED)}},
    {"iterations of whom nobody knows which", VERDICT_DOACROSS, CERTAINTY_POSSIBLE,
     CAUSE_NOT_POSTED, 2, 0, 1,
     {ALL, THREAD(1, WAITS), THREAD(2, WAITS), THING(10, ITERATION, FLAG_WHOEVER),
      SEEMS(1, 10, STACKS), SEEMS(2, 10, STACKS)},
     1 << NEXT_BT | 1 << NEXT_WATCH},
    {"all seem to sleep, nobody knows why", VERDICT_WAIT_ORPHAN, CERTAINTY_POSSIBLE, CAUSE_NONE,
     1, 0, 1,
     {ALL, THREAD(1, WAITS), THING(10, OTHER, FLAG_WHOEVER), SEEMS(1, 10, STACKS)},
     1 << NEXT_BT | 1 << NEXT_WATCH},
    {"a while later, too", VERDICT_WAIT_ORPHAN, CERTAINTY_POSSIBLE, CAUSE_NONE, 1, 0, 1,
     {ALL, MARKED(1, WAITS, FLAG_SAME_PLACE), THING(10, OTHER, FLAG_WHOEVER),
      SEEMS(1, 10, STACKS)},
     1 << NEXT_BT},
    {"an iteration that is being executed", VERDICT_ABSENT_WORKS, CERTAINTY_POSSIBLE,
     CAUSE_NONE, 2, 0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, WORKS), THING(10, ITERATION, FLAG_HELD),
      WAITS(1, 10, RECORDED), WAITS(2, 10, RECORDED), NEEDS(10, 3, RUNTIME)}},
    {"a region that is cancelled", VERDICT_CANCELLED, CERTAINTY_POSSIBLE, CAUSE_NO_POINT, 1, 0,
     1,
     {ALL, ASLEEP(1), THREAD(2, WORKS), THREAD(3, WORKS),
      THING(10, REGION_END, FLAG_HELD | FLAG_CANCELLED), WAITS(1, 10, RECORDED),
      NEEDS(10, 2, RECORDED), NEEDS(10, 3, RECORDED)}},
    {"and nobody gets any further", VERDICT_CANCELLED, CERTAINTY_LIKELY, CAUSE_NO_POINT, 1, 0,
     1,
     {ALL, ASLEEP(1), MARKED(2, WORKS, FLAG_SAME_PLACE | FLAG_REPEATS),
      THING(10, REGION_END, FLAG_HELD | FLAG_CANCELLED), WAITS(1, 10, RECORDED),
      NEEDS(10, 2, RECORDED)}},
    {"or may, as far as its values tell", VERDICT_CANCELLED, CERTAINTY_POSSIBLE, CAUSE_NO_POINT,
     1, 0, 1,
     {ALL, ASLEEP(1), MARKED(2, WORKS, FLAG_SAME_PLACE),
      THING(10, REGION_END, FLAG_HELD | FLAG_CANCELLED), WAITS(1, 10, RECORDED),
      NEEDS(10, 2, RECORDED)}},
    {"but one does", VERDICT_SLOW, CERTAINTY_LIKELY, CAUSE_NONE, 1, 0, 1,
     {ALL, ASLEEP(1), MARKED(2, WORKS, FLAG_MOVED),
      THING(10, REGION_END, FLAG_HELD | FLAG_CANCELLED), WAITS(1, 10, RECORDED),
      NEEDS(10, 2, RECORDED)}},
    {"a lock that nobody has initialised", VERDICT_LOCK_ORPHAN, CERTAINTY_CERTAIN,
     CAUSE_UNMADE, 1, 0, 1,
     {ALL, ASLEEP(1), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER | FLAG_UNMADE),
      WAITS(1, 10, RECORDED)}},
    {"a section held at the time of fork", VERDICT_LOCK_ORPHAN, CERTAINTY_CERTAIN,
     CAUSE_LEFT_BEHIND, 1, 0, 1,
     {PROCESS(FLAG_COMPLETE | FLAG_FORKED), ASLEEP(1),
      THING(10, CRITICAL, FLAG_HELD | FLAG_WHOEVER), WAITS(1, 10, KERNEL)}},
    {"and it is known by whom", VERDICT_LOCK_LEFT, CERTAINTY_CERTAIN, CAUSE_LEFT_BEHIND, 1, 0, 1,
     {PROCESS(FLAG_COMPLETE | FLAG_FORKED), ASLEEP(1), THREAD(2, ENDED),
      THING(10, CRITICAL, FLAG_HELD), WAITS(1, 10, RECORDED), NEEDS(10, 2, RECORDED)}},
    {"a section that has not begun", VERDICT_SHARE_STARVED, CERTAINTY_POSSIBLE, CAUSE_TOO_FEW,
     2, 0, 1,
     {ALL, THREAD(1, ASLEEP), THREAD(2, ASLEEP), THING(10, SHARE, 0), NEEDS(10, 1, RUNTIME),
      NEEDS(10, 2, RUNTIME)}},
    {"nor a while later", VERDICT_SHARE_STARVED, CERTAINTY_LIKELY, CAUSE_TOO_FEW, 2, 0, 1,
     {ALL, MARKED(1, ASLEEP, FLAG_REPEATS), MARKED(2, WORKS, FLAG_REPEATS),
      THING(10, SHARE, 0), NEEDS(10, 1, RUNTIME), NEEDS(10, 2, RUNTIME)}},
    {"nor while two read files", VERDICT_SHARE_STARVED, CERTAINTY_POSSIBLE, CAUSE_TOO_FEW, 2, 0,
     1,
     {ALL, MARKED(1, ASLEEP, FLAG_SAME_PLACE), MARKED(2, ASLEEP, FLAG_SAME_PLACE),
      THING(10, SHARE, 0), NEEDS(10, 1, RUNTIME), NEEDS(10, 2, RUNTIME)}},
    {"nor while two compute", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 2, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_SAME_PLACE), MARKED(2, WORKS, FLAG_SAME_PLACE),
      THING(10, SHARE, 0), NEEDS(10, 1, RUNTIME), NEEDS(10, 2, RUNTIME)}},
    {"one that a thread works before", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 1, 0, 1,
     {ALL, MARKED(1, ASLEEP, FLAG_REPEATS), THREAD(2, WORKS), THING(10, SHARE, 0),
      NEEDS(10, 1, RUNTIME), NEEDS(10, 2, RUNTIME)}},
    {"a task that has not begun", VERDICT_READY_STARVED, CERTAINTY_POSSIBLE, CAUSE_TOO_FEW, 1,
     0, 1,
     {ALL, THREAD(1, ASLEEP), TASK(20, CREATED, 0), NEEDS(20, 1, RUNTIME)}},
    {"a task of too many", VERDICT_READY_STARVED, CERTAINTY_LIKELY, CAUSE_THROTTLED, 1, 0, 1,
     {ALL, MARKED(1, ASLEEP, FLAG_REPEATS), TASK(20, CREATED, FLAG_THROTTLED),
      NEEDS(20, 1, RUNTIME)}},
    {"a team that lacks threads, rather than a section", VERDICT_TEAM_SMALLER,
     CERTAINTY_POSSIBLE, CAUSE_LACKS, 1, 0, 2,
     {ALL, THREAD(1, ASLEEP), THING(10, SHARE, 0), THING(11, TEAM, 0), NEEDS(10, 1, RUNTIME),
      NEEDS(11, 1, RECORDED)}},
    {"contradictions make nothing stuck", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 1, 1, 1,
     {ALL, THREAD(1, WORKS), ASLEEP(2), THING(10, LOCK, FLAG_HELD), WAITS(1, 10, RECORDED),
      NEEDS(10, 1, RECORDED), WAITS(2, 17, RECORDED), NEEDS(18, 2, RECORDED)}},
    {"two that work", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 2, 0, 1,
     {ALL, THREAD(1, WORKS), THREAD(2, WORKS), THREAD(3, IDLE)}, 1 << NEXT_WATCH},
    {"one that sleeps in the kernel", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 0, 0, 1,
     {ALL, THREAD(1, ASLEEP), THREAD(2, IDLE)}, 1 << NEXT_WATCH},
    {"loops that nobody waits for", VERDICT_SPINS, CERTAINTY_LIKELY, CAUSE_NONE, 2, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_REPEATS), MARKED(2, WORKS, FLAG_REPEATS)}, 1 << NEXT_BT},
    {"a loop while another thread computes", VERDICT_SPINS, CERTAINTY_POSSIBLE, CAUSE_NONE, 1, 0,
     1, {ALL, MARKED(1, WORKS, FLAG_REPEATS), MARKED(2, WORKS, FLAG_SAME_PLACE)}},
    {"a lock that its holder waits for those with who test it", VERDICT_LOCK_POLLED,
     CERTAINTY_POSSIBLE, CAUSE_HOLDS_ACROSS, 2, 1, 1,
     {ALL, ASLEEP(1), THREAD(2, WORKS), THREAD(3, ASLEEP), THING(10, LOCK, FLAG_HELD),
      THING(11, BARRIER, FLAG_HELD), WAITS(1, 11, RECORDED), NEEDS(10, 1, RECORDED),
      NEEDS(11, 2, RECORDED), NEEDS(11, 3, RECORDED), TESTS(2, 10, RECORDED),
      TESTS(3, 10, RECORDED), ASLEEP(4), WAITS(4, 11, RECORDED)},
     1 << NEXT_BT | 1 << NEXT_WATCH},
    {"and who test it went on to", VERDICT_LOCK_POLLED, CERTAINTY_LIKELY, CAUSE_HOLDS_ACROSS, 2,
     0, 1,
     {ALL, ASLEEP(1), MARKED(2, WORKS, FLAG_REPEATS), MARKED(3, ASLEEP, FLAG_REPEATS),
      THING(10, LOCK, FLAG_HELD), THING(11, BARRIER, FLAG_HELD), WAITS(1, 11, RECORDED),
      NEEDS(10, 1, RECORDED), NEEDS(11, 2, RECORDED), NEEDS(11, 3, RECORDED),
      TESTS_ON(2, 10, RECORDED), TESTS_ON(3, 10, RECORDED)},
     1 << NEXT_BT},
    {"one of those who test it did not", VERDICT_LOCK_POLLED, CERTAINTY_POSSIBLE,
     CAUSE_HOLDS_ACROSS, 2, 0, 1,
     {ALL, ASLEEP(1), MARKED(2, WORKS, FLAG_REPEATS), MARKED(3, WORKS, FLAG_MOVED),
      TEAM(90, 0), MEMBER(90, 1), MEMBER(90, 2), MEMBER(90, 3), THING(10, LOCK, FLAG_HELD),
      THING_OF(90, 11, BARRIER, FLAG_HELD), WAITS(1, 11, RECORDED), NEEDS(10, 1, RECORDED),
      NEEDS(11, 2, RECORDED), NEEDS(11, 3, RECORDED), TESTS_ON(2, 10, RECORDED),
      TESTS(3, 10, RECORDED)}},
    {"a holder that works", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 2, 0, 1,
     {ALL, THREAD(1, WORKS), THREAD(2, WORKS), THING(10, LOCK, FLAG_HELD),
      NEEDS(10, 1, RECORDED), TESTS(2, 10, RECORDED)}},
    {"and another one repeats itself to test its lock", VERDICT_SPINS, CERTAINTY_POSSIBLE,
     CAUSE_NONE, 1, 0, 1,
     {ALL, THREAD(1, WORKS), MARKED(2, WORKS, FLAG_REPEATS), THING(10, LOCK, FLAG_HELD),
      NEEDS(10, 1, RECORDED), TESTS_ON(2, 10, RECORDED)}},
    {"a holder that waits for one that works", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 2, 1,
     1,
     {ALL, ASLEEP(1), THREAD(2, WORKS), THREAD(3, WORKS), THING(10, LOCK, FLAG_HELD),
      THING(11, BARRIER, FLAG_HELD), WAITS(1, 11, RECORDED), NEEDS(10, 1, RECORDED),
      NEEDS(11, 3, RECORDED), TESTS_ON(2, 10, RECORDED)}},
    {"a lock that is free", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 1, 0, 1,
     {ALL, THREAD(2, WORKS), THING(10, LOCK, 0), TESTS_ON(2, 10, RECORDED)}},
    {"a lock of one's own", VERDICT_LOCK_POLLED, CERTAINTY_LIKELY, CAUSE_ACQUIRED_AGAIN, 1, 0, 1,
     {ALL, MARKED(2, WORKS, FLAG_REPEATS), THREAD(3, WORKS),
      THING(10, LOCK, FLAG_HELD), NEEDS(10, 2, RECORDED), TESTS_ON(2, 10, RECORDED)}},
    {"two locks, each tested by the other's holder", VERDICT_LOCKS_POLLED, CERTAINTY_LIKELY,
     CAUSE_TWO_ORDERS, 2, 1, 1,
     {ALL, THREAD(1, WORKS), THREAD(2, WORKS), ASLEEP(3), THING(10, LOCK, FLAG_HELD),
      THING(11, NEST_LOCK, FLAG_HELD), NEEDS(10, 1, RECORDED), NEEDS(11, 2, RECORDED),
      TESTS_ON(1, 11, RECORDED), TESTS_ON(2, 10, RECORDED), THING(12, REGION_END, FLAG_HELD),
      WAITS(3, 12, RECORDED), NEEDS(12, 1, RECORDED), NEEDS(12, 2, RECORDED)}},
    {"one tests what one holds that waits for its lock, by their stacks", VERDICT_LOCK_POLLED,
     CERTAINTY_LIKELY, CAUSE_TWO_ORDERS, 1, 0, 1,
     {ALL, THREAD(1, WORKS), ASLEEP(2), THING(10, LOCK, FLAG_HELD),
      THING(11, LOCK, FLAG_HELD), NEEDS(10, 1, STACKS), NEEDS(11, 2, STACKS),
      TESTS_ON(1, 11, STACKS), WAITS(2, 10, KERNEL)}},
    {"a lock of whom nobody knows, tested by all", VERDICT_LOCK_POLLED, CERTAINTY_LIKELY,
     CAUSE_NOT_RELEASED, 2, 0, 1,
     {ALL, THREAD(1, WORKS), THREAD(2, ASLEEP), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      TESTS_ON(1, 10, STACKS), TESTS_ON(2, 10, STACKS)}},
    {"two of them", VERDICT_LOCKS_POLLED, CERTAINTY_POSSIBLE, CAUSE_ORDERS_OR_NOT_RELEASED, 2, 0,
     1,
     {ALL, THREAD(1, WORKS), THREAD(2, WORKS), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      THING(11, LOCK, FLAG_HELD | FLAG_WHOEVER), TESTS(1, 10, STACKS), TESTS_ON(2, 11, STACKS)}},
    {"and one computes", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE, 2, 0, 1,
     {ALL, THREAD(1, WORKS), THREAD(2, ASLEEP), THREAD(3, WORKS),
      THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER), TESTS_ON(1, 10, STACKS),
      TESTS_ON(2, 10, STACKS)}},
    {"and there may be more threads", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 1, 0, 1,
     {PROCESS(0), THREAD(1, WORKS), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      TESTS_ON(1, 10, RECORDED)}},
    {"and a handler may release it", VERDICT_LOCK_POLLED, CERTAINTY_POSSIBLE, CAUSE_NOT_RELEASED,
     1, 0, 1,
     {HANDLED, THREAD(1, WORKS), THING(10, LOCK, FLAG_HELD | FLAG_WHOEVER),
      TESTS_ON(1, 10, RECORDED)}},
    {"a lock of one that has ended is tested", VERDICT_LOCK_POLLED, CERTAINTY_LIKELY,
     CAUSE_OWNER_ENDED, 1, 0, 1,
     {ALL, THREAD(1, WORKS), THREAD(2, ENDED), THREAD(3, WORKS), THING(10, LOCK, FLAG_HELD),
      NEEDS(10, 2, RECORDED), TESTS_ON(1, 10, RECORDED)}},
    {"a lock of a cycle is tested", VERDICT_LOCK_CYCLE_2, CERTAINTY_CERTAIN, CAUSE_TWO_ORDERS, 2,
     0, 1,
     {ALL, ASLEEP(1), ASLEEP(2), THREAD(3, WORKS), THING(10, LOCK, FLAG_HELD),
      THING(11, LOCK, FLAG_HELD), WAITS(1, 11, RECORDED), WAITS(2, 10, RECORDED),
      NEEDS(10, 1, RECORDED), NEEDS(11, 2, RECORDED), TESTS_ON(3, 10, RECORDED)}},
    {"who tests a barrier, or waits, polls nothing", VERDICT_WAITING, CERTAINTY_NONE, CAUSE_NONE,
     1, 1, 1,
     {ALL, THREAD(1, WORKS), ASLEEP(2), THING(10, BARRIER, FLAG_HELD),
      THING(11, LOCK, FLAG_HELD), NEEDS(11, 1, RECORDED), TESTS_ON(1, 10, RECORDED),
      WAITS(2, 11, RECORDED), TESTS_ON(2, 11, RECORDED), TESTS_ON(1, 17, RECORDED)}},
    {"a task that spins, and its successor", VERDICT_TASK_SPIN, CERTAINTY_LIKELY,
     CAUSE_WAITS_FOR_SUCCESSOR, 1, 1, 1,
     {ALL, MARKED(1, WORKS, FLAG_REPEATS), ASLEEP(2), THING(10, TASKWAIT, 0),
      TASK(20, BEGUN, 0), TASK(21, CREATED, 0), WAITS(2, 10, RECORDED), NEEDS(10, 20, RUNTIME),
      NEEDS(10, 21, RUNTIME), NEEDS(21, 20, RUNTIME), NEEDS(20, 1, RUNTIME)},
     1 << NEXT_BT | 1 << NEXT_TASKS},
    {"the same by one look at its code", VERDICT_TASK_SPIN, CERTAINTY_POSSIBLE,
     CAUSE_WAITS_FOR_SUCCESSOR, 1, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_LOOPS), TASK(20, BEGUN, 0), TASK(21, CREATED, 0),
      TASK(22, CREATED, 0), NEEDS(21, 20, RUNTIME), NEEDS(22, 20, RUNTIME),
      NEEDS(20, 1, RUNTIME)},
     1 << NEXT_BT | 1 << NEXT_TASKS | 1 << NEXT_WATCH},
    {"a task that spins while another thread computes", VERDICT_TASK_SPIN, CERTAINTY_POSSIBLE,
     CAUSE_WAITS_FOR_SUCCESSOR, 1, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_REPEATS), MARKED(2, WORKS, FLAG_SAME_PLACE),
      TASK(20, BEGUN, 0), TASK(21, CREATED, 0), NEEDS(21, 20, RUNTIME),
      NEEDS(20, 1, RUNTIME)}},
    {"and by its code alone", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 2, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_LOOPS), THREAD(2, WORKS), TASK(20, BEGUN, 0),
      TASK(21, CREATED, 0), NEEDS(21, 20, RUNTIME), NEEDS(20, 1, RUNTIME)}},
    {"a task that spins, and one that is free to begin", VERDICT_TASK_SPIN, CERTAINTY_POSSIBLE,
     CAUSE_WAITS_FOR_SUCCESSOR, 1, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_REPEATS), TASK(20, BEGUN, 0), TASK(21, CREATED, 0),
      TASK(22, CREATED, FLAG_WHOEVER), NEEDS(21, 20, RUNTIME), NEEDS(20, 1, RUNTIME)}},
    {"a task that spins while one sleeps outside", VERDICT_TASK_SPIN, CERTAINTY_POSSIBLE,
     CAUSE_WAITS_FOR_SUCCESSOR, 1, 0, 1,
     {ALL, MARKED(1, WORKS, FLAG_REPEATS), THREAD(2, ASLEEP), TASK(20, BEGUN, 0),
      TASK(21, CREATED, 0), NEEDS(21, 20, RUNTIME), NEEDS(20, 1, RUNTIME)}},
    {"a task that spins and has no successor", VERDICT_SPINS, CERTAINTY_LIKELY, CAUSE_NONE, 1, 0,
     1,
     {ALL, MARKED(1, WORKS, FLAG_REPEATS), TASK(20, BEGUN, 0), TASK(21, CREATED, 0),
      NEEDS(21, 22, RUNTIME)}},
    {"a task that computes for its successor", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 1, 0,
     1,
     {ALL, MARKED(1, WORKS, FLAG_MOVED), TASK(20, BEGUN, 0), TASK(21, CREATED, 0),
      NEEDS(21, 20, RUNTIME), NEEDS(20, 1, RUNTIME)}},
    {"no evidence", VERDICT_NOTHING, CERTAINTY_NONE, CAUSE_NONE, 0, 0, 1, {PROCESS(0)}},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static unsigned pieces_of(const struct scene *scene)
{
    unsigned count = 0;
    while (count < PIECES_MAX && scene->evidence[count].kind)
        count++;
    return count;
}

struct answer {
    ompd_ext_verdict_t *verdicts;
    ompd_ext_link_t *links;
    ompd_size_t verdict_count, link_count;
};

static ompd_rc_t judge(const ompd_ext_evidence_t *evidence, ompd_size_t count,
                       struct answer *out)
{
    return ompd_ext_get_verdicts(evidence, sizeof *evidence, count, sizeof *out->verdicts,
                                 &out->verdicts, &out->verdict_count, &out->links,
                                 &out->link_count);
}

static void answer_free(struct answer *answer)
{
    fake_cb_free(answer->verdicts);
    if (answer->links)
        fake_cb_free(answer->links);
}

static void begin(void)
{
    assert_ok(ompd_initialize(202111, &fake_debugger));
}

static void end(void)
{
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    assert_ok(ompd_finalize());
}

EACH(verdict_of_scene, SCENES)
{
    const struct scene *scene = &scenes[_i];
    struct answer answer;
    begin();
    assert_ok(judge(scene->evidence, pieces_of(scene), &answer));
    const ompd_ext_verdict_t *first = answer.verdicts;
    ck_assert_msg(first->verdict == scene->verdict && first->certainty == scene->certainty &&
                      first->cause == scene->cause && first->threads == scene->threads &&
                      first->others == scene->others &&
                      answer.verdict_count == scene->verdicts,
                  "%s: verdict %u [%u], cause %u, %u threads, %u others; %u in all",
                  scene->name, first->verdict, first->certainty, first->cause,
                  first->threads, first->others, (unsigned)answer.verdict_count);
    ck_assert_msg(!scene->next || first->next == scene->next, "%s: next %x", scene->name,
                  first->next);
    for (ompd_size_t i = 0; i < answer.link_count; i++)
        ck_assert_uint_lt(answer.links[i].evidence, pieces_of(scene));
    answer_free(&answer);
    end();
}

/* Whose members may end it without being its owner. */
static bool has_team(const struct scene *scene, const ompd_ext_evidence_t *thing)
{
    for (unsigned i = 0; i < pieces_of(scene); i++)
        if (scene->evidence[i].flags & FLAG_SUSPENDED && scene->evidence[i].id == thing->id)
            return true;
    return thing->what >= THING_BARRIER && thing->what <= THING_ORDERED;
}

/* A scene in which all that waits, or never proceeds, are one team, with its things. */
static unsigned as_team(const struct scene *scene, ompd_ext_evidence_t *out)
{
    unsigned pieces = pieces_of(scene), count = pieces;
    out[count++] = (ompd_ext_evidence_t)TEAM(99, 0);
    for (unsigned i = 0; i < pieces; i++) {
        out[i] = scene->evidence[i];
        if (out[i].kind == EVIDENCE_THING && has_team(scene, &out[i]))
            out[i].other = 99;
        if (out[i].kind == EVIDENCE_THREAD && out[i].what != DOING_WORKS)
            out[count++] = (ompd_ext_evidence_t)MEMBER(99, out[i].id);
    }
    return count;
}

/* What only an owner may end: verdicts.def. */
static bool is_of_owners(uint32_t verdict)
{
    return verdict == VERDICT_LOCK_SELF || verdict == VERDICT_SECTION_SELF ||
           verdict == VERDICT_LOCK_CYCLE || verdict == VERDICT_LOCK_CYCLE_2 ||
           verdict == VERDICT_LOCK_ENDED || verdict == VERDICT_LOCK_LEFT;
}

/* What is certain of a whole team is not once another member may do something. */
EACH(one_more_member, SCENES)
{
    static const enum why_doing doings[] = {DOING_WORKS, DOING_ASLEEP, DOING_MPI, DOING_UNKNOWN,
                                            DOING_IDLE};
    const struct scene *scene = &scenes[_i];
    ompd_ext_evidence_t evidence[PIECES_MAX + MORE];
    struct answer answer;
    if (scene->certainty != CERTAINTY_CERTAIN || scene->verdict <= VERDICT_CRASH_SIGNAL)
        return;
    begin();
    unsigned count = as_team(scene, evidence);
    assert_ok(judge(evidence, count, &answer));
    ck_assert_msg(answer.verdicts->verdict == scene->verdict &&
                      answer.verdicts->certainty == CERTAINTY_CERTAIN,
                  "%s: verdict %u [%u]", scene->name, answer.verdicts->verdict,
                  answer.verdicts->certainty);
    answer_free(&answer);
    for (unsigned i = 0; i < sizeof doings / sizeof *doings; i++) {
        evidence[count] = (ompd_ext_evidence_t)THREAD(98, WORKS);
        evidence[count].what = doings[i];
        evidence[count + 1] = (ompd_ext_evidence_t)MEMBER(99, 98);
        assert_ok(judge(evidence, count + 2, &answer));
        bool stays = is_of_owners(scene->verdict);
        for (ompd_size_t n = 0; n < answer.verdict_count; n++)
            ck_assert_msg(answer.verdicts[n].certainty <= CERTAINTY_POSSIBLE ||
                              (stays && answer.verdicts[n].verdict == scene->verdict),
                          "%s, and one does %u: verdict %u [%u]", scene->name, doings[i],
                          answer.verdicts[n].verdict, answer.verdicts[n].certainty);
        ck_assert_uint_eq(stays, answer.verdicts->certainty == CERTAINTY_CERTAIN);
        answer_free(&answer);
    }
    end();
}

/* The same verdicts, and links to the same evidence in the same order. */
EACH(any_order, SCENES)
{
    const struct scene *scene = &scenes[_i];
    unsigned count = pieces_of(scene);
    struct answer first, then;
    begin();
    assert_ok(judge(scene->evidence, count, &first));
    srand(_i + 1);
    for (unsigned n = 0; n < ORDERS; n++) {
        ompd_ext_evidence_t mixed[PIECES_MAX];
        unsigned from[PIECES_MAX];
        for (unsigned i = 0; i < count; i++) {
            unsigned at = rand() % (i + 1);
            from[i] = from[at];
            from[at] = i;
        }
        for (unsigned i = 0; i < count; i++)
            mixed[i] = scene->evidence[from[i]];
        assert_ok(judge(mixed, count, &then));
        ck_assert_uint_eq(first.verdict_count, then.verdict_count);
        ck_assert_uint_eq(first.link_count, then.link_count);
        ck_assert_int_eq(memcmp(first.verdicts, then.verdicts,
                                first.verdict_count * sizeof *first.verdicts),
                         0);
        for (ompd_size_t i = 0; i < first.link_count; i++) {
            ck_assert_uint_eq(first.links[i].role, then.links[i].role);
            ck_assert_uint_eq(first.links[i].evidence, from[then.links[i].evidence]);
        }
        answer_free(&then);
    }
    answer_free(&first);
    end();
}

EACH(failing, SCENES)
{
    const struct scene *scene = &scenes[_i];
    begin();
    for (unsigned n = 1;; n++) {
        struct answer answer = {NULL, NULL, 7, 7};
        fake_fail_at(n);
        ompd_rc_t rc = judge(scene->evidence, pieces_of(scene), &answer);
        bool failed = fake_failed() != FAKE_NONE;
        fake_fail_at(0);
        if (!failed) {
            ck_assert_int_eq(rc, ompd_rc_ok);
            answer_free(&answer);
            break;
        }
        ck_assert_int_eq(rc, ompd_rc_nomem);
        ck_assert(!answer.verdicts && !answer.links && answer.verdict_count == 7);
        ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    }
    end();
}

TEST(bad_input)
{
    struct answer a = {NULL, NULL, 7, 7};
    ompd_ext_evidence_t one = THREAD(1, WORKS);
    size_t size = sizeof one;
    assert_rc(judge(&one, 1, &a), ompd_rc_callback_error); /* before ompd_initialize */
    begin();
#define CALL(evidence, evidence_size, count, verdict_size)                               \
    ompd_ext_get_verdicts(evidence, evidence_size, count, verdict_size, &a.verdicts,     \
                          &a.verdict_count, &a.links, &a.link_count)
    assert_rc(CALL(NULL, size, 1, sizeof *a.verdicts), ompd_rc_bad_input);
    assert_rc(CALL(&one, size - 8, 1, sizeof *a.verdicts), ompd_rc_bad_input);
    assert_rc(CALL(&one, size, 1, sizeof *a.verdicts - 8), ompd_rc_bad_input);
    assert_rc(CALL(&one, size, (1 << 22) + 1, sizeof *a.verdicts), ompd_rc_bad_input);
    assert_rc(ompd_ext_get_verdicts(&one, size, 1, sizeof *a.verdicts, NULL,
                                    &a.verdict_count, &a.links, &a.link_count),
              ompd_rc_bad_input);
    for (unsigned field = 0; field < 4; field++) {
        ompd_ext_evidence_t bad = one;
        *(field == 0   ? &bad.kind
          : field == 1 ? &bad.witness
                       : &bad.what) = field == 3 ? 0 : 99;
        assert_rc(CALL(&bad, size, 1, sizeof *a.verdicts), ompd_rc_bad_input);
    }
    one.id = 0;
    assert_rc(CALL(&one, size, 1, sizeof *a.verdicts), ompd_rc_bad_input);
    ck_assert(!a.verdicts && a.verdict_count == 7);
    end();
}

/* A debugger of a later version: what it knows beyond is passed over, and left 0. */
TEST(wider)
{
    struct {
        ompd_ext_evidence_t one;
        uint64_t more;
    } evidence[] = {{ASLEEP(1), 9},
                    {THING(10, LOCK, FLAG_HELD), 9},
                    {WAITS(1, 10, RECORDED), 9},
                    {NEEDS(10, 1, RECORDED), 9}};
    struct {
        ompd_ext_verdict_t one;
        uint64_t more;
    } *verdicts;
    ompd_ext_link_t *links;
    ompd_size_t count, link_count;
    begin();
    assert_ok(ompd_ext_get_verdicts(&evidence[0].one, sizeof *evidence, 4, sizeof *verdicts,
                                    (ompd_ext_verdict_t **)&verdicts, &count, &links,
                                    &link_count));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(verdicts->one.verdict, VERDICT_LOCK_SELF);
    ck_assert_uint_eq(verdicts->more, 0);
    fake_cb_free(verdicts);
    fake_cb_free(links);
    end();
}

static ompd_ext_evidence_t *many(size_t count)
{
    ompd_ext_evidence_t *evidence = calloc(count, sizeof *evidence);
    ck_assert_ptr_nonnull(evidence);
    return evidence;
}

static double judge_timed(const ompd_ext_evidence_t *evidence, size_t count,
                          struct answer *answer)
{
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_ok(judge(evidence, count, answer));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
}

/* A chain of tasks, of which the first waits for a lock that the thread holds which waits
 * for the last. */
TEST(many_tasks)
{
    ompd_ext_evidence_t *evidence = many(2 * TASKS + 12);
    size_t count = 0;
#define ADD(...) evidence[count++] = (ompd_ext_evidence_t)__VA_ARGS__
    ADD(ALL);
    ADD(ASLEEP(1));
    ADD(ASLEEP(2));
    ADD(THING(10, TASKWAIT, 0));
    ADD(THING(11, LOCK, FLAG_HELD));
    ADD(WAITS(1, 10, RECORDED));
    ADD(WAITS(2, 11, RECORDED));
    ADD(NEEDS(11, 1, RECORDED));
    for (uint64_t i = 0; i < TASKS; i++) {
        ADD(TASK(20 + i, CREATED, 0));
        if (i)
            ADD(NEEDS(20 + i, 19 + i, RUNTIME));
    }
    ADD(NEEDS(20, 2, RUNTIME));
    ADD(NEEDS(10, 20 + TASKS - 1, RUNTIME));
    struct answer answer;
    begin();
    double seconds = judge_timed(evidence, count, &answer);
    ck_assert_uint_eq(answer.verdicts->verdict, VERDICT_LOCK_HOLDER_WAITS);
    ck_assert_msg(seconds < 1, "%g s", seconds);
    answer_free(&answer);
    free(evidence);
    end();
}

/* Two barriers that each need all threads at the other one. */
TEST(many_threads)
{
    ompd_ext_evidence_t *evidence = many(THREADS * THREADS + 2 * THREADS + 8);
    size_t count = 0;
    ADD(ALL);
    ADD(THING(1000, BARRIER, FLAG_HELD));
    ADD(THING(1001, REGION_END, FLAG_HELD));
    for (uint64_t i = 1; i <= THREADS; i++) {
        ADD(ASLEEP(i));
        ADD(WAITS(i, 1000 + i % 2, RECORDED));
        ADD(NEEDS(1001 - i % 2, i, RECORDED));
    }
    struct answer answer;
    begin();
    double seconds = judge_timed(evidence, count, &answer);
    ck_assert_uint_eq(answer.verdicts->verdict, VERDICT_BARRIER_MISMATCH);
    ck_assert_uint_eq(answer.verdicts->threads, THREADS);
    ck_assert_msg(seconds < 0.2, "%g s", seconds);
    answer_free(&answer);
    free(evidence);
    end();
}
