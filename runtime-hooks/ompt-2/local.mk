# OMPT as the report of February 2016 has it; see runtime-hooks/ompt-2/README.md. In a
# directory of its own, as older compilers have an ompt.h of theirs.
ompt2includedir = $(includedir)/ompt-2
ompt2include_HEADERS = runtime-hooks/ompt-2/ompt.h runtime-hooks/ompt-2/ompt-functions.h \
	runtime-hooks/ompt-2/ompt-target.h
EXTRA_DIST += runtime-hooks/ompt-2/README.md
libompd_hooks_la_SOURCES += \
	runtime-hooks/ompt-2/ompt-2.h runtime-hooks/ompt-2/register.h \
	runtime-hooks/ompt-2/events.def runtime-hooks/ompt-2/callbacks.c \
	runtime-hooks/ompt-2/inquiry.c runtime-hooks/ompt-2/events.c \
	runtime-hooks/ompt-2/register.c
