# Programs that a generator makes, and that know what each of their threads does; see run.py.
#
#   make check-generated SEEDS=300 STOPS=4    and the table of answers
#   make check-devices SEEDS=15 STOPS=6      those that map to devices and compute there
TESTS += testsuite/generator/run.py testsuite/generator/devices.py

.PHONY: check-generated check-devices
check-generated: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/generator/run.py \
		--seeds 1-$(or $(SEEDS),20) --stops $(or $(STOPS),4) --keep generated

check-devices: stage
	for compiler in gcc clang; do \
		$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/generator/run.py --devices \
			--compiler $$compiler --seeds 1-$(or $(SEEDS),15) --stops $(or $(STOPS),6) --keep generated \
			|| exit; \
	done
