/* SPDX-License-Identifier: MIT
 *
 * The library of the 5.x interface has memory from the debugger's callbacks only: the program's own
 * malloc counts who calls it while the library is at work.
 */
#include "poison.h"
#include "routines5.h"

/* The fake debugger with the count at rest while it is called. */
static ompd_rc_t alloc_memory(ompd_size_t bytes, void **out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.alloc_memory(bytes, out);
    poison_resume();
    return rc;
}

static ompd_rc_t free_memory(void *memory)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.free_memory(memory);
    poison_resume();
    return rc;
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *c, ompd_device_type_sizes_t *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.sizeof_type(c, out);
    poison_resume();
    return rc;
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                                    const char *name, ompd_address_t *out,
                                    const char *file)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.symbol_addr_lookup(c, t, name, out, file);
    poison_resume();
    return rc;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                             const ompd_address_t *from, ompd_size_t bytes, void *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.read_memory(c, t, from, bytes, out);
    poison_resume();
    return rc;
}

static ompd_rc_t device_to_host(ompd_address_space_context_t *c, const void *in,
                                ompd_size_t unit, ompd_size_t count, void *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.device_to_host(c, in, unit, count, out);
    poison_resume();
    return rc;
}

static const ompd_callbacks_t debugger = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .sizeof_type = sizeof_type,
    .symbol_addr_lookup = symbol_addr_lookup,
    .read_memory = read_memory,
    .device_to_host = device_to_host,
};

START_TEST(the_count_counts)
{
    poison_begin();
    void *volatile memory = malloc(8);
    memory = realloc(memory, 16);
    free(memory);
    memory = calloc(2, 8);
    free(memory);
    unsigned calls = poison_end();
    ck_assert_uint_eq(calls, 5);
    poison_begin();
    poison_pause();
    free(malloc(8));
    poison_resume();
    calls = poison_end();
    ck_assert_uint_eq(calls, 0);
}
END_TEST

START_TEST(no_routine_allocates)
{
    struct unit unit = unit_begin(_i, 20);
    assert_ok(ompd_finalize());
    assert_ok(ompd_initialize(202411, &debugger));
    struct subject subject = subject_begin(&unit);
    for (unsigned r = 0; r < routine_count; r++) {
        enum fake_callback failed = FAKE_READ;
        for (unsigned n = 1; failed != FAKE_NONE; n++) {
            struct outs outs;
            outs_clear(&outs);
            fake_fail_at(n);
            poison_begin();
            ompd_rc_t rc = routines[r].call(&subject, &outs);
            unsigned calls = poison_end();
            failed = fake_failed();
            fake_fail_at(0);
            ck_assert_msg(calls == 0, "%s, callback %u: %u calls of malloc",
                          routines[r].name, n, calls);
            if (rc == ompd_rc_ok)
                outs_release(&outs);
        }
    }
    subject_end(&subject);
    unit_end(&unit);
}
END_TEST

int main(void)
{
    if (!poison_works) {
        puts("1..0 # SKIP the sanitizer has its own malloc");
        return EXIT_SUCCESS;
    }
    Suite *suite = suite_create("memory");
    TCase *tcase = tcase_create("memory");
    tcase_add_test(tcase, the_count_counts);
    tcase_add_loop_test(tcase, no_routine_allocates, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
