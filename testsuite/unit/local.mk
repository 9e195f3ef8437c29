# What testsuite/unit builds and runs: Check units over a fake target, and shell tests that
# hold the rules of the source tree and of the built libraries.
check_LTLIBRARIES += testsuite/unit/libframe.la testsuite/unit/libfake.la \
	testsuite/unit/libunit.la
testsuite_unit_libframe_la_SOURCES = testsuite/unit/frame.h testsuite/unit/frame.c
testsuite_unit_libframe_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
testsuite_unit_libfake_la_SOURCES = \
	testsuite/unit/fake-target.h testsuite/unit/fake-target.c \
	testsuite/unit/fake-program.h testsuite/unit/fake-program.c \
	testsuite/unit/fake-records.h testsuite/unit/fake-records.c
testsuite_unit_libfake_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)

testsuite_unit_libunit_la_SOURCES = \
	testsuite/unit/unit.h testsuite/unit/unit.c \
	testsuite/unit/routines.h testsuite/unit/routines.c
testsuite_unit_libunit_la_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
testsuite_unit_libunit_la_LIBADD = testsuite/unit/libframe.la testsuite/unit/libfake.la \
	libompd/libompd-abi-2.la $(CHECK_LIBS)

# The program's objects carry its name, so the flags are the same for all of them.
unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
unit_ldadd = testsuite/unit/libunit.la $(CHECK_LIBS)

unit_programs = \
	testsuite/unit/test-library testsuite/unit/test-thread \
	testsuite/unit/test-parallel testsuite/unit/test-task testsuite/unit/test-handle \
	testsuite/unit/test-failing testsuite/unit/test-counts testsuite/unit/test-hostile \
	testsuite/unit/test-settings testsuite/unit/test-both \
	testsuite/unit/test-memory
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
testsuite_unit_test_memory_SOURCES = testsuite/unit/test-memory.c \
	testsuite/unit/memory-tests.h testsuite/unit/poison.h testsuite/unit/poison.c
testsuite_unit_test_memory_CFLAGS = $(unit_cflags)
testsuite_unit_test_memory_LDADD = $(unit_ldadd)
testsuite_unit_test_both_CFLAGS = $(unit_cflags)
testsuite_unit_test_both_LDADD = testsuite/unit/libframe.la $(CHECK_LIBS)

unit_scripts = testsuite/unit/includes.sh testsuite/unit/exports.sh \
	testsuite/unit/official-headers.sh
TESTS += $(unit_scripts)
EXTRA_DIST += $(unit_scripts)

# The hooks seen from inside a program that runs with them.
TESTS += testsuite/unit/hooks_state.sh testsuite/unit/hooks_exports.sh
EXTRA_DIST += testsuite/unit/hooks_state.sh testsuite/unit/hooks_exports.sh
check_PROGRAMS += testsuite/unit/hooks-state
testsuite_unit_hooks_state_SOURCES = testsuite/unit/hooks_state.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_unit_hooks_state_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_unit_hooks_state_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

# A file of the hooks by itself.
check_PROGRAMS += testsuite/unit/hooks-target
TESTS += testsuite/unit/hooks-target
testsuite_unit_hooks_target_SOURCES = testsuite/unit/hooks_target.c \
	runtime-hooks/consumers/ompt/target.c
testsuite_unit_hooks_target_CPPFLAGS = $(libompd_hooks_la_CPPFLAGS)
testsuite_unit_hooks_target_CFLAGS = $(AM_CFLAGS)

HOOKS_RECORD_TESTS = testsuite/unit/hooks_facts.sh testsuite/unit/hooks_icvs.sh \
	testsuite/unit/hooks_32.sh
TESTS += $(HOOKS_RECORD_TESTS)
EXTRA_DIST += $(HOOKS_RECORD_TESTS)
check_PROGRAMS += testsuite/unit/hooks-facts testsuite/unit/hooks-icvs
testsuite_unit_hooks_facts_SOURCES = testsuite/unit/hooks_facts.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_unit_hooks_facts_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_unit_hooks_facts_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
testsuite_unit_hooks_icvs_SOURCES = testsuite/unit/hooks_icvs.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_unit_hooks_icvs_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_unit_hooks_icvs_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

# How the hooks get into programs, and out of them again.
RUN_TESTS = testsuite/unit/ompd_run.sh testsuite/unit/children.sh \
	testsuite/unit/linking.sh testsuite/unit/secure.sh testsuite/unit/sanitizers.sh
TESTS += $(RUN_TESTS)
EXTRA_DIST += $(RUN_TESTS) testsuite/unit/tap.sh testsuite/unit/children.c

# The reader of a stock libgomp, over a process of its own kind, and its layout tables.
gomp_unit = testsuite/unit/gomp-unit.h testsuite/unit/gomp-unit.c \
	testsuite/unit/gomp-fake.h testsuite/unit/gomp-fake.c
