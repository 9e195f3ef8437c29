# Processes as users have them. The driver compiles the programs itself, as users would.
TESTS += testsuite/environments/environments.py testsuite/environments/debugger.py

# All of them: every kind with every size, what takes minutes, and each program in each container as
# a debugger sees it. `make check` takes a part that has each kind, each size and each container.
.PHONY: check-environments
check-environments: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/environments/environments.py --long
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/environments/debugger.py --all

clean-local: clean-environments
.PHONY: clean-environments
clean-environments:
	rm -rf testsuite/environments/bin
