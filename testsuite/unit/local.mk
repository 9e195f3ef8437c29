# What testsuite/unit builds and runs: Check units over a fake target, and shell tests that
# hold the rules of the source tree and of the built libraries.
unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS) $(SANITIZE)
check_LTLIBRARIES += testsuite/unit/libframe.la testsuite/unit/libfake.la \
	testsuite/unit/libunit.la
testsuite_unit_libframe_la_SOURCES = testsuite/unit/frame.h testsuite/unit/frame.c
testsuite_unit_libframe_la_CFLAGS = $(unit_cflags)
testsuite_unit_libfake_la_SOURCES = \
	testsuite/unit/fake-target.h testsuite/unit/fake-target.c \
	testsuite/unit/fake-program.h testsuite/unit/fake-program.c \
	testsuite/unit/fake-records.h testsuite/unit/fake-records.c
testsuite_unit_libfake_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)

common_routines = \
	testsuite/common/ompd-routines.h testsuite/common/ompd-routines.c \
	testsuite/common/ompd-routines.def testsuite/common/ompd-routines-call.h
testsuite_unit_libunit_la_SOURCES = \
	testsuite/unit/unit.h testsuite/unit/unit-interface.h testsuite/unit/unit-parts.h \
	testsuite/unit/unit.c \
	testsuite/unit/questions.h testsuite/unit/questions.c $(common_routines) \
	testsuite/common/ompd-routines-2.c
testsuite_unit_libunit_la_CFLAGS = $(unit_cflags)
testsuite_unit_libunit_la_LIBADD = testsuite/unit/libframe.la testsuite/unit/libfake.la \
	libompd/libompd-abi-2.la $(CHECK_LIBS)

# A unit is one file, unless it has a line of SOURCES: it is compiled as libompd is, and linked
# to the library of its kind. To add one, name it in the list of its kind.
testsuite/unit/test%.o testsuite/unit/poison.o testsuite/unit/kmp-fake.o: \
	private AM_CFLAGS += $(CHECK_CFLAGS) $(SANITIZE)
testsuite/unit/test%: private AM_LDFLAGS += $(SANITIZE)
check_PROGRAMS += $(unit_programs) $(unit5_programs) $(gomp_programs) $(kmp_programs) \
	$(both_programs) $(abis_program)
TESTS += $(unit_programs) $(unit5_programs) $(gomp_programs) $(kmp_programs) \
	$(both_programs) $(abis_program)

unit_programs = \
	testsuite/unit/test-library testsuite/unit/test-thread \
	testsuite/unit/test-parallel testsuite/unit/test-task testsuite/unit/test-handle \
	testsuite/unit/test-failing testsuite/unit/test-counts testsuite/unit/test-hostile \
	testsuite/unit/test-settings testsuite/unit/test-memory
$(unit_programs): testsuite/unit/libunit.la
$(unit_programs): private LIBS += testsuite/unit/libunit.la $(CHECK_LIBS)
testsuite_unit_test_memory_SOURCES = testsuite/unit/test-memory.c \
	testsuite/unit/memory-tests.h testsuite/unit/poison.h testsuite/unit/poison.c
abis_program = testsuite/unit/test-both
$(abis_program): testsuite/unit/libframe.la
$(abis_program): private LIBS += testsuite/unit/libframe.la $(CHECK_LIBS)

# The reader of a stock libgomp, over a process of its own kind.
gomp_programs = testsuite/unit/test-gomp testsuite/unit/test-gomp-open testsuite/unit/test-gomp-tasks \
	testsuite/unit/test-gomp-waits testsuite/unit/test-gomp-hostile testsuite/unit/test-instances \
	testsuite/unit/test-gomp-causes testsuite/unit/test-gomp-devices
check_LTLIBRARIES += testsuite/unit/libgomp-unit.la
testsuite_unit_libgomp_unit_la_SOURCES = testsuite/unit/gomp-unit.h testsuite/unit/gomp-unit.c \
	testsuite/unit/reader-unit.h testsuite/unit/device-fake.h \
	testsuite/unit/gomp-fake.h testsuite/unit/gomp-fake.c \
	testsuite/unit/world.h testsuite/unit/world.c
