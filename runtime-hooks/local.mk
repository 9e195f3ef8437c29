# What runtime-hooks builds; see runtime-hooks/README.md.
lib_LTLIBRARIES += libompd-hooks.la
include_HEADERS += runtime-hooks/omp-ompd.h
bin_SCRIPTS = bin/ompd-run
CLEANFILES += bin/ompd-run
EXTRA_DIST += bin/ompd-run.in
# Where the hooks are as seen from the script, for distributions that move libdir.
bin/ompd-run: $(srcdir)/bin/ompd-run.in Makefile
	@$(MKDIR_P) bin
	$(AM_V_GEN)sed "s|@LIBDIR@|`$(PYTHON) -c \
		'import os, sys; print(os.path.relpath(*sys.argv[1:]))' '$(libdir)' '$(bindir)'`|" \
		$(srcdir)/bin/ompd-run.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
EXTRA_DIST += runtime-hooks/export.map runtime-hooks/README.md
ompddocdir = $(datadir)/ompd
dist_ompddoc_DATA = runtime-hooks/ompt/OMPT.md

libompd_hooks_la_SOURCES = \
	runtime-hooks/functions.def runtime-hooks/records.def \
	runtime-hooks/layout.h runtime-hooks/records.h runtime-hooks/layout.c \
	runtime-hooks/hooks.h runtime-hooks/control.c runtime-hooks/real.c \
	runtime-hooks/locations.c runtime-hooks/breakpoints.c runtime-hooks/events.h \
	runtime-hooks/lock.h runtime-hooks/lock.c \
	runtime-hooks/memory.h runtime-hooks/memory.c \
	runtime-hooks/scratch.h runtime-hooks/scratch.c \
	runtime-hooks/threads.h runtime-hooks/threads.c \
	runtime-hooks/thread-index.h runtime-hooks/thread-index.c \
	runtime-hooks/state.h runtime-hooks/regions.c runtime-hooks/tasks.c \
	runtime-hooks/task-block.h runtime-hooks/wrap-task.c runtime-hooks/wrap-taskloop.c \
	runtime-hooks/wrap-parallel.c runtime-hooks/wrap-parallel-old.c \
	runtime-hooks/wrap-teams.c runtime-hooks/wrap-sync.c runtime-hooks/wrap-lock.c \
	runtime-hooks/wrap-work.c runtime-hooks/wrap-taskwait.c runtime-hooks/wrap-doacross.c \
	runtime-hooks/lock-records.h runtime-hooks/lock-records.c \
	runtime-hooks/dependences.h runtime-hooks/dependences.c \
	runtime-hooks/detach.h runtime-hooks/detach.c \
	runtime-hooks/environment.h runtime-hooks/environment.c \
	runtime-hooks/icvs.h runtime-hooks/icvs.c runtime-hooks/wrap-icv.c \
	runtime-hooks/globals.h runtime-hooks/globals.c runtime-hooks/settings.c \
	runtime-hooks/events.def runtime-hooks/events.c runtime-hooks/consumers.def \
	runtime-hooks/waits.h runtime-hooks/waits.c \
	runtime-hooks/work.h runtime-hooks/work.c \
	runtime-hooks/wrap-loop.c runtime-hooks/wrap-target.c \
	runtime-hooks/tools.h runtime-hooks/tools.c $(ompt_sources)

# The OMPT interface of OpenMP 5.x.
ompt_sources = \
	runtime-hooks/ompt/ompt.h runtime-hooks/ompt/callbacks.def \
	runtime-hooks/ompt/callbacks.c runtime-hooks/ompt/view.c \
	runtime-hooks/ompt/consume.h runtime-hooks/ompt/regions.c \
	runtime-hooks/ompt/tasks.c runtime-hooks/ompt/sync.c runtime-hooks/ompt/target.c \
	runtime-hooks/ompt/inquiry.h runtime-hooks/ompt/inquiry.c \
	runtime-hooks/ompt/places.c runtime-hooks/ompt/lookup.c \
	runtime-hooks/ompt/start.h runtime-hooks/ompt/start.c \
	runtime-hooks/ompt/verbose.h runtime-hooks/ompt/verbose.c \
	runtime-hooks/ompt/control.c
libompd_hooks_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -I$(srcdir)/runtime-hooks \
	-I$(srcdir)/runtime-hooks/ompt -I$(srcdir)/libompd/abi-5
HOOKS_CFLAGS = -O2 -fvisibility=hidden -ftls-model=initial-exec \
	-fexceptions -fasynchronous-unwind-tables
libompd_hooks_la_CFLAGS = $(AM_CFLAGS) $(HOOKS_CFLAGS)
# Without line numbers a debugger steps over the hooks as over the runtime itself.
HOOKS_LDFLAGS = -Wl,-S -Wl,-z,defs -Wl,--version-script=$(srcdir)/runtime-hooks/export.map
libompd_hooks_la_LDFLAGS = -module -avoid-version $(HOOKS_LDFLAGS)
EXTRA_libompd_hooks_la_DEPENDENCIES = runtime-hooks/export.map

# The same for 32-bit programs, which ompd-run recognises. Libtool has one class only.
if HOOKS32
hooks32dir = $(libdir)/32
hooks32_SCRIPTS = runtime-hooks/32/libompd-hooks.so
CLEANFILES += $(hooks32_SCRIPTS)
runtime-hooks/32/libompd-hooks.so: $(libompd_hooks_la_SOURCES) runtime-hooks/export.map
	$(AM_V_CCLD)$(MKDIR_P) runtime-hooks/32; set --; \
	for file in $(libompd_hooks_la_SOURCES); do \
		case $$file in *.c) set -- "$$@" $(srcdir)/$$file ;; esac; \
	done; \
	$(CC) -m32 $(DEFS) $(DEFAULT_INCLUDES) $(libompd_hooks_la_CPPFLAGS) \
		-DLIBRARIES_BESIDE='"../"' $(AM_CFLAGS) $(HOOKS_CFLAGS) -fPIC -shared \
		$(HOOKS_LDFLAGS) -Wl,-soname,libompd-hooks.so -o $@ "$$@"
endif

include runtime-hooks/collector/local.mk
include runtime-hooks/ompt-2/local.mk
