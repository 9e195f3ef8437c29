/* SPDX-License-Identifier: MIT
 *
 * The library of the 2.000 interface has memory from the debugger's callbacks only: the program's own
 * malloc counts who calls it while the library is at work.
 */
#include "poison.h"
#include "routines.h"

/* The fake debugger with the count at rest while it is called. */
static ompd_rc_t d_alloc_memory(ompd_size_t bytes, void **out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.d_alloc_memory(bytes, out);
    poison_resume();
    return rc;
}

static ompd_rc_t d_free_memory(void *memory)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.d_free_memory(memory);
    poison_resume();
    return rc;
}

static ompd_rc_t t_sizeof_prim_type(ompd_address_space_context_t *c, ompd_target_type_sizes_t *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.t_sizeof_prim_type(c, out);
    poison_resume();
    return rc;
}

static ompd_rc_t t_symbol_addr_lookup(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                                      const char *name, ompd_address_t *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.t_symbol_addr_lookup(c, t, name, out);
    poison_resume();
    return rc;
}

static ompd_rc_t t_read_memory(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                               const ompd_address_t *from, ompd_tword_t bytes, void *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.t_read_memory(c, t, from, bytes, out);
    poison_resume();
    return rc;
}

static ompd_rc_t target_to_host(ompd_address_space_context_t *c, const void *in, int unit,
                                int count, void *out)
{
    poison_pause();
    ompd_rc_t rc = fake_debugger.target_to_host(c, in, unit, count, out);
    poison_resume();
    return rc;
}

static const ompd_callbacks_t debugger = {
    .d_alloc_memory = d_alloc_memory,
    .d_free_memory = d_free_memory,
    .t_sizeof_prim_type = t_sizeof_prim_type,
    .t_symbol_addr_lookup = t_symbol_addr_lookup,
    .t_read_memory = t_read_memory,
    .target_to_host = target_to_host,
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
    assert_ok(ompd_initialize(&debugger));
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
