/* SPDX-License-Identifier: MIT
 *
 * A process with hooks that record nothing and the stock libgomp beneath them: the gomp
 * reader answers. Once the hooks record, both are composed at the next question, and what
 * has a record is named by it.
 */
#include "both.h"
#include "libompd/survey/survey.h"

static struct handle *thread_of(uint64_t lwp)
{
    struct handle *thread;
    ck_assert_int_eq(thread_of_os_id(space, OS_THREAD_LWP, sizeof lwp, &lwp, &thread), RC_OK);
    return thread;
}

TEST(who_answers)
{
    struct thread_facts facts;
    struct region_facts region;
    struct handle *old_region, *old_task;
    bool records = true;
    both_begin();
    ck_assert_int_eq(space_create(&both_ops, both.gomp, &space), RC_OK);
    ck_assert_str_eq(the_instance()->reader->name, "gomp");
    ck_assert_int_eq(space_records(space, &records), RC_OK);
    ck_assert(!records);
    struct handle *old = thread_of(GF_TID_FIRST);
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_OK);
    assert_known(facts.lwp, GF_TID_FIRST);
    ck_assert_int_eq(region_of_thread(old, &old_region), RC_OK);
    ck_assert_int_eq(task_of_thread(old, &old_task), RC_OK);

    both_record(true);
    ck_assert_int_eq(space_records(space, &records), RC_OK);
    ck_assert(records);
    ck_assert_str_eq(the_instance()->reader->name, "recorded");
    ck_assert_int_eq(the_instance()->awaited, AWAITS_NOTHING);
    struct handle *thread = thread_of(FIRST_LWP);
    ck_assert_int_eq(facts_of_thread(thread, &facts), RC_OK);
    assert_known(facts.lwp, FIRST_LWP);
    struct task_facts task;
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_OK);
    ck_assert_int_eq(facts_of_region(old_region, &region), RC_OK);
    ck_assert_int_eq(facts_of_task(old_task, &task), RC_OK);
    handle_release(thread, HANDLE_THREAD);
    handle_release(old, HANDLE_THREAD);
    handle_release(old_region, HANDLE_PARALLEL);
    handle_release(old_task, HANDLE_TASK);
    space_destroy(space);
    both_end();
}

/* Questions about the whole process make the change; a handle from before answers as it
 * did until one is asked. */
TEST(by_a_list)
{
    struct thread_facts facts;
    struct handle **list;
    int count;
    both_begin();
    ck_assert_int_eq(space_create(&both_ops, both.gomp, &space), RC_OK);
    struct handle *old = thread_of(GF_TID_FIRST);
    both_record(true);
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_OK);
    assert_known(facts.lwp, GF_TID_FIRST);
    ck_assert_int_eq(threads_of_space(space, &list, &count), RC_OK);
    ck_assert_int_eq(count, BOTH_THREADS + 1 + GF_THREADS - 1);
    for (int i = 0; i < count; i++)
        handle_release(list[i], HANDLE_THREAD);
    both_ops.release(list);
    ck_assert_str_eq(the_instance()->reader->name, "recorded");
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_OK);
    handle_release(old, HANDLE_THREAD);
    space_destroy(space);
    both_end();
}

static unsigned lookups(void)
{
    return fake_counts.lookups; /* each symbol is looked for among those of the hooks, too */
}

static size_t count_runtimes(void)
{
    struct array runtimes;
    ck_assert_int_eq(survey_runtimes(space, &runtimes), RC_OK);
    size_t count = runtimes.count;
    array_free(&runtimes);
    return count;
}

