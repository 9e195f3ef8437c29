# The levels of the testsuite; testsuite/README.md says which answers what.
EXTRA_DIST += testsuite/common/no-32-bit.sh testsuite/common/rest.h testsuite/common/rest.py testsuite/common/run_modes.py \
	testsuite/common/start-tool.h testsuite/common/tap.py testsuite/common/tap.sh

# Asked anew by each `make check`: a build tree may move to another kernel.
check_DATA += testsuite/common/no-32-bit
CLEANFILES += testsuite/common/no-32-bit
.PHONY: ask-no-32-bit
testsuite/common/no-32-bit: ask-no-32-bit
	$(AM_V_GEN)$(MKDIR_P) testsuite/common; stage='$(abs_top_builddir)/stage' CC='$(CC)' \
		$(SHELL) $(srcdir)/testsuite/common/no-32-bit.sh >$@

include testsuite/unit/local.mk
include testsuite/unit/abi-5.mk
include testsuite/host/local.mk
include testsuite/programs/local.mk
include testsuite/environments/local.mk
include testsuite/gdb/local.mk
include testsuite/both/local.mk
include testsuite/tools/local.mk
include testsuite/bench/local.mk
include testsuite/fuzz/local.mk
include testsuite/why/local.mk
include testsuite/platforms/local.mk
include testsuite/tools/collector.mk
