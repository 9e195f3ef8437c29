# The fuzz drivers of libompd; testsuite/fuzz/fuzz.h says what they are.
#
#   make fuzz FUZZ_SECONDS=3600            libFuzzer, that long for each interface, and gdb's
#                                          commands on processes full of nonsense
#   make check FUZZ_CHECK_SECONDS=20       libFuzzer for this long in all, if there is one
#
# fuzz-2 and fuzz-5 need nothing but AddressSanitizer; libfuzzer-2 and -5 need clang.
FUZZ_CC = clang
FUZZ_SECONDS = 600
FUZZ_CHECK_SECONDS = 20
fuzz_sanitize = -fsanitize=address,undefined -fno-sanitize-recover=all
fuzz_both = \
	testsuite/fuzz/fuzz.h testsuite/fuzz/fuzz.c testsuite/fuzz/input.h \
	testsuite/fuzz/pool.h testsuite/fuzz/pool.c testsuite/fuzz/take.h testsuite/fuzz/take.c \
	testsuite/fuzz/target.h testsuite/fuzz/watch.c testsuite/fuzz/allocator.c \
	$(common_routines)
fuzz_driver = \
	$(fuzz_both) testsuite/fuzz/bounds.h testsuite/fuzz/engine.c \
	testsuite/fuzz/check.h testsuite/fuzz/check.c testsuite/fuzz/target.c \
	testsuite/fuzz/callbacks.c
fuzz_plain = testsuite/fuzz/main.c testsuite/fuzz/seeds.h testsuite/fuzz/seeds.c
fuzz_abi_2 = testsuite/fuzz/abi-2.c testsuite/fuzz/abi-callbacks.h \
	testsuite/common/ompd-routines-2.c \
	$(libompd_libompd_abi_2_la_SOURCES)
fuzz_abi_5 = testsuite/fuzz/abi-5.c testsuite/fuzz/abi-callbacks.h \
	testsuite/common/ompd-routines-5.c \
	$(libompd_libompd_abi_5_la_SOURCES)
# The same interfaces over a process with a stock libgomp or libomp.
fuzz_gomp = \
	$(fuzz_both) testsuite/fuzz/gomp-target.h testsuite/fuzz/gomp-target.c \
	testsuite/fuzz/gomp-engine.c
fuzz_gomp_plain = testsuite/fuzz/main.c testsuite/fuzz/seeds.h testsuite/fuzz/gomp-seeds.c
fuzz_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/libompd/abi-5

# What several drivers have, compiled once; of the fakes each takes what it needs.
fuzz_core = $(libompd_libompd_core_la_SOURCES) $(testsuite_unit_libfake_la_SOURCES) \
	testsuite/unit/gomp-fake.h testsuite/unit/gomp-fake.c \
	testsuite/unit/kmp-fake.h testsuite/unit/kmp-fake.c
check_LTLIBRARIES += testsuite/fuzz/libfuzz-core.la testsuite/fuzz/libfuzz-abi-2.la \
	testsuite/fuzz/libfuzz-abi-5.la
testsuite_fuzz_libfuzz_core_la_SOURCES = $(fuzz_core)
testsuite_fuzz_libfuzz_core_la_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_libfuzz_abi_2_la_SOURCES = $(fuzz_abi_2)
testsuite_fuzz_libfuzz_abi_2_la_CPPFLAGS = $(fuzz_cppflags)
testsuite_fuzz_libfuzz_abi_2_la_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_libfuzz_abi_2_la_LIBADD = testsuite/fuzz/libfuzz-core.la
testsuite_fuzz_libfuzz_abi_5_la_SOURCES = $(fuzz_abi_5)
testsuite_fuzz_libfuzz_abi_5_la_CPPFLAGS = $(fuzz_cppflags)
testsuite_fuzz_libfuzz_abi_5_la_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_libfuzz_abi_5_la_LIBADD = testsuite/fuzz/libfuzz-core.la

