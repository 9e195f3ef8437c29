# Each stop of a program that records against the same one unprepared; see run.py.
# The answers of three hosts to the same questions about one stop; see questions.py.
TESTS += testsuite/both/run.py testsuite/both/questions.py

# All stops, live and as cores.
.PHONY: check-both
check-both: stage testsuite/host/ompd-host$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/both/run.py --all
