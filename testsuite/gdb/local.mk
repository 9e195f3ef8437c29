# gdb: real gdb, a program and a script in pairs; see harness.py.
gdb_tests = \
	testsuite/gdb/basics.py \
	testsuite/gdb/waits.py \
	testsuite/gdb/nested.py \
	testsuite/gdb/tasks.py \
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
	testsuite/gdb/stock.py \
	testsuite/gdb/catch.py \
	testsuite/gdb/step.py \
	testsuite/gdb/step_languages.py
TESTS += $(gdb_tests)
EXTRA_DIST += $(gdb_tests) \
	testsuite/gdb/demo \
	testsuite/gdb/harness.py \
	testsuite/gdb/catch.c \
	testsuite/gdb/demo.c \
	testsuite/gdb/ends.c \
	testsuite/gdb/forks.c \
	testsuite/gdb/late.c \
	testsuite/gdb/many.c \
	testsuite/gdb/names.cc \
	testsuite/gdb/names.f90 \
	testsuite/gdb/nested.c \
	testsuite/gdb/plain.c \
	testsuite/gdb/step.c \
	testsuite/gdb/step.cc \
	testsuite/gdb/step.f90 \
	testsuite/gdb/tasks.c \
	testsuite/gdb/waits.c
