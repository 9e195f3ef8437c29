# What testsuite/unit builds and runs: Check units over a fake target, and shell tests that
# hold the rules of the source tree and of the built libraries.
check_LTLIBRARIES += testsuite/unit/libfake.la testsuite/unit/libunit.la
testsuite_unit_libfake_la_SOURCES = \
	testsuite/unit/fake-target.h testsuite/unit/fake-target.c \
	testsuite/unit/fake-program.h testsuite/unit/fake-program.c
testsuite_unit_libfake_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)

testsuite_unit_libunit_la_SOURCES = \
	testsuite/unit/unit.h testsuite/unit/unit.c \
	testsuite/unit/routines.h testsuite/unit/routines.c
testsuite_unit_libunit_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
testsuite_unit_libunit_la_LIBADD = testsuite/unit/libfake.la libompd/libompd-abi-2.la \
	$(CHECK_LIBS)

# The program's objects carry its name, so the flags are the same for all of them.
unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
unit_ldadd = testsuite/unit/libunit.la $(CHECK_LIBS)

unit_programs = \
	testsuite/unit/test-library testsuite/unit/test-thread \
	testsuite/unit/test-parallel testsuite/unit/test-task testsuite/unit/test-handle \
	testsuite/unit/test-failing testsuite/unit/test-counts testsuite/unit/test-hostile \
	testsuite/unit/test-abi-5 testsuite/unit/test-both
check_PROGRAMS += $(unit_programs)
TESTS += $(unit_programs)
testsuite_unit_test_library_CFLAGS = $(unit_cflags)
testsuite_unit_test_library_LDADD = $(unit_ldadd)
testsuite_unit_test_thread_CFLAGS = $(unit_cflags)
testsuite_unit_test_thread_LDADD = $(unit_ldadd)
testsuite_unit_test_parallel_CFLAGS = $(unit_cflags)
testsuite_unit_test_parallel_LDADD = $(unit_ldadd)
testsuite_unit_test_task_CFLAGS = $(unit_cflags)
testsuite_unit_test_task_LDADD = $(unit_ldadd)
testsuite_unit_test_handle_CFLAGS = $(unit_cflags)
testsuite_unit_test_handle_LDADD = $(unit_ldadd)
testsuite_unit_test_failing_CFLAGS = $(unit_cflags)
testsuite_unit_test_failing_LDADD = $(unit_ldadd)
testsuite_unit_test_counts_CFLAGS = $(unit_cflags)
testsuite_unit_test_counts_LDADD = $(unit_ldadd)
testsuite_unit_test_hostile_CFLAGS = $(unit_cflags)
testsuite_unit_test_hostile_LDADD = $(unit_ldadd)
testsuite_unit_test_abi_5_CFLAGS = $(unit_cflags)
testsuite_unit_test_abi_5_LDADD = testsuite/unit/libfake.la libompd/libompd-abi-5.la \
	$(CHECK_LIBS)
testsuite_unit_test_both_CFLAGS = $(unit_cflags)
testsuite_unit_test_both_LDADD = $(CHECK_LIBS)

unit_scripts = testsuite/unit/includes.sh testsuite/unit/exports.sh
TESTS += $(unit_scripts)
EXTRA_DIST += $(unit_scripts)