gomp_unit_ldadd = testsuite/unit/libframe.la libompd/libompd-core.la $(CHECK_LIBS)
gomp_programs = testsuite/unit/test-gomp testsuite/unit/test-gomp-open testsuite/unit/test-gomp-tasks \
	testsuite/unit/test-gomp-waits testsuite/unit/test-gomp-hostile testsuite/unit/test-instances \
	testsuite/unit/test-gomp-causes
check_PROGRAMS += $(gomp_programs)
TESTS += $(gomp_programs) testsuite/unit/gomp-layouts.sh
testsuite_unit_test_gomp_SOURCES = testsuite/unit/test-gomp.c $(gomp_unit)
testsuite_unit_test_gomp_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_LDADD = $(gomp_unit_ldadd)
testsuite_unit_test_gomp_open_SOURCES = testsuite/unit/test-gomp-open.c $(gomp_unit)
testsuite_unit_test_gomp_open_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_open_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_open_LDADD = $(gomp_unit_ldadd)
testsuite_unit_test_gomp_tasks_SOURCES = testsuite/unit/test-gomp-tasks.c $(gomp_unit)
testsuite_unit_test_gomp_tasks_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_tasks_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_tasks_LDADD = $(gomp_unit_ldadd)
testsuite_unit_test_gomp_waits_SOURCES = testsuite/unit/test-gomp-waits.c $(gomp_unit)
testsuite_unit_test_gomp_waits_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_waits_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_waits_LDADD = $(gomp_unit_ldadd)
testsuite_unit_test_gomp_hostile_SOURCES = testsuite/unit/test-gomp-hostile.c $(gomp_unit)
testsuite_unit_test_gomp_hostile_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_hostile_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_hostile_LDADD = $(gomp_unit_ldadd)
testsuite_unit_test_instances_SOURCES = testsuite/unit/test-instances.c $(gomp_unit)
testsuite_unit_test_instances_CFLAGS = $(unit_cflags)
testsuite_unit_test_instances_LDFLAGS = $(SANITIZE)
testsuite_unit_test_instances_LDADD = $(gomp_unit_ldadd)
# The reader of LLVM's runtime, over a process of its own kind.
kmp_fake = testsuite/unit/kmp-fake.h testsuite/unit/kmp-fake.c \
	testsuite/unit/gomp-fake.h testsuite/unit/gomp-fake.c
check_PROGRAMS += testsuite/unit/test-kmp
TESTS += testsuite/unit/test-kmp
testsuite_unit_test_kmp_SOURCES = testsuite/unit/test-kmp.c $(kmp_fake)
testsuite_unit_test_kmp_CFLAGS = $(unit_cflags)
testsuite_unit_test_kmp_LDFLAGS = $(SANITIZE)
testsuite_unit_test_kmp_LDADD = $(gomp_unit_ldadd)

testsuite_unit_test_gomp_causes_SOURCES = testsuite/unit/test-gomp-causes.c $(gomp_unit)
testsuite_unit_test_gomp_causes_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_causes_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_causes_LDADD = $(gomp_unit_ldadd)
# A process with both: the hooks asleep at first, and the two composed.
both_programs = testsuite/unit/test-gomp-wake testsuite/unit/test-recorded
both_unit = testsuite/unit/both.h testsuite/unit/both.c $(gomp_unit)
check_PROGRAMS += $(both_programs)
TESTS += $(both_programs)
testsuite_unit_test_recorded_SOURCES = testsuite/unit/test-recorded.c $(both_unit)
testsuite_unit_test_recorded_CFLAGS = $(unit_cflags)
testsuite_unit_test_recorded_LDFLAGS = $(SANITIZE)
testsuite_unit_test_recorded_LDADD = testsuite/unit/libfake.la $(gomp_unit_ldadd)
testsuite_unit_test_gomp_wake_SOURCES = testsuite/unit/test-gomp-wake.c $(both_unit)
testsuite_unit_test_gomp_wake_CFLAGS = $(unit_cflags)
testsuite_unit_test_gomp_wake_LDFLAGS = $(SANITIZE)
testsuite_unit_test_gomp_wake_LDADD = testsuite/unit/libfake.la $(gomp_unit_ldadd)
EXTRA_DIST += testsuite/unit/gomp-layouts.sh

# The same with all of libgomp, which takes longer.
.PHONY: check-layouts
check-layouts: libompd/tools/layout-gen
	top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_top_builddir) \
		$(SHELL) $(srcdir)/testsuite/unit/gomp-layouts.sh all

# The units once more under valgrind, each program in one process. Without those that bring
# a malloc of their own, which valgrind would replace.
valgrind_programs = $(filter-out %-memory,$(unit_programs) $(unit5_programs))
.PHONY: check-valgrind
check-valgrind: stage $(valgrind_programs)
	@set -e; for program in $(valgrind_programs); do \
		echo "valgrind $$program"; \
		stage='$(abs_builddir)/stage' CK_FORK=no CK_DEFAULT_TIMEOUT=0 \
			$(LIBTOOL) --mode=execute valgrind -q --leak-check=full \
			--error-exitcode=9 ./$$program >check-valgrind.log 2>&1 || \
			{ cat check-valgrind.log; exit 1; }; \
	done
CLEANFILES += check-valgrind.log
