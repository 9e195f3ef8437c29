# The lldb extension: as it is typed, on damaged cores, and beside gdb and the command.
lldb_tests = \
	testsuite/lldb/commands.py \
	testsuite/lldb/hostile.py \
	testsuite/lldb/short.sh \
	testsuite/lldb/watched.py
TESTS += $(lldb_tests)

# All programs of testsuite/why in all modes, in each lldb that is installed; LLDBS names some.
# Some hours.
LLDBS = $(notdir $(wildcard /usr/bin/lldb-[1-9]*[0-9]))
.PHONY: check-lldbs
check-lldbs: stage testsuite/common/no-32-bit
	status=0; for lldb in $(LLDBS); do echo "# $$lldb"; \
		for test in commands.py hostile.py against_command.py; do \
			$(AM_TESTS_ENVIRONMENT) LLDB=$$lldb \
				$(PYTHON) $(srcdir)/testsuite/lldb/$$test || status=1; \
		done; done; exit $$status