/* Hooks that record nothing, and no runtime yet: it is looked for again when they begin to. */
TEST(a_runtime_that_comes_later)
{
    bool records;
    both_begin();
    struct gf with_symbols = *both.gomp;
    both.gomp->symbols = 0;
    both_open();
    fake_counts_reset();
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(space_records(space, &records), RC_OK);
    ck_assert_uint_eq(count_runtimes(), 0);
    ck_assert_uint_eq(lookups(), 0);

    both.gomp->symbols = with_symbols.symbols;
    both_record(true);
    ck_assert_uint_eq(count_runtimes(), 1);
    ck_assert_str_eq(the_instance()->reader->name, "recorded");
    space_destroy(space);

    both.gomp->symbols = 0;
    both_record(false);
    both_open();
    both_record(true);
    fake_counts_reset();
    ck_assert_uint_eq(count_runtimes(), 0);
    ck_assert_uint_eq(lookups(), 1);
    ck_assert_uint_eq(count_runtimes(), 0);
    ck_assert_uint_eq(lookups(), 1);
    ck_assert_str_eq(the_instance()->reader->name, "hooks");
    space_destroy(space);
    both_end();
}

/* Whether the hooks record by now is read before each answer: its code is that of the query, also
 * if the next read of the same memory succeeds. */
TEST(one_failed_read)
{
    bool records;
    struct array runtimes;
    both_begin();
    both.gomp->symbols = 0;
    both_open();
    ck_assert_int_eq(the_instance()->awaited, AWAITS_RUNTIME);
    both.callbacks = 0;
    both.fail_at = 1;
    ck_assert_int_eq(space_records(space, &records), RC_READ_ERROR);
    both.callbacks = 0;
    ck_assert_int_eq(survey_runtimes(space, &runtimes), RC_READ_ERROR);
    array_free(&runtimes);
    both.fail_at = 0;
    ck_assert_int_eq(space_records(space, &records), RC_OK);
    ck_assert(!records);
    space_destroy(space);
    both_end();
}

/* By the readers that are open, whichever they are. */
TEST(runtimes_without_lookups)
{
    for (unsigned i = 0; i < 3; i++) {
        both_begin();
        both_record(i == 1);
        both_open();
        both_record(i > 0);
        fake_counts_reset();
        struct array found;
        ck_assert_int_eq(survey_runtimes(space, &found), RC_OK);
        const struct surveyed_runtime *runtime = found.elements;
        ck_assert_uint_eq(found.count, 1);
        assert_known(runtime->last_version, both.gomp->layout->last_version);
        assert_known(runtime->threads, GF_THREADS - 1);
        ck_assert_int_eq(runtime->recorded, i ? RECORDED_YES : RECORDED_OFF);
        ck_assert_uint_eq(lookups(), 0);
        array_free(&found);
        space_destroy(space);
        both_end();
    }
}

/* One reader or the other answers, whatever fails, and nothing is left behind. */
TEST(failing_callbacks)
{
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        bool records;
        ck_assert_uint_lt(n, 2000);
        both_begin();
        both.fail_at = n;
        enum rc rc = space_create(&both_ops, both.gomp, &space);
        if (rc == RC_OK) {
            both_record(true);
            rc = space_records(space, &records);
            done = both.callbacks < n;
            both.fail_at = 0;
            ck_assert(rc != RC_OK || records || !done);
            ck_assert_int_eq(space_records(space, &records), RC_OK);
            ck_assert_msg(records, "callback %u failed once and for all", n);
            ck_assert_str_eq(the_instance()->reader->name, "recorded");
            space_destroy(space);
        }
        both_end();
    }
}

/* The same of records that could not be read when the process was opened. */
TEST(failing_again)
{
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        bool records;
        both_begin();
        both_record(true);
        both.hole_first = both.hooks->fake->descriptor;
        both.hole_end = both.hole_first + 8;
        both_open();
        ck_assert_int_eq(the_instance()->awaited, AWAITS_MEMORY);
        both.hole_end = 0;
        both.callbacks = 0;
        both.fail_at = n;
        (void)space_records(space, &records);
        done = both.callbacks < n;
        both.fail_at = 0;
        ck_assert_int_eq(space_records(space, &records), RC_OK);
        ck_assert_str_eq(the_instance()->reader->name, "recorded");
        space_destroy(space);
        both_end();
    }
}
