# The levels of the testsuite; testsuite/README.md says which answers what.
EXTRA_DIST += testsuite/common/rest.h testsuite/common/rest.py testsuite/common/run_modes.py \
	testsuite/common/start-tool.h testsuite/common/tap.py testsuite/common/tap.sh
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
