# What testsuite/programs builds and runs. The driver compiles the programs itself, with
# the compilers that configure found: they are test data, not part of the product.
TESTS += testsuite/programs/transparency.py
EXTRA_DIST += $(TRANSPARENCY_FILES)

TRANSPARENCY_FILES = \
	testsuite/programs/atomic.c \
	testsuite/programs/barriers.c \
	testsuite/programs/build.py \
	testsuite/programs/cancel.c \
	testsuite/programs/check.h \
	testsuite/programs/churn.c \
	testsuite/programs/constructors.c \
	testsuite/programs/control.c \
	testsuite/programs/coverage.py \
	testsuite/programs/critical.c \
	testsuite/programs/cxx_exceptions.cc \
	testsuite/programs/cxx_objects.cc \
	testsuite/programs/cxx_tasks.cc \
	testsuite/programs/doacross.c \
	testsuite/programs/enabled_late.c \
	testsuite/programs/no_keys.c \
	testsuite/programs/ends.c \
	testsuite/programs/execs.c \
	testsuite/programs/files.c \
	testsuite/programs/forks.c \
	testsuite/programs/fortran_loops.f90 \
	testsuite/programs/fortran_settings.f90 \
	testsuite/programs/fortran_sync.f90 \
	testsuite/programs/fortran_tasks.f90 \
	testsuite/programs/limits.c \
	testsuite/programs/locks.c \
	testsuite/programs/loops.c \
	testsuite/programs/manifest.py \
	testsuite/programs/many_threads.c \
	testsuite/programs/memory.c \
	testsuite/programs/nesting.c \
	testsuite/programs/noopenmp.c \
	testsuite/programs/oldabi.h \
	testsuite/programs/oldabi_locks.c \
	testsuite/programs/oldabi_loops.c \
	testsuite/programs/oldabi_parallel.c \
	testsuite/programs/ordered.c \
	testsuite/programs/own_malloc.c \
	testsuite/programs/parallel.c \
	testsuite/programs/plugin.c \
	testsuite/programs/plugin_lib.c \
	testsuite/programs/pthreads.c \
	testsuite/programs/reductions.c \
	testsuite/programs/sections.c \
	testsuite/programs/settings.c \
	testsuite/programs/signals.c \
	testsuite/programs/target.c \
	testsuite/programs/task_drift.c \
	testsuite/programs/taskgroup.c \
	testsuite/programs/taskloop.c \
	testsuite/programs/tasks_align.c \
	testsuite/programs/tasks_clauses.c \
	testsuite/programs/tasks_depend.c \
	testsuite/programs/tasks_detach.c \
	testsuite/programs/tasks_large.c \
	testsuite/programs/tasks_many.c \
	testsuite/programs/teams.c \
	testsuite/programs/thread_ends.c \
	testsuite/programs/transparency.py \
	testsuite/programs/witness.c

# Not part of check: REPEAT rounds under settings drawn by chance.
REPEAT = 10
.PHONY: check-transparency-long
check-transparency-long: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/programs/transparency.py \
		--repeat $(REPEAT) --random

clean-local: clean-programs
.PHONY: clean-programs
clean-programs:
	rm -rf testsuite/programs/bin
