# What testsuite/bench builds and runs. The program is what a user would have: -O2 and
# -fopenmp, by the compiler that configure found.

testsuite/bench/constructs: testsuite/bench/constructs.c
	$(AM_V_CC)$(MKDIR_P) testsuite/bench && \
		$(CC) -std=gnu11 -g -O2 -fopenmp -Wall -Wextra -o $@ \
			$(srcdir)/testsuite/bench/constructs.c
testsuite/bench/many: testsuite/gdb/many.c
	$(AM_V_CC)$(MKDIR_P) testsuite/bench && \
		$(CC) -std=gnu11 -g -O0 -fopenmp -o $@ $(srcdir)/testsuite/gdb/many.c
testsuite/bench/empty-tool.so: testsuite/bench/empty-tool.c | stage
	$(AM_V_CC)$(MKDIR_P) testsuite/bench && \
		$(CC) -std=gnu11 -O2 -fPIC -shared -Wall -Wextra -Istage/include -o $@ \
			$(srcdir)/testsuite/bench/empty-tool.c
testsuite/bench/pauses: testsuite/bench/pauses.c
	$(AM_V_CC)$(MKDIR_P) testsuite/bench && \
		$(CC) -std=gnu11 -g -O2 -fopenmp -Wall -Wextra -o $@ \
			$(srcdir)/testsuite/bench/pauses.c
CLEANFILES += testsuite/bench/constructs testsuite/bench/constructs-llvm \
	testsuite/bench/empty-tool.so testsuite/bench/many testsuite/bench/pauses

ROUNDS = 21
.PHONY: bench bench-debugger bench-pauses bench-tools
bench: stage testsuite/bench/constructs bench-debugger bench-pauses bench-tools
	@$(PYTHON) $(srcdir)/testsuite/bench/compare.py testsuite/bench/constructs \
		'$(abs_top_builddir)/stage' --rounds $(ROUNDS)

# One after the other: they would disturb each other's times.
bench-tools: stage testsuite/bench/constructs testsuite/bench/empty-tool.so bench-pauses
	@$(PYTHON) $(srcdir)/testsuite/bench/tools.py testsuite/bench/constructs \
		$(srcdir)/testsuite/bench/constructs.c \
		'$(abs_builddir)/testsuite/bench/empty-tool.so' '$(abs_top_builddir)/stage'

bench-debugger: stage testsuite/bench/many
	@GDB='$(GDB)' $(PYTHON) $(srcdir)/testsuite/bench/debugger.py testsuite/bench/many \
		'$(abs_top_builddir)/stage'

bench-pauses: stage testsuite/bench/pauses bench-debugger
	@$(PYTHON) $(srcdir)/testsuite/bench/pauses.py testsuite/bench/pauses \
		'$(abs_top_builddir)/stage'

# Whole programs take a quarter of an hour, so they are no part of bench.
# KERNELS='hydro fib' and KERNEL_OPTIONS='--threads 2 --policies passive' choose.
KERNEL_ROUNDS = 11
.PHONY: bench-programs
bench-programs: stage
	@$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/bench/programs.py \
		'$(abs_builddir)/testsuite/bench/bin' '$(abs_top_builddir)/stage' \
		$(KERNELS) --rounds $(KERNEL_ROUNDS) $(KERNEL_OPTIONS)

# Tests that are well by `ompd run`: a minute or two, at which nothing else runs.
RUNS = 200
.PHONY: bench-runs
bench-runs: stage
	@$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/bench/runs.py \
		'$(abs_builddir)/testsuite/programs/bin' '$(abs_top_builddir)/stage' --runs $(RUNS)

clean-local: clean-bench-programs
.PHONY: clean-bench-programs
clean-bench-programs:
	rm -rf testsuite/bench/bin
