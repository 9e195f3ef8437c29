# Processes as users have them. The driver compiles the programs itself, as users would.
TESTS += testsuite/environments/environments.py testsuite/environments/debugger.py
EXTRA_DIST += testsuite/environments

# Not part of check: every kind with every size, what takes minutes, and more programs as a debugger
# sees them.
.PHONY: check-environments-long
check-environments-long: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/environments/environments.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/environments/debugger.py --all

clean-local: clean-environments
.PHONY: clean-environments
clean-environments:
	rm -rf testsuite/environments/bin
