# What testsuite/unit builds and runs: Check units over a fake target, and shell tests that
# hold the rules of the source tree and of the built libraries.
check_LTLIBRARIES += testsuite/unit/libfake.la testsuite/unit/libunit.la
testsuite_unit_libfake_la_SOURCES = \
	testsuite/unit/fake-target.h testsuite/unit/fake-target.c \
	testsuite/unit/fake-program.h testsuite/unit/fake-program.c \
	testsuite/unit/fake-records.h testsuite/unit/fake-records.c
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
	testsuite/unit/test-settings testsuite/unit/test-both
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
testsuite_unit_test_settings_CFLAGS = $(unit_cflags)
testsuite_unit_test_settings_LDADD = $(unit_ldadd)
testsuite_unit_test_both_CFLAGS = $(unit_cflags)
testsuite_unit_test_both_LDADD = $(CHECK_LIBS)

unit_scripts = testsuite/unit/includes.sh testsuite/unit/exports.sh \
	testsuite/unit/official-headers.sh
TESTS += $(unit_scripts)
EXTRA_DIST += $(unit_scripts)

# The same for the 5.x interface and the extension. They have names of their own because the
# two interfaces share names that mean different things.
check_LTLIBRARIES += testsuite/unit/libunit5.la
testsuite_unit_libunit5_la_SOURCES = \
	testsuite/unit/unit5.h testsuite/unit/unit5.c \
	testsuite/unit/routines5.h testsuite/unit/routines5.c
testsuite_unit_libunit5_la_CPPFLAGS = $(unit5_cppflags)
testsuite_unit_libunit5_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
testsuite_unit_libunit5_la_LIBADD = testsuite/unit/libfake.la libompd/libompd-abi-5.la $(CHECK_LIBS)

unit5_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/libompd/abi-5
unit5_ldadd = testsuite/unit/libunit5.la $(CHECK_LIBS)
unit5_programs = \
	testsuite/unit/test5-interface testsuite/unit/test5-icvs \
	testsuite/unit/test5-extension testsuite/unit/test5-failing
check_PROGRAMS += $(unit5_programs)
TESTS += $(unit5_programs)
testsuite_unit_test5_interface_CPPFLAGS = $(unit5_cppflags)
testsuite_unit_test5_interface_CFLAGS = $(unit_cflags)
testsuite_unit_test5_interface_LDADD = $(unit5_ldadd)
testsuite_unit_test5_icvs_CPPFLAGS = $(unit5_cppflags)
testsuite_unit_test5_icvs_CFLAGS = $(unit_cflags)
testsuite_unit_test5_icvs_LDADD = $(unit5_ldadd)
testsuite_unit_test5_extension_CPPFLAGS = $(unit5_cppflags)
testsuite_unit_test5_extension_CFLAGS = $(unit_cflags)
testsuite_unit_test5_extension_LDADD = $(unit5_ldadd)
testsuite_unit_test5_failing_CPPFLAGS = $(unit5_cppflags)
testsuite_unit_test5_failing_CFLAGS = $(unit_cflags)
testsuite_unit_test5_failing_LDADD = $(unit5_ldadd)
EXTRA_DIST += testsuite/unit/official-headers.c
