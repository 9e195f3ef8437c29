# What testsuite/fuzz runs: for some seconds in check, for as long as FUZZ_SECONDS says in
# "make fuzz FUZZ_SECONDS=3600".
TESTS += testsuite/fuzz/fuzz.sh
EXTRA_DIST += testsuite/fuzz/fuzz.sh testsuite/fuzz/bounds.h testsuite/fuzz/changes.h testsuite/fuzz/changes.c \
	testsuite/fuzz/fuzz-abi-2.c testsuite/fuzz/fuzz-abi-5.c

.PHONY: fuzz
fuzz: config.h
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		FUZZ_SECONDS='$(or $(FUZZ_SECONDS),600)' \
		$(SHELL) $(top_srcdir)/testsuite/fuzz/fuzz.sh
