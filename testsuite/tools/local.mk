# What testsuite/tools builds and runs: tools of OMPT, which the tests compile themselves
# against the installed header, as users do.
TESTS += testsuite/tools/registration.py

# What is told when threads and the process end.
TESTS += testsuite/tools/endings.py

# The tool of doc/tool-authors.md.
TESTS += testsuite/tools/count_tool.py

# Leagues of teams that the host runs.
TESTS += testsuite/tools/leagues.sh
check_PROGRAMS += testsuite/tools/leagues
testsuite_tools_leagues_SOURCES = testsuite/tools/leagues.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_tools_leagues_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_tools_leagues_CPPFLAGS = $(AM_CPPFLAGS) -Istage/include
testsuite_tools_leagues_LDFLAGS = $(AM_LDFLAGS) -rdynamic

# Tasks that the runtime makes by itself.
TESTS += testsuite/tools/runtime_tasks.sh

# The event checker, and streams of events that it must tell as wrong.
TESTS += testsuite/tools/checker.py

# Event by event against LLVM's runtime, by the table of OMPT.md; also of whole programs.
TESTS += testsuite/tools/agree_events.py
EVENT_FILES = $(addprefix $(srcdir)/testsuite/programs/, \
	atomic.c critical.c doacross.c execs.c files.c sections.c settings.c)
.PHONY: check-events
check-events: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/tools/agree_events.py
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/tools/agree_events.py \
		--programs $(EVENT_FILES)

# Archer, where it is installed.
TESTS += testsuite/tools/archer.py

# A tool of the user on LLVM's runtime, beside ours.
TESTS += testsuite/tools/chained.py

# A minute of signals to each of the sampling profilers.
.PHONY: check-sampling
check-sampling: stage
	$(AM_TESTS_ENVIRONMENT) SAMPLING_SECONDS=60 sh $(srcdir)/testsuite/tools/sampling.sh

# Every name of the official header.
TESTS += testsuite/tools/names.sh