testsuite_unit_libgomp_unit_la_CFLAGS = $(unit_cflags)
testsuite_unit_libgomp_unit_la_LIBADD = testsuite/unit/libframe.la libompd/libompd-core.la
testsuite_unit_test_instances_SOURCES = testsuite/unit/test-instances.c \
	testsuite/unit/kmp-fake.h testsuite/unit/kmp-fake.c
$(gomp_programs): testsuite/unit/libgomp-unit.la
$(gomp_programs): private LIBS += testsuite/unit/libgomp-unit.la $(CHECK_LIBS)

# The reader of LLVM's runtime, likewise.
kmp_programs = testsuite/unit/test-kmp testsuite/unit/test-kmp-hostile testsuite/unit/test-kmp-devices
check_LTLIBRARIES += testsuite/unit/libkmp-unit.la
testsuite_unit_libkmp_unit_la_SOURCES = testsuite/unit/kmp-unit.h testsuite/unit/kmp-unit.c \
	testsuite/unit/reader-unit.h \
	testsuite/unit/kmp-fake.h testsuite/unit/kmp-fake.c \
	testsuite/unit/gomp-fake.h testsuite/unit/gomp-fake.c
testsuite_unit_libkmp_unit_la_CFLAGS = $(unit_cflags)
testsuite_unit_libkmp_unit_la_LIBADD = testsuite/unit/libframe.la libompd/libompd-core.la
$(kmp_programs): testsuite/unit/libkmp-unit.la
$(kmp_programs): private LIBS += testsuite/unit/libkmp-unit.la $(CHECK_LIBS)

# A process with both: the hooks asleep at first, and the two composed, of each runtime.
both_programs = testsuite/unit/test-gomp-wake testsuite/unit/test-recorded \
	testsuite/unit/test-recorded-barriers testsuite/unit/test-annotated
check_LTLIBRARIES += testsuite/unit/libboth-unit.la
testsuite_unit_libboth_unit_la_SOURCES = testsuite/unit/both.h testsuite/unit/both.c \
	testsuite/unit/recorded-unit.h testsuite/unit/recorded-unit.c
testsuite_unit_libboth_unit_la_CFLAGS = $(unit_cflags)
testsuite_unit_libboth_unit_la_LIBADD = testsuite/unit/libfake.la testsuite/unit/libgomp-unit.la
$(both_programs): testsuite/unit/libboth-unit.la
testsuite_unit_test_annotated_SOURCES = testsuite/unit/test-annotated.c \
	testsuite/unit/kmp-fake.h testsuite/unit/kmp-fake.c
$(both_programs): private LIBS += testsuite/unit/libboth-unit.la $(CHECK_LIBS)

unit_scripts = testsuite/unit/imports.py testsuite/unit/types.sh testsuite/unit/names.sh \
	testsuite/unit/ignored.py testsuite/unit/prose.py \
	testsuite/unit/includes.sh testsuite/unit/circles.py testsuite/unit/exports.sh testsuite/unit/paths.sh \
	testsuite/unit/install.sh testsuite/unit/format.sh testsuite/unit/recipes.sh testsuite/unit/archive.sh \
	testsuite/unit/stable.py testsuite/unit/manual.py testsuite/unit/pages.py \
	testsuite/unit/official-headers.sh testsuite/unit/entry_points.py testsuite/unit/statement.py

# The plugin's packages without gdb, in plain Python.
plain_tests = testsuite/unit/checks.py testsuite/unit/region_sums.py testsuite/unit/time_sums.py \
	testsuite/unit/ignored_settings.py testsuite/unit/elf_headers.py \
	testsuite/unit/machine_code.py testsuite/unit/snapshots.py testsuite/unit/sources.py \
	testsuite/unit/spaces.py testsuite/unit/without_debugger.py
TESTS += $(unit_scripts) $(plain_tests)

# The hooks seen from inside a program that runs with them.
TESTS += testsuite/unit/hooks_state.sh testsuite/unit/hooks_exports.sh
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

# What a layout table says against the debug information of libgomp's sources.
.PHONY: check-layouts
check-layouts: libompd/tools/layout-gen
	top_srcdir=$(abs_top_srcdir) top_builddir=$(abs_top_builddir) \
		$(SHELL) $(srcdir)/testsuite/unit/gomp-layouts.sh

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
