# The levels of the testsuite; testsuite/README.md says which answers what. All that they have is
# distributed.
EXTRA_DIST += testsuite/gdb/demo $(filter-out %.pyc,$(wildcard \
	$(srcdir)/testsuite/*.* $(srcdir)/testsuite/*/*.* $(srcdir)/testsuite/*/*/*.*))

# Asked anew by each `make check`: a build tree may move to another kernel.
check_DATA += testsuite/common/no-32-bit
CLEANFILES += testsuite/common/no-32-bit
.PHONY: ask-no-32-bit
testsuite/common/no-32-bit: ask-no-32-bit
	$(AM_V_GEN)$(MKDIR_P) testsuite/common; stage='$(abs_top_builddir)/stage' CC='$(CC)' \
		$(SHELL) $(srcdir)/testsuite/common/no-32-bit.sh >$@

# gdb as tests start it, some hundred times on the same libraries: it keeps the indexes that it
# makes of debug information for the next one (gdb < 12 has an older word for that). GDB is asked
# anew, too.
noinst_DATA += testsuite/common/gdb
CLEANFILES += testsuite/common/gdb
.PHONY: ask-gdb
testsuite/common/gdb: ask-gdb
	$(AM_V_GEN)$(MKDIR_P) $(@D); options=; for on in 'enabled on' on; do \
		if test -n '$(GDB)' && test -z "$$options" && \
			test -z "`$(GDB) -nx -batch -ex "set index-cache $$on" 2>&1`"; then \
			options="-iex 'set index-cache directory $$PWD/testsuite/index'"; \
			options="$$options -iex 'set index-cache $$on'"; \
		fi; \
	done; \
	printf '#!/bin/sh\nexec %s %s "$$@"\n' '$(GDB)' "$$options" >$@.new && chmod +x $@.new && \
		mv $@.new $@
clean-local: clean-index
.PHONY: clean-index
clean-index:
	rm -rf testsuite/index

# Which tests catch which faults of one line: MUTANTS='why.c report/' are words of faults, MUTANT_TESTS
# what runs.
.PHONY: mutants
mutants: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/mutants/mutants.py mutants \
		--only $(MUTANTS) --tests $(MUTANT_TESTS)

# The conformance statement, of what has been run in this build directory; installed if it was made.
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

# Tests begin in this order: first the levels with tests that take a minute, last those with many
# that take a second, so that no processor waits for the other one at the end.
include testsuite/environments/local.mk
include testsuite/host/local.mk
include testsuite/why/local.mk
include testsuite/fuzz/local.mk
include testsuite/programs/local.mk
include testsuite/generator/local.mk
include testsuite/both/local.mk
include testsuite/command/local.mk
include testsuite/gdb/local.mk
include testsuite/lldb/local.mk
include testsuite/tools/local.mk
include testsuite/tools/collector.mk
include testsuite/unit/local.mk
include testsuite/unit/abi-5.mk
include testsuite/bench/local.mk
include testsuite/platforms/local.mk
