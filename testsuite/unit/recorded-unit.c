/* SPDX-License-Identifier: MIT
 *
 * The program of both.h as one, and its threads.
 */
#include <stddef.h>

#include "recorded-unit.h"

struct fake *fake;

void begin_one(void)
{
    both_begin_as_one();
    fake = both.hooks->fake;
    gf = both.gomp;
}

void end_one(void)
{
    space_destroy(space);
    both_end();
}

struct surveyed_thread *find(const struct array *threads, unsigned gomp)
{
    struct surveyed_thread *all = threads->elements, *found = NULL;
    for (size_t i = 0; i < threads->count; i++) {
        if (all[i].facts.lwp.known == KNOWN && all[i].facts.lwp.value == GF_TID_FIRST + gomp) {
            ck_assert_msg(!found, "thread %u is there twice", gomp);
            found = &all[i];
        }
    }
    ck_assert_msg(found != NULL, "thread %u is missing", gomp);
    return found;
}

struct array all_threads(enum rc expected)
{
    struct array threads = {0};
    ck_assert_int_eq(survey_threads(the_instance(), &threads), expected);
    return threads;
}

/* But for padding. */
static void assert_same(const struct thread_facts *a, const struct thread_facts *b)
{
    const struct fact *left = &a->state, *right = &b->state;
    for (size_t i = 0; i < offsetof(struct thread_facts, region) / sizeof *left; i++)
        ck_assert_msg(left[i].known == right[i].known && left[i].value == right[i].value,
                      "fact %zu of %d: %d %ju, among all %d %ju", i, (int)a->lwp.value,
                      left[i].known, (uintmax_t)left[i].value, right[i].known,
                      (uintmax_t)right[i].value);
    ck_assert_uint_eq(a->region.ref.id, b->region.ref.id);
    ck_assert_uint_eq(a->task.ref.id, b->task.ref.id);
}

struct thread_facts facts_of(unsigned gomp)
{
    struct array threads = all_threads(RC_OK);
    struct surveyed_thread among = *find(&threads, gomp);
    struct thread_facts alone;
    ck_assert_int_eq(ASK(thread, among.ref, &alone), RC_OK);
    assert_same(&alone, &among.facts);
    array_free(&threads);
    return alone;
}

void put_barrier(unsigned thread, unsigned entered, unsigned bits, unsigned state)
{
    uint64_t record = both.hooks->thread[thread];
    fake_put(fake, record, FIELD_thread_barrier, entered << BARRIER_SHIFT | bits);
    fake_put(fake, record, FIELD_thread_status, (uint64_t)OUTER_ID << 8 | state);
}

void begin_flat(void)
{
    begin_one();
    uint64_t lead = both.hooks->thread[1];
    gf_put(gf, gf_implicit(gf, gf->team, 3), GOMP_gomp_task_taskgroup, 0);
    gf_put(gf, gf->thread[GF_LEADS], GOMP_gomp_thread_team, gf->team);
    gf_put(gf, gf->thread[GF_LEADS], GOMP_gomp_thread_team_id, 1);
    gf_put(gf, gf->thread[GF_LEADS], GOMP_gomp_thread_level, 1);
    gf_put(gf, gf->thread[GF_LEADS], GOMP_gomp_thread_task, gf_implicit(gf, gf->team, 1));
    fake_put(fake, lead, FIELD_thread_region, both.hooks->outer);
    fake_put(fake, lead, FIELD_thread_status, (uint64_t)OUTER_ID << 8 | 0x01);
    fake_put(fake, lead, FIELD_thread_task, both.hooks->task[1]);
    fake_put(fake, lead, FIELD_thread_task_id, IMPLICIT_TASK_ID + 1);
    fake_put(fake, lead, FIELD_thread_thread_num, 1);
    fake_put(fake, lead, FIELD_thread_team_size, 4);
    fake_put(fake, lead, FIELD_thread_level, 1);
    for (unsigned i = 0; i < BOTH_THREADS; i++)
        put_barrier(i, 0, 0, 0x01);
}
