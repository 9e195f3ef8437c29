# The Collector API in the hooks; see runtime-hooks/collector/README.md.
include_HEADERS += runtime-hooks/collector/omp_collector_api.h
EXTRA_DIST += runtime-hooks/collector/README.md runtime-hooks/tool-table.awk
libompd_hooks_la_SOURCES += \
	runtime-hooks/self.h runtime-hooks/self.c \
	runtime-hooks/collector/collector.h runtime-hooks/collector/events.def \
	runtime-hooks/collector/requests.c runtime-hooks/collector/session.c \
	runtime-hooks/collector/answers.c runtime-hooks/collector/events.c
