# What testsuite/unit builds and runs.

# The hooks seen from inside a program that runs with them.
TESTS += testsuite/unit/hooks_state.sh testsuite/unit/hooks_exports.sh
EXTRA_DIST += testsuite/unit/hooks_state.sh testsuite/unit/hooks_exports.sh
check_PROGRAMS += testsuite/unit/hooks-state
testsuite_unit_hooks_state_SOURCES = testsuite/unit/hooks_state.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_unit_hooks_state_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_unit_hooks_state_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

TESTS += testsuite/unit/hooks_facts.sh
EXTRA_DIST += testsuite/unit/hooks_facts.sh
check_PROGRAMS += testsuite/unit/hooks-facts
testsuite_unit_hooks_facts_SOURCES = testsuite/unit/hooks_facts.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_unit_hooks_facts_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_unit_hooks_facts_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
