# The command `ompd`: as it is typed, on damaged files, and beside gdb; see testsuite/README.md.
command_tests = \
	testsuite/command/ci.py \
	testsuite/command/cli.py \
	testsuite/command/crashes.py \
	testsuite/command/debug_files.py \
	testsuite/command/devices.py \
	testsuite/command/hostile.py \
	testsuite/command/jobs.py \
	testsuite/command/list_threads.py \
	testsuite/command/merge.py \
	testsuite/command/mpi.py \
	testsuite/command/names.py \
	testsuite/command/nodes.py \
	testsuite/command/page.py \
	testsuite/command/page_browser.py \
	testsuite/command/readme.py \
	testsuite/command/rights.py \
	testsuite/command/schema.py \
	testsuite/command/targets.py \
	testsuite/command/sums.py \
	testsuite/command/top.py \
	testsuite/command/two_looks.py \
	testsuite/command/watchdog.py \
	testsuite/command/short.sh
TESTS += $(command_tests)

# Ranks on four nodes of Slurm, whose daemons it starts; a minute and a half. Skips where these are not.
.PHONY: check-slurm
check-slurm: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/slurm.py

# All programs of testsuite/why in all modes, with CC=clang CXX=clang++ those of clang; long runs;
# thousands of damaged files. Some hours.
.PHONY: check-command
check-command: stage testsuite/common/no-32-bit
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/cli.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/targets.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/hostile.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/rights.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/two_looks.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/command/against_gdb.py
