# Platforms other than the one that this is built on; see testsuite/platforms/README.md. What
# is fetched stays in platforms/ of the build directory until it is deleted.
SUITES = bullseye gcc-11 gcc-13 trixie questing sid
PLATFORMS = testsuite/platforms
platforms_environment = \
	cache='$(abs_builddir)/platforms' \
	HOOKS_SOURCES="`for f in $(libompd_hooks_la_SOURCES); do \
		case $$f in *.c) echo '$(abs_srcdir)'/$$f ;; esac; done | tr '\n' ' '`" \
	HOOKS_FLAGS='$(DEFS) $(DEFAULT_INCLUDES) $(libompd_hooks_la_CPPFLAGS) $(AM_CFLAGS) \
		$(HOOKS_CFLAGS) $(HOOKS_LDFLAGS)'

# STOPS and CORES: how often the truth test stops a process and looks at a core.
.PHONY: check-libgomps
check-libgomps: stage
	@$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) >/dev/null
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) STOPS='$(STOPS)' CORES='$(CORES)' \
		$(srcdir)/$(PLATFORMS)/check-libgomps.sh $(SUITES)

# Other machines, by Debian's name of each and a suite that has it; check-aarch64: that one alone.
AARCH64_SUITES = bookworm bullseye trixie sid
CROSS = riscv64:trixie ppc64el:bookworm s390x:bookworm armhf:bookworm
.PHONY: check-cross check-aarch64
check-cross check-aarch64: stage
	@$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) >/dev/null
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) STOPS='$(STOPS)' CLANG='$(CLANG)' \
		$(srcdir)/$(PLATFORMS)/check-cross.sh $(AARCH64_SUITES:%=arm64:%) \
		`test $@ = check-aarch64 || echo '$(CROSS)'`

.PHONY: check-libomp
check-libomp: stage
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) CLANG='$(CLANG)' \
		$(srcdir)/$(PLATFORMS)/check-libomp.sh

# Runtimes, and how many checks of LLVM's must succeed.
LLVM_API = libgomp:110 14:105 19:105
.PHONY: check-llvm-api
check-llvm-api: stage
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) CLANG='$(CLANG)' \
		$(srcdir)/$(PLATFORMS)/check-llvm-api.sh $(LLVM_API)

# Runtimes, and how many of LLVM's tests must pass.
LLVM_OMPT = libomp:95 libgomp:38
.PHONY: check-llvm-ompt
check-llvm-ompt: stage
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) CLANG='$(CLANG)' \
		$(srcdir)/$(PLATFORMS)/check-llvm-ompt.sh $(LLVM_OMPT)

# Runtimes, and how many programs of each are compared at least. TARGET_SUITES: a folder with gcc and llvm-project.
TARGET_RUNTIMES = libgomp:150 libomptarget:50
.PHONY: check-target-suites
check-target-suites: stage
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) CLANG='$(CLANG)' TARGET_SUITES='$(TARGET_SUITES)' \
		$(srcdir)/$(PLATFORMS)/check-target-suites.sh $(TARGET_RUNTIMES)

.PHONY: check-tools
check-tools: stage
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) CLANG='$(CLANG)' \
		$(srcdir)/$(PLATFORMS)/check-tools.sh

# Suites and the versions of LLVM that they have.
LIBOMPS = bookworm:14 bookworm:15 bookworm:16 trixie:17 trixie:18 bookworm:19 trixie:19 \
	questing:20 questing:21 resolute:22 sid:23
.PHONY: check-libomps
check-libomps: stage
	@$(MAKE) $(AM_MAKEFLAGS) testsuite/host/test-gomp-truth$(EXEEXT) >/dev/null
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) CLANG='$(CLANG)' STOPS='$(STOPS)' \
		CORES='$(CORES)' $(srcdir)/$(PLATFORMS)/check-libomps.sh $(LIBOMPS)

# SEEDS: how many programs.
LIBOMPTARGETS = bookworm:15 bookworm:16 trixie:17 trixie:18 bookworm:19 questing:20 questing:21
.PHONY: check-libomptargets
check-libomptargets: stage
	@$(MAKE) $(AM_MAKEFLAGS) testsuite/host/ompd-host$(EXEEXT) >/dev/null
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) SEEDS='$(SEEDS)' \
		$(srcdir)/$(PLATFORMS)/check-libomptargets.sh $(LIBOMPTARGETS)

# On a GPU; what that takes is made in gpu/, which may be carried to a machine that has one.
.PHONY: check-gpu
check-gpu: stage
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) $(srcdir)/testsuite/devices/gpu.sh '$(abs_builddir)/gpu'

# GDB_TESTS: which of the tests of ../gdb.
GDB_SUITES = bullseye trixie sid
GDB_TESTS = $(gdb_tests)
.PHONY: check-gdbs
check-gdbs: stage
	@$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) >/dev/null
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) TESTS='$(GDB_TESTS)' \
		$(srcdir)/$(PLATFORMS)/check-gdbs.sh $(GDB_SUITES)

# SUITE:VERSION; "here" is what is installed. LLDB_TESTS: which of the tests of ../lldb, or
# testsuite/lldb/against_command.py: all programs of ../why in all modes, some hours each.
LLDBS = here:14 bookworm:16 bookworm:19 trixie:19 sid:23
LLDB_TESTS = $(lldb_tests)
.PHONY: check-lldbs
check-lldbs: stage
	@$(MAKE) $(AM_MAKEFLAGS) testsuite/common/no-32-bit >/dev/null
	@$(AM_TESTS_ENVIRONMENT) $(platforms_environment) TESTS='$(LLDB_TESTS)' \
		$(srcdir)/$(PLATFORMS)/check-lldbs.sh $(LLDBS)

# ./bootstrap check on other systems, from bare roots; CHECK_TESTS: which tests.
CHECK_SUITES = bookworm trixie sid
.PHONY: check-suites
check-suites:
	@$(AM_TESTS_ENVIRONMENT) cache='$(abs_builddir)/platforms' CHECK_TESTS='$(CHECK_TESTS)' \
		$(srcdir)/$(PLATFORMS)/check-suites.sh $(CHECK_SUITES)

# The Debian packages, made in each suite, installed in a bare root, tried and removed.
PACKAGE_SUITES = bookworm trixie sid
.PHONY: check-packages
check-packages:
	@$(AM_TESTS_ENVIRONMENT) cache='$(abs_builddir)/platforms' \
		$(srcdir)/$(PLATFORMS)/check-packages.sh $(PACKAGE_SUITES)

# The recipes of packaging/ that tools of Debian carry, on what ./bootstrap release has made.
.PHONY: check-recipes
check-recipes:
	@$(AM_TESTS_ENVIRONMENT) cache='$(abs_builddir)/platforms/release' \
		$(srcdir)/$(PLATFORMS)/check-recipes.sh '$(abs_builddir)/release'

# The archives of a release, made twice and tried in bare roots.
RELEASE_SUITES = bullseye bookworm trixie sid xenial bionic focal jammy
.PHONY: check-release
check-release: stage
	@$(AM_TESTS_ENVIRONMENT) cache='$(abs_builddir)/platforms/release' \
		$(srcdir)/$(PLATFORMS)/check-release.sh $(RELEASE_SUITES)
