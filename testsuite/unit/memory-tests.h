/* SPDX-License-Identifier: MIT
 *
 * The tests of test-memory.c and test5-memory.c, which include the header of their interface.
 */
#ifndef MEMORY_TESTS_H
#define MEMORY_TESTS_H

TEST(the_count_counts)
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

UNIT(no_routine_allocates, 20)
{
    /* What a callback of the debugger does is its own affair. */
    unit_enter = poison_pause;
    unit_leave = poison_resume;
    struct subject subject = subject_begin(unit);
    for (unsigned q = 0; q < question_count; q++) {
        enum fake_callback failed = FAKE_READ;
        for (unsigned n = 1; failed != FAKE_NONE; n++) {
            struct outs outs;
            outs_clear(&outs);
            fake_fail_at(n);
            poison_begin();
            ompd_rc_t rc = ask(&questions[q], &subject, &outs);
            unsigned calls = poison_end();
            failed = fake_failed();
            fake_fail_at(0);
            ck_assert_msg(calls == 0, "%s, callback %u: %u calls of malloc", questions[q].name, n,
                          calls);
            if (rc == ompd_rc_ok)
                outs_release(&questions[q], &outs);
        }
    }
    subject_end(&subject);
}

int main(void)
{
    if (!poison_works) {
        puts("1..0 # SKIP the sanitizer has its own malloc");
        return EXIT_SUCCESS;
    }
    return unit_main();
}

#endif
