# What testsuite/programs builds and runs. The driver compiles the programs itself, with
# the compilers that configure found: they are test data, not part of the product.
TESTS += testsuite/programs/transparency.py

# Not part of check: REPEAT rounds under settings drawn by chance.
REPEAT = 10
.PHONY: check-transparency-long
check-transparency-long: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/programs/transparency.py \
		--repeat $(REPEAT) --random

clean-local: clean-programs
.PHONY: clean-programs
clean-programs:
	rm -rf testsuite/programs/bin