check_PROGRAMS += testsuite/fuzz/fuzz-2 testsuite/fuzz/fuzz-5
testsuite_fuzz_fuzz_2_SOURCES = $(fuzz_driver) $(fuzz_plain)
testsuite_fuzz_fuzz_2_CPPFLAGS = $(fuzz_cppflags)
testsuite_fuzz_fuzz_2_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_fuzz_2_LDADD = testsuite/fuzz/libfuzz-abi-2.la
testsuite_fuzz_fuzz_5_SOURCES = $(fuzz_driver) $(fuzz_plain)
testsuite_fuzz_fuzz_5_CPPFLAGS = $(fuzz_cppflags)
testsuite_fuzz_fuzz_5_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_fuzz_5_LDADD = testsuite/fuzz/libfuzz-abi-5.la
check_PROGRAMS += testsuite/fuzz/fuzz-gomp-2 testsuite/fuzz/fuzz-gomp-5
testsuite_fuzz_fuzz_gomp_2_SOURCES = $(fuzz_gomp) $(fuzz_gomp_plain)
testsuite_fuzz_fuzz_gomp_2_CPPFLAGS = $(fuzz_cppflags)
testsuite_fuzz_fuzz_gomp_2_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_fuzz_gomp_2_LDADD = testsuite/fuzz/libfuzz-abi-2.la
testsuite_fuzz_fuzz_gomp_5_SOURCES = $(fuzz_gomp) $(fuzz_gomp_plain)
testsuite_fuzz_fuzz_gomp_5_CPPFLAGS = $(fuzz_cppflags)
testsuite_fuzz_fuzz_gomp_5_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_fuzz_gomp_5_LDADD = testsuite/fuzz/libfuzz-abi-5.la

# Verdicts, which need no process: any evidence.
fuzz_why = testsuite/fuzz/why.c libompd/array.c libompd/why/graph.c libompd/why/stuck.c \
	libompd/why/components.c libompd/why/judge.c libompd/why/deadlock.c \
	libompd/why/absent.c libompd/why/polls.c libompd/why/starved.c libompd/why/waiting.c \
	libompd/why/why.c
check_PROGRAMS += testsuite/fuzz/fuzz-why
testsuite_fuzz_fuzz_why_SOURCES = $(fuzz_why)
testsuite_fuzz_fuzz_why_CFLAGS = $(AM_CFLAGS) $(fuzz_sanitize)
testsuite_fuzz_fuzz_why_LDFLAGS = $(fuzz_sanitize)

# Compiled by another compiler than the rest: automake has no say in it. Checks of pointers are
# comparisons, each of which libFuzzer would trace: they are left to fuzz-2 and its like, which
# run.sh gives the corpus.
fuzz_engine = $(FUZZ_CC) -fsanitize=fuzzer $(fuzz_sanitize)
fuzz_compile = $(FUZZ_CC) $(DEFS) $(DEFAULT_INCLUDES) $(fuzz_cppflags) -std=gnu11 -g -O2 \
	-fno-omit-frame-pointer $(WARNINGS) -fsanitize=fuzzer-no-link $(fuzz_sanitize) \
	-fno-sanitize=null,alignment,pointer-overflow,object-size
