# Programs that a generator makes, and that know what each of their threads does; see run.py.
#
#   make check-generated SEEDS=300 STOPS=4    and the table of answers
TESTS += testsuite/generator/run.py

.PHONY: check-generated
check-generated: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/generator/run.py \
		--seeds 1-$(or $(SEEDS),20) --stops $(or $(STOPS),4) --keep generated
