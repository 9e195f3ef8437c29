/* SPDX-License-Identifier: MIT
 *
 * A process with hooks that record nothing and the stock libgomp beneath them: the gomp
 * reader answers. Once the hooks record, both are composed at the next question, and what
 * has a record is named by it.
 */
#include "both.h"

static struct handle *thread_of(uint64_t lwp)
{
    struct handle *thread;
    ck_assert_int_eq(thread_of_os_id(space, OS_THREAD_LWP, sizeof lwp, &lwp, &thread),
                     RC_OK);
    return thread;
}

START_TEST(who_answers)
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
    ck_assert_ptr_null(the_instance()->quiet);
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
END_TEST

/* Questions about the whole process make the change; a handle from before answers as it
 * did until one is asked. */
START_TEST(by_a_list)
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
END_TEST

/* One reader or the other answers, whatever fails, and nothing is left behind. */
START_TEST(failing_callbacks)
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
END_TEST

int main(void)
{
    TCase *tests = tcase_create("wake");
    tcase_add_test(tests, who_answers);
    tcase_add_test(tests, by_a_list);
    tcase_add_test(tests, failing_callbacks);
    return gomp_unit_main(tests);
}
