# Tests of the Collector API and of OMPT as the 2016 report has it.
collector_tests = testsuite/tools/collector_requests.sh testsuite/tools/collector_events.sh \
	testsuite/tools/collector_late.sh testsuite/tools/collector_more.sh \
	testsuite/tools/ompt_2.sh testsuite/tools/sampling.sh \
	testsuite/tools/ompt2_inquiry.sh testsuite/tools/tables.sh testsuite/tools/agree.py
TESTS += $(collector_tests)

check_PROGRAMS += testsuite/tools/collector-requests
testsuite_tools_collector_requests_SOURCES = testsuite/tools/collector_requests.c
testsuite_tools_collector_requests_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

check_PROGRAMS += testsuite/tools/collector-late
testsuite_tools_collector_late_SOURCES = testsuite/tools/collector_late.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_tools_collector_late_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_tools_collector_late_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

check_PROGRAMS += testsuite/tools/collector-events
testsuite_tools_collector_events_SOURCES = testsuite/tools/collector_events.c \
	testsuite/unit/hooks_records.c testsuite/unit/hooks_records.h
testsuite_tools_collector_events_CFLAGS = $(AM_CFLAGS) -fopenmp
testsuite_tools_collector_events_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
