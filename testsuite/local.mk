# The levels of the testsuite; testsuite/README.md says which answers what.
EXTRA_DIST += testsuite/common/no-32-bit.sh testsuite/common/rest.h testsuite/common/rest.py testsuite/common/run_modes.py \
	testsuite/common/linecoverage.py testsuite/common/start-tool.h testsuite/common/tap.py testsuite/common/tap.sh

# Asked anew by each `make check`: a build tree may move to another kernel.
check_DATA += testsuite/common/no-32-bit
CLEANFILES += testsuite/common/no-32-bit
.PHONY: ask-no-32-bit
testsuite/common/no-32-bit: ask-no-32-bit
	$(AM_V_GEN)$(MKDIR_P) testsuite/common; stage='$(abs_top_builddir)/stage' CC='$(CC)' \
		$(SHELL) $(srcdir)/testsuite/common/no-32-bit.sh >$@

# The conformance statement, of what has been run in this build directory; installed if it was made.
EXTRA_DIST += testsuite/conformance.py
CLEANFILES += conformance.html
.PHONY: conformance install-conformance uninstall-conformance
conformance:
	$(AM_V_GEN)$(AM_TESTS_ENVIRONMENT) CLANG='$(CLANG)' \
		$(PYTHON) $(srcdir)/testsuite/conformance.py conformance.html
install_data_hooks += install-conformance
uninstall_hooks += uninstall-conformance
install-conformance:
	test ! -e conformance.html || { $(MKDIR_P) "$(DESTDIR)$(docdir)" && \
		$(INSTALL_DATA) conformance.html "$(DESTDIR)$(docdir)"; }
uninstall-conformance:
	rm -f "$(DESTDIR)$(docdir)/conformance.html"

include testsuite/unit/local.mk
include testsuite/unit/abi-5.mk
include testsuite/host/local.mk
include testsuite/programs/local.mk
include testsuite/environments/local.mk
include testsuite/gdb/local.mk
include testsuite/both/local.mk
include testsuite/command/local.mk
include testsuite/tools/local.mk
include testsuite/bench/local.mk
include testsuite/fuzz/local.mk
include testsuite/why/local.mk
include testsuite/platforms/local.mk
include testsuite/tools/collector.mk
