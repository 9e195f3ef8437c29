# The debugger host: a library of layers (README.md), the program, and the tests that use it.
testsuite_host_libhost_la_SOURCES = \
	testsuite/host/abi-questions.h testsuite/host/abi-callbacks.h testsuite/host/abi-library.h \
	testsuite/host/abi2.c testsuite/host/abi2.h testsuite/host/abi2-icvs.c \
	testsuite/host/abi2-callbacks.c testsuite/host/abi2-library.c \
	testsuite/host/abi5.c testsuite/host/abi5.h testsuite/host/abi5-icvs.c \
	testsuite/host/abi5-callbacks.c testsuite/host/abi5-library.c \
	testsuite/host/core.c \
	testsuite/host/dialect.h \
	testsuite/host/extension.c testsuite/host/extension.h \
	testsuite/host/icv-list.c testsuite/host/icv-list.h \
	testsuite/host/link-map.c testsuite/host/link-map.h \
	testsuite/host/elf-image.c testsuite/host/elf-image.h \
	testsuite/host/libdwarf-compat.h \
	testsuite/host/library-file.c testsuite/host/library-file.h \
	testsuite/host/lines.c testsuite/host/lines.h \
	testsuite/host/live.c \
	testsuite/host/missed-files.c testsuite/host/missed-files.h \
	testsuite/host/page-cache.c testsuite/host/page-cache.h \
	testsuite/host/print.c testsuite/host/print.h \
	testsuite/host/print-devices.c testsuite/host/print-extension.c testsuite/host/print-icvs.c \
	testsuite/host/proc-service.c testsuite/host/proc-service.h \
	testsuite/host/registers.c testsuite/host/registers.h \
	testsuite/host/session.c testsuite/host/session.h \
	testsuite/host/snapshot.c testsuite/host/snapshot.h \
	testsuite/host/target.c testsuite/host/target.h \
	testsuite/host/threads.c testsuite/host/threads.h
# ompd-ext.h is installed beside omp-tools.h.
HOST_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/libompd/abi-5
testsuite_host_libhost_la_CPPFLAGS = $(HOST_CPPFLAGS)
testsuite_host_libhost_la_CFLAGS = $(AM_CFLAGS) $(LIBELF_CFLAGS) $(SANITIZE)
HOST_LIBS = testsuite/host/libhost.la $(LIBELF_LIBS) $(LIBDWARF_LIBS) -lthread_db -ldl

if ENABLE_TESTS
noinst_LTLIBRARIES += testsuite/host/libhost.la
noinst_PROGRAMS += testsuite/host/ompd-host
endif
testsuite_host_ompd_host_SOURCES = testsuite/host/main.c \
	testsuite/host/start.c testsuite/host/start.h
testsuite_host_ompd_host_CPPFLAGS = $(HOST_CPPFLAGS)
testsuite_host_ompd_host_CFLAGS = $(AM_CFLAGS) $(SANITIZE)
testsuite_host_ompd_host_LDFLAGS = $(SANITIZE)
testsuite_host_ompd_host_LDADD = $(HOST_LIBS)

# Programs that are looked at: under ompd-run, or unprepared (gomp-*).
host_targets = testsuite/host/park testsuite/host/churn-target testsuite/host/gomp-truth-target \
	testsuite/host/gomp-many testsuite/host/gomp-still testsuite/host/live-tasks
check_PROGRAMS += $(host_targets)
$(host_targets) $(host_targets:=.o): private AM_CFLAGS = -std=gnu11 -Wall -Wextra -g -O1 -fopenmp
testsuite_host_churn_target_SOURCES = \
	testsuite/host/churn-target.c testsuite/host/truth.h testsuite/host/truth-entry.h
testsuite_host_live_tasks_SOURCES = testsuite/host/live-tasks.c
testsuite_host_gomp_truth_target_SOURCES = \
	testsuite/host/gomp-truth-target.c testsuite/host/truth.h \
	testsuite/host/truth-entry.h

# Tests in C, over the host's layers. To add one, name it here.
host_tests = testsuite/host/test-churn testsuite/host/test-queries \
	testsuite/host/test-changes testsuite/host/test-steps \
	testsuite/host/test-gomp-truth testsuite/host/test-gomp-steps \
	testsuite/host/test-gomp-counts testsuite/host/test-gomp-both \
	testsuite/host/test-gomp-still
TESTS += $(host_tests)
# Those of test-runtimes.py.
runtimes_checks = testsuite/host/runtimes-truth testsuite/host/runtimes-both
check_PROGRAMS += $(host_tests) $(runtimes_checks)
check_LTLIBRARIES += testsuite/host/libhosttest.la
testsuite_host_libhosttest_la_SOURCES = \
	testsuite/host/spawn.c testsuite/host/spawn.h testsuite/host/tap.c testsuite/host/tap.h \
	testsuite/host/random-stops.c testsuite/host/random-stops.h \
	testsuite/host/queries.c testsuite/host/queries.h \
	testsuite/host/churn-check.c testsuite/host/churn-check.h testsuite/host/truth.h \
	testsuite/host/gomp-truth-check.c \
	testsuite/host/gomp-truth-check.h testsuite/host/gomp-truth-extension.c \
	testsuite/host/gomp-truth-extension.h
testsuite_host_libhosttest_la_CPPFLAGS = $(HOST_CPPFLAGS)
testsuite_host_libhosttest_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)
testsuite/host/test-%.o $(addsuffix .o,$(runtimes_checks)): private AM_CPPFLAGS += -I$(srcdir)/libompd/abi-5
testsuite/host/test-%.o $(addsuffix .o,$(runtimes_checks)): private AM_CFLAGS += $(SANITIZE)
$(host_tests) $(runtimes_checks): testsuite/host/libhosttest.la testsuite/host/libhost.la
$(host_tests) $(runtimes_checks): private AM_LDFLAGS += $(SANITIZE)
$(host_tests) $(runtimes_checks): private LIBS += testsuite/host/libhosttest.la $(HOST_LIBS)

host_scripts = testsuite/host/test-cores.py testsuite/host/test-gomp-cores.py \
	testsuite/host/test-extension.py testsuite/host/test-icvs.py testsuite/host/test-devices.py \
	testsuite/host/test-live-tasks.py \
	testsuite/host/test-targets.py testsuite/host/test-runtimes.py testsuite/host/test-files.py \
	testsuite/host/test-gomp-targets.py testsuite/host/test-kmp-truth.py \
	testsuite/host/dwarf_against_gdb.py
TESTS += $(host_scripts)

# Several runtimes in one process, stopped 10^5 thread states long.
check-runtimes-long: stage
	$(MAKE) check TESTS=testsuite/host/test-runtimes.py OMPD_TRUTH_STOPS=60000
.PHONY: check-runtimes-long

# A program with its records against the same without, at WITNESS_STOPS random stops.
WITNESS_STOPS = 100000
.PHONY: check-witnesses-long
check-witnesses-long: stage testsuite/host/test-gomp-both testsuite/host/gomp-truth-target
	$(AM_TESTS_ENVIRONMENT) OMPD_TRUTH_STOPS=$(WITNESS_STOPS) \
		testsuite/host/test-gomp-both
