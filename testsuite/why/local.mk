# Programs that hang, and what "ompd why" must say of them; see testsuite/README.md.
#
#   make check-why WHY_STOPS=230    all programs, in all modes, and the table of results;
#                                   with CC=clang CXX=clang++ those of clang
WHY_STOPS = 230
TESTS += testsuite/why/short.sh
EXTRA_DIST += testsuite/why/short.sh testsuite/why/run.py testsuite/why/look.py \
	testsuite/why/cases.py testsuite/why/hang.h testsuite/why/barriers.c \
	testsuite/why/locks.c testsuite/why/locks.cc testsuite/why/tasks.c \
	testsuite/why/constructs.c testsuite/why/signals.c testsuite/why/crashes.c \
	testsuite/why/hangs.f90 testsuite/why/healthy.c testsuite/why/slow.c testsuite/why/one_more.c

.PHONY: check-why
check-why: stage
	stage=$(abs_builddir)/stage GDB='$(GDB)' CC='$(CC)' CXX='$(CXX)' FC='$(FC)' \
		$(PYTHON) $(srcdir)/testsuite/why/run.py --table --stops $(WHY_STOPS)
