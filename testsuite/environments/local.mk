# Processes as users have them. The driver compiles the programs itself, as users would.
TESTS += testsuite/environments/environments.py
EXTRA_DIST += testsuite/environments

# Not part of check: every kind with every size, and what takes minutes.
.PHONY: check-environments-long
check-environments-long: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/environments/environments.py --long

clean-local: clean-environments
.PHONY: clean-environments
clean-environments:
	rm -rf testsuite/environments/bin
