# Programs that hang, and what "ompd why" must say of them; see testsuite/README.md.
#
#   make check-why WHY_STOPS=230    all programs, in all modes, and the table of results;
#                                   with CC=clang CXX=clang++ those of clang
WHY_STOPS = 230
TESTS += testsuite/why/short.sh

.PHONY: check-why
check-why: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/why/run.py --table --stops $(WHY_STOPS)
