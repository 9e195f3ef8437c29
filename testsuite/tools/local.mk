# What testsuite/tools builds and runs: tools of OMPT, which the tests compile themselves
# against the installed header, as users do.
TESTS += testsuite/tools/nesting.py testsuite/tools/registration.py
EXTRA_DIST += testsuite/tools/nesting.py testsuite/tools/events.c \
	testsuite/tools/registration.py testsuite/tools/small.c testsuite/tools/region.c \
	testsuite/tools/control.f90
