/* SPDX-License-Identifier: MIT
 *
 * Verdicts: evidence that is refused, that of later versions, and how much time much of it takes.
 * What is said of whom is in test5-why-*.c.
 */
#include <time.h>

#include "why-evidence.h"

enum { TASKS = 100000, THREADS = 512 };
enum { MOST_TIMES = 64 }; /* 5 to 15; with a quadratic step, hundreds */

TEST(bad_input)
{
    struct answer a = {NULL, NULL, 7, 7};
    ompd_ext_evidence_t one = THREAD(1, WORKS);
    size_t size = sizeof one;
    assert_rc(judge(&one, 1, &a), ompd_rc_callback_error); /* before ompd_initialize */
    begin();
#define CALL(evidence, evidence_size, count, verdict_size)                                         \
    ompd_ext_get_verdicts(evidence, evidence_size, count, verdict_size, &a.verdicts,               \
                          &a.verdict_count, &a.links, &a.link_count)
    assert_rc(CALL(NULL, size, 1, sizeof *a.verdicts), ompd_rc_bad_input);
    assert_rc(CALL(&one, size - 8, 1, sizeof *a.verdicts), ompd_rc_bad_input);
    assert_rc(CALL(&one, size, 1, sizeof *a.verdicts - 8), ompd_rc_bad_input);
    assert_rc(CALL(&one, size, (1 << 22) + 1, sizeof *a.verdicts), ompd_rc_bad_input);
    assert_rc(ompd_ext_get_verdicts(&one, size, 1, sizeof *a.verdicts, NULL, &a.verdict_count,
                                    &a.links, &a.link_count),
              ompd_rc_bad_input);
    for (unsigned field = 0; field < 4; field++) {
        ompd_ext_evidence_t bad = one;
        *(field == 0 ? &bad.kind : field == 1 ? &bad.witness : &bad.what) = field == 3 ? 0 : 99;
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
    } * verdicts;
    ompd_ext_link_t *links;
    ompd_size_t count, link_count;
    begin();
    assert_ok(ompd_ext_get_verdicts(&evidence[0].one, sizeof *evidence, 4, sizeof *verdicts,
                                    (ompd_ext_verdict_t **)&verdicts, &count, &links, &link_count));
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

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int compare_ids(const void *one, const void *other)
{
    const ompd_ext_evidence_t *a = one, *b = other;
    return (a->id > b->id) - (a->id < b->id);
}

/* How many times as long it takes to judge the evidence as to sort it, which is n log n steps, too.
 * Leaves it sorted. */
static double judge_timed(ompd_ext_evidence_t *evidence, size_t count, struct answer *answer)
{
    double start = processor_time();
    assert_ok(judge(evidence, count, answer));
    double judged = processor_time();
    for (size_t i = 0; i < count; i++)
        evidence[i].id = i * 0x9e3779b97f4a7c15u;
    double from = processor_time();
    qsort(evidence, count, sizeof *evidence, compare_ids);
    return (judged - start) / (processor_time() - from);
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
    double times = judge_timed(evidence, count, &answer);
    ck_assert_uint_eq(answer.verdicts->verdict, VERDICT_LOCK_HOLDER_WAITS);
    ck_assert_msg(times < MOST_TIMES, "%g times", times);
    answer_free(&answer);
    free(evidence);
    end();
}

/* Threads of which each is in a loop without an exit: one verdict is of all. */
TEST(many_loops)
{
    ompd_ext_evidence_t *evidence = many(TASKS + 1);
    size_t count = 0;
    ADD(ALL);
    for (uint64_t i = 1; i <= TASKS; i++)
        ADD(THREAD(i, ENDLESS));
    struct answer answer;
    begin();
    double times = judge_timed(evidence, count, &answer);
    ck_assert_uint_eq(answer.verdict_count, 1);
    ck_assert_uint_eq(answer.verdicts->verdict, VERDICT_SPIN_FOREVER);
    ck_assert_msg(times < MOST_TIMES, "%g times", times);
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
    double times = judge_timed(evidence, count, &answer);
    ck_assert_uint_eq(answer.verdicts->verdict, VERDICT_BARRIER_MISMATCH);
    ck_assert_uint_eq(answer.verdicts->threads, THREADS);
    ck_assert_msg(times < MOST_TIMES, "%g times", times);
    answer_free(&answer);
    free(evidence);
    end();
}
