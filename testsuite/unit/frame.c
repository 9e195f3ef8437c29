/* SPDX-License-Identifier: MIT
 *
 * frame.h.
 */
#include "frame.h"

enum { TESTS = 64 };
static struct {
    const TTest *test;
    int first, end;
    double seconds;
} tests[TESTS];
static unsigned test_count;

void frame_add(const TTest *test, int first, int end, double seconds)
{
    if (test_count == TESTS)
        abort();
    tests[test_count].test = test;
    tests[test_count].first = first;
    tests[test_count].end = end;
    tests[test_count++].seconds = seconds;
}

int unit_main(void)
{
    Suite *suite = suite_create("unit");
    for (unsigned i = 0; i < test_count; i++) {
        TCase *tcase = tcase_create(tests[i].test->name);
        tcase_set_timeout(tcase, tests[i].seconds);
        tcase_add_loop_test(tcase, tests[i].test, tests[i].first, tests[i].end);
        suite_add_tcase(suite, tcase);
    }
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Of each program that has none of its own. */
__attribute__((weak)) int main(void)
{
    return unit_main();
}
