/* SPDX-License-Identifier: MIT
 *
 * A process with hooks that record nothing and the stock libgomp beneath them: the gomp
 * reader answers. Once the hooks record, their reader takes its place at the next
 * question, and what the other one named is stale.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fake-program.h"
#include "gomp-unit.h"

enum { THREADS = 4 };

/* The hooks' records stand below libgomp's structures. */
static struct both {
    struct gf *gomp;
    struct program *hooks;
    unsigned callbacks, fail_at;
    int alive;
} both;

static bool fails(void)
{
    return both.fail_at && ++both.callbacks == both.fail_at;
}

static enum rc cb_alloc(size_t bytes, void **out)
{
    if (fails())
        return RC_NOMEM;
    *out = malloc(bytes);
    both.alive++;
    return RC_OK;
}

static void cb_release(void *block)
{
    free(block);
    both.alive--;
}

static enum rc cb_sizes(void *context, struct type_sizes *out)
{
    return fails() ? RC_CALLBACK_ERROR : gf_ops.type_sizes(context, out);
}

static enum rc cb_symbol(void *context, const char *file, const char *name, taddr *out)
{
    if (fails())
        return RC_CALLBACK_ERROR;
    return fake_cb_symbol(both.hooks->fake, name, out)
               ? RC_OK
               : gf_ops.symbol(context, file, name, out);
}

static enum rc cb_read(void *context, taddr address, size_t bytes, void *out)
{
    if (fails())
        return RC_READ_ERROR;
    if (address >= GF_BASE)
        return gf_ops.read(context, address, bytes, out);
    return fake_cb_read(both.hooks->fake, address, bytes, out) ? RC_OK : RC_READ_ERROR;
}

static enum rc cb_to_host(void *context, const void *in, int unit, int count, void *out)
{
    return fails() ? RC_CALLBACK_ERROR : gf_ops.to_host(context, in, unit, count, out);
}

static const struct target_ops ops = {
    .alloc = cb_alloc,
    .release = cb_release,
    .type_sizes = cb_sizes,
    .symbol = cb_symbol,
    .read = cb_read,
    .to_host = cb_to_host,
};

static void record(bool on)
{
    struct fake *fake = both.hooks->fake;
    fake_put(fake, fake->root, FIELD_root_tracking, on);
}

static void begin_both(void)
{
    both = (struct both){.gomp = gf_new(GOMP_LAYOUTS - 1, PROBE_X86_64),
                         .hooks = program_new(8, false, THREADS)};
    ck_assert_uint_le(both.hooks->fake->end, GF_BASE);
    record(false);
}

static void end_both(void)
{
    ck_assert_int_eq(both.alive, 0);
    gf_free(both.gomp);
    program_free(both.hooks);
}

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
    begin_both();
    ck_assert_int_eq(space_create(&ops, both.gomp, &space), RC_OK);
    ck_assert_str_eq(the_instance()->reader->name, "gomp");
    ck_assert_int_eq(space_records(space, &records), RC_OK);
    ck_assert(!records);
    struct handle *old = thread_of(GF_TID_FIRST);
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_OK);
    assert_known(facts.lwp, GF_TID_FIRST);
    ck_assert_int_eq(region_of_thread(old, &old_region), RC_OK);
    ck_assert_int_eq(task_of_thread(old, &old_task), RC_OK);

    record(true);
    ck_assert_int_eq(space_records(space, &records), RC_OK);
    ck_assert(records);
    ck_assert_str_eq(the_instance()->reader->name, "hooks");
    ck_assert_ptr_null(the_instance()->quiet);
    struct handle *thread = thread_of(FIRST_LWP);
    ck_assert_int_eq(facts_of_thread(thread, &facts), RC_OK);
    assert_known(facts.lwp, FIRST_LWP);
    struct task_facts task;
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_STALE_HANDLE);
    ck_assert_int_eq(facts_of_region(old_region, &region), RC_STALE_HANDLE);
    ck_assert_int_eq(facts_of_task(old_task, &task), RC_STALE_HANDLE);
    handle_release(thread, HANDLE_THREAD);
    handle_release(old, HANDLE_THREAD);
    handle_release(old_region, HANDLE_PARALLEL);
    handle_release(old_task, HANDLE_TASK);
    space_destroy(space);
    end_both();
}
END_TEST

/* Questions about the whole process make the change; a handle from before answers as it
 * did until one is asked. */
START_TEST(by_a_list)
{
    struct thread_facts facts;
    struct handle **list;
    int count;
    begin_both();
    ck_assert_int_eq(space_create(&ops, both.gomp, &space), RC_OK);
    struct handle *old = thread_of(GF_TID_FIRST);
    record(true);
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_OK);
    assert_known(facts.lwp, GF_TID_FIRST);
    ck_assert_int_eq(threads_of_space(space, &list, &count), RC_OK);
    ck_assert_int_eq(count, THREADS + 1);
    for (int i = 0; i < count; i++)
        handle_release(list[i], HANDLE_THREAD);
    cb_release(list);
    ck_assert_str_eq(the_instance()->reader->name, "hooks");
    ck_assert_int_eq(facts_of_thread(old, &facts), RC_STALE_HANDLE);
    handle_release(old, HANDLE_THREAD);
    space_destroy(space);
    end_both();
}
END_TEST

/* One reader or the other answers, whatever fails, and nothing is left behind. */
START_TEST(failing_callbacks)
{
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        bool records;
        ck_assert_uint_lt(n, 2000);
        begin_both();
        both.fail_at = n;
        enum rc rc = space_create(&ops, both.gomp, &space);
        if (rc == RC_OK) {
            record(true);
            rc = space_records(space, &records);
            done = both.callbacks < n;
            both.fail_at = 0;
            ck_assert(rc != RC_OK || records || !done);
            ck_assert_int_eq(space_records(space, &records), RC_OK);
            ck_assert_msg(records, "callback %u failed once and for all", n);
            ck_assert_str_eq(the_instance()->reader->name, "hooks");
            space_destroy(space);
        }
        end_both();
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
