# Each stop of a program that records against the same one unprepared; see run.py.
TESTS += testsuite/both/run.py
EXTRA_DIST += testsuite/both/run.py testsuite/both/cases.py testsuite/both/compare.py \
	testsuite/both/host_facts.py testsuite/both/look.py testsuite/both/patch.py \
	testsuite/both/plugin_facts.py testsuite/both/stop.py

# All stops, live and as cores.
.PHONY: check-both
check-both: stage testsuite/host/ompd-host$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/both/run.py --all