fuzz_objects = $(patsubst %.c,testsuite/fuzz/clang/%.o,$(filter %.c,$(1)))
fuzz_headers = $(srcdir)/runtime-hooks/records/*.def $(srcdir)/runtime-hooks/records/*.h \
	$(srcdir)/libompd/*/*.h $(srcdir)/libompd/*/*.def $(srcdir)/testsuite/fuzz/*.h \
	$(srcdir)/testsuite/unit/*.h $(srcdir)/testsuite/common/*.h $(srcdir)/testsuite/common/*.def

testsuite/fuzz/clang/%.o: %.c $(fuzz_headers)
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(fuzz_compile) -c $< -o $@
testsuite/fuzz/libfuzzer-2: $(call fuzz_objects,$(fuzz_driver) $(fuzz_abi_2) $(fuzz_core))
	$(AM_V_CCLD)$(fuzz_engine) $^ -o $@
testsuite/fuzz/libfuzzer-5: $(call fuzz_objects,$(fuzz_driver) $(fuzz_abi_5) $(fuzz_core))
	$(AM_V_CCLD)$(fuzz_engine) $^ -o $@
testsuite/fuzz/libfuzzer-gomp-2: $(call fuzz_objects,$(fuzz_gomp) $(fuzz_abi_2) $(fuzz_core))
	$(AM_V_CCLD)$(fuzz_engine) $^ -o $@
testsuite/fuzz/libfuzzer-gomp-5: $(call fuzz_objects,$(fuzz_gomp) $(fuzz_abi_5) $(fuzz_core))
	$(AM_V_CCLD)$(fuzz_engine) $^ -o $@
testsuite/fuzz/libfuzzer-why: $(fuzz_why) $(fuzz_headers)
	$(AM_V_CCLD)$(fuzz_compile) -fsanitize=fuzzer $(filter %.c,$^) -o $@ -DFUZZ_ENGINE
clean-local: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	rm -rf testsuite/fuzz/clang

# Whether there is a clang with libFuzzer: "yes", or the reason why not.
testsuite/fuzz/libfuzzer: $(srcdir)/testsuite/fuzz/local.mk
	@echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n);' \
		'int LLVMFuzzerTestOneInput(const char *d, unsigned long n)' \
		'{ return !d && n; }' >$@-probe.c; \
	if $(FUZZ_CC) -fsanitize=fuzzer $(fuzz_sanitize) $@-probe.c -o $@-probe \
		>$@-probe.log 2>&1; then echo yes; \
	else echo 'no $(FUZZ_CC) with libFuzzer (Debian: clang libclang-rt-dev)'; \
	fi >$@; rm -f $@-probe $@-probe.c

check_DATA += testsuite/fuzz/libfuzzer.stamp
testsuite/fuzz/libfuzzer.stamp: testsuite/fuzz/libfuzzer \
		$(fuzz_driver) $(fuzz_core) $(fuzz_abi_2) $(fuzz_abi_5) $(fuzz_headers)
	@if test "`cat testsuite/fuzz/libfuzzer`" = yes; then \
		$(MAKE) $(AM_MAKEFLAGS) testsuite/fuzz/libfuzzer-2 \
			testsuite/fuzz/libfuzzer-5 || exit 1; \
	fi; : >$@

TESTS += testsuite/fuzz/fuzz.sh
AM_TESTS_ENVIRONMENT += FUZZ_CHECK_SECONDS='$(FUZZ_CHECK_SECONDS)'; export FUZZ_CHECK_SECONDS;

# The corpus stays for the next time; what fails is left beside it as crash-*.
.PHONY: fuzz
fuzz: stage testsuite/fuzz/fuzz-2$(EXEEXT) testsuite/fuzz/fuzz-5$(EXEEXT) \
		testsuite/fuzz/libfuzzer-2 testsuite/fuzz/libfuzzer-5 \
		testsuite/fuzz/fuzz-gomp-2$(EXEEXT) testsuite/fuzz/fuzz-gomp-5$(EXEEXT) \
		testsuite/fuzz/libfuzzer-gomp-2 testsuite/fuzz/libfuzzer-gomp-5 \
		testsuite/fuzz/libfuzzer-why
	$(SHELL) $(srcdir)/testsuite/fuzz/run.sh testsuite/fuzz $(FUZZ_SECONDS)
	$(AM_TESTS_ENVIRONMENT) ROUNDS=2000 $(PYTHON) $(srcdir)/testsuite/gdb/hostile.py

CLEANFILES += testsuite/fuzz/libfuzzer testsuite/fuzz/libfuzzer-2 \
	testsuite/fuzz/libfuzzer-5 testsuite/fuzz/libfuzzer.stamp \
	testsuite/fuzz/libfuzzer-gomp-2 testsuite/fuzz/libfuzzer-gomp-5 \
	testsuite/fuzz/libfuzzer-why testsuite/fuzz/libfuzzer-probe.log
