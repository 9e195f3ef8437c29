# gdb: real gdb, a program and a script in pairs; see harness.py.
gdb_tests = \
	testsuite/gdb/basics.py \
	testsuite/gdb/waits.py \
	testsuite/gdb/nested.py \
	testsuite/gdb/tasks.py \
	testsuite/gdb/depends.py \
	testsuite/gdb/dialects.py \
	testsuite/gdb/icvs.py \
	testsuite/gdb/ends.py \
	testsuite/gdb/attach.py \
	testsuite/gdb/cores.py \
	testsuite/gdb/breakpoints.py \
	testsuite/gdb/counts.py \
	testsuite/gdb/onoff.py \
	testsuite/gdb/errors.py \
	testsuite/gdb/inferiors.py \
	testsuite/gdb/forks.py \
	testsuite/gdb/nonstop.py \
	testsuite/gdb/terminal.py \
	testsuite/gdb/shows.sh \
	testsuite/gdb/libraries.py \
	testsuite/gdb/late.py \
	testsuite/gdb/bare.py \
	testsuite/gdb/hostile.py \
	testsuite/gdb/languages.py \
	testsuite/gdb/bits32.py \
	testsuite/gdb/foreign.py \
	testsuite/gdb/stock.py \
	testsuite/gdb/backtrace.py \
	testsuite/gdb/backtrace_languages.py \
	testsuite/gdb/backtrace_safe.py \
	testsuite/gdb/backtrace_stacks.py
TESTS += $(gdb_tests)
EXTRA_DIST += $(gdb_tests) \
	testsuite/gdb/demo \
	testsuite/gdb/harness.py \
	testsuite/gdb/backtrace.c \
	testsuite/gdb/backtrace.cc \
	testsuite/gdb/backtrace.f90 \
	testsuite/gdb/demo.c \
	testsuite/gdb/depends.c \
	testsuite/gdb/ends.c \
	testsuite/gdb/forks.c \
	testsuite/gdb/late.c \
	testsuite/gdb/many.c \
	testsuite/gdb/names.cc \
	testsuite/gdb/names.f90 \
	testsuite/gdb/nested.c \
	testsuite/gdb/plain.c \
	testsuite/gdb/tasks.c \
	testsuite/gdb/waits.c
