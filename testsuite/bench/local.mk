# What testsuite/bench builds and runs. The program is what a user would have: -O2 and
# -fopenmp, by the compiler that configure found.
EXTRA_DIST += testsuite/bench/constructs.c testsuite/bench/compare.py \
	testsuite/bench/tools.py testsuite/bench/empty-tool.c

testsuite/bench/constructs: testsuite/bench/constructs.c
	$(AM_V_CC)$(MKDIR_P) testsuite/bench && \
		$(CC) -std=gnu11 -g -O2 -fopenmp -Wall -Wextra -o $@ \
			$(srcdir)/testsuite/bench/constructs.c
testsuite/bench/empty-tool.so: testsuite/bench/empty-tool.c | stage
	$(AM_V_CC)$(MKDIR_P) testsuite/bench && \
		$(CC) -std=gnu11 -O2 -fPIC -shared -Wall -Wextra -Istage/include -o $@ \
			$(srcdir)/testsuite/bench/empty-tool.c
CLEANFILES += testsuite/bench/constructs testsuite/bench/constructs-llvm \
	testsuite/bench/empty-tool.so

ROUNDS = 21
.PHONY: bench
bench: stage testsuite/bench/constructs testsuite/bench/empty-tool.so
	@$(PYTHON) $(srcdir)/testsuite/bench/compare.py testsuite/bench/constructs \
		'$(abs_top_builddir)/stage' --rounds $(ROUNDS)
	@$(PYTHON) $(srcdir)/testsuite/bench/tools.py testsuite/bench/constructs \
		$(srcdir)/testsuite/bench/constructs.c \
		'$(abs_builddir)/testsuite/bench/empty-tool.so' '$(abs_top_builddir)/stage'
