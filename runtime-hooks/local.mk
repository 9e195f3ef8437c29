# What runtime-hooks builds; see runtime-hooks/README.md.
lib_LTLIBRARIES += libompd-hooks.la
include_HEADERS += runtime-hooks/omp-ompd.h
EXTRA_DIST += runtime-hooks/export.map runtime-hooks/README.md
ompddocdir = $(datadir)/ompd
dist_ompddoc_DATA = runtime-hooks/consumers/ompt/OMPT.md runtime-hooks/consumers/ompt-2/OMPT-2.md \
	runtime-hooks/consumers/collector/COLLECTOR.md

# A folder is a layer; README.md has their include rules, testsuite/unit/includes.sh tests them.
hooks_core = runtime-hooks/core/call-site.h runtime-hooks/core/call-site.c \
	runtime-hooks/core/clock.h runtime-hooks/core/clock.c \
	runtime-hooks/core/environment.h runtime-hooks/core/environment.c \
	runtime-hooks/core/functions.h runtime-hooks/core/functions.c \
	runtime-hooks/core/hooks.h runtime-hooks/core/images.h runtime-hooks/core/images.c \
	runtime-hooks/core/lock.h runtime-hooks/core/lock.c \
	runtime-hooks/core/runtimes.h runtime-hooks/core/runtimes.c \
	runtime-hooks/core/tool-libraries.h runtime-hooks/core/tool-libraries.c \
	runtime-hooks/core/verbose.h runtime-hooks/core/verbose.c
hooks_records = runtime-hooks/records/dependences.h runtime-hooks/records/dependences.c \
	runtime-hooks/records/layout.h runtime-hooks/records/layout.c \
	runtime-hooks/records/memory.h runtime-hooks/records/memory.c \
	runtime-hooks/records/records.def runtime-hooks/records/records.h \
	runtime-hooks/records/runtime-list.h runtime-hooks/records/runtime-list.c \
	runtime-hooks/records/thread-index.h runtime-hooks/records/thread-index.c \
	runtime-hooks/records/ticks.h runtime-hooks/records/ticks.c
hooks_state = runtime-hooks/state/breakpoints.c runtime-hooks/state/crash.h \
	runtime-hooks/state/crash.c runtime-hooks/state/detach.h \
	runtime-hooks/state/detach.c runtime-hooks/state/ending.c runtime-hooks/state/events.def \
	runtime-hooks/state/events.h runtime-hooks/state/globals.h \
	runtime-hooks/state/globals.c runtime-hooks/state/icvs.h runtime-hooks/state/icvs.c \
	runtime-hooks/state/lock-records.h runtime-hooks/state/lock-records.c \
	runtime-hooks/state/mappings.h runtime-hooks/state/mappings.c \
	runtime-hooks/state/region-events.h runtime-hooks/state/region-events.c \
	runtime-hooks/state/regions.c runtime-hooks/state/self.h runtime-hooks/state/self.c \
	runtime-hooks/state/settings.c runtime-hooks/state/state.h runtime-hooks/state/targets.h \
	runtime-hooks/state/tasks.c runtime-hooks/state/threads.h runtime-hooks/state/threads.c \
	runtime-hooks/state/waits.h runtime-hooks/state/waits.c runtime-hooks/state/work.h \
	runtime-hooks/state/work.c
hooks_wrappers = runtime-hooks/wrappers/doacross.c runtime-hooks/wrappers/icv.c \
	runtime-hooks/wrappers/lock.c runtime-hooks/wrappers/loop.c \
	runtime-hooks/wrappers/parallel.c runtime-hooks/wrappers/parallel-old.c \
	runtime-hooks/wrappers/runtime-tasks.c \
	runtime-hooks/wrappers/sync.c runtime-hooks/wrappers/target.c \
	runtime-hooks/wrappers/league.h \
	runtime-hooks/wrappers/task.c runtime-hooks/wrappers/task-block.h \
	runtime-hooks/wrappers/taskloop.c runtime-hooks/wrappers/taskwait.c \
	runtime-hooks/wrappers/teams.c runtime-hooks/wrappers/work.c
hooks_ompt_source = runtime-hooks/ompt-source/bind.c \
	runtime-hooks/ompt-source/chain.h runtime-hooks/ompt-source/chain.c \
	runtime-hooks/ompt-source/chained.def runtime-hooks/ompt-source/regions.c \
	runtime-hooks/ompt-source/source.h runtime-hooks/ompt-source/start.c \
	runtime-hooks/ompt-source/sync.c runtime-hooks/ompt-source/targets.c \
	runtime-hooks/ompt-source/tasks.c \
	runtime-hooks/ompt-source/words.h runtime-hooks/ompt-source/words.c
hooks_consumers = runtime-hooks/consumers/dispatch.c \
	runtime-hooks/consumers/tools.h runtime-hooks/consumers/tools.c
hooks_ompt = runtime-hooks/consumers/ompt/callbacks.def \
	runtime-hooks/consumers/ompt/callbacks.c runtime-hooks/consumers/ompt/consume.h \
	runtime-hooks/consumers/ompt/control.c runtime-hooks/consumers/ompt/inquiry.h \
	runtime-hooks/consumers/ompt/inquiry.c runtime-hooks/consumers/ompt/lookup.c \
	runtime-hooks/consumers/ompt/ompt.h runtime-hooks/consumers/ompt/places.c \
	runtime-hooks/consumers/ompt/regions.c runtime-hooks/consumers/ompt/start.h \
	runtime-hooks/consumers/ompt/start.c runtime-hooks/consumers/ompt/sync.c \
	runtime-hooks/consumers/ompt/target.c runtime-hooks/consumers/ompt/tasks.c \
	runtime-hooks/consumers/ompt/view.c
hooks_ompt_2 = runtime-hooks/consumers/ompt-2/callbacks.c \
	runtime-hooks/consumers/ompt-2/events.def runtime-hooks/consumers/ompt-2/events.c \
	runtime-hooks/consumers/ompt-2/inquiry.c runtime-hooks/consumers/ompt-2/ompt-2.h \
	runtime-hooks/consumers/ompt-2/register.h runtime-hooks/consumers/ompt-2/register.c
hooks_collector = runtime-hooks/consumers/collector/answers.c \
	runtime-hooks/consumers/collector/collector.h \
	runtime-hooks/consumers/collector/events.def \
	runtime-hooks/consumers/collector/events.c \
	runtime-hooks/consumers/collector/requests.c \
	runtime-hooks/consumers/collector/session.c
hooks_history = runtime-hooks/consumers/history/history.h \
	runtime-hooks/consumers/history/history.c
hooks_orders = runtime-hooks/consumers/orders/orders.h \
	runtime-hooks/consumers/orders/orders.c
hooks_sums = runtime-hooks/consumers/sums/sums.h runtime-hooks/consumers/sums/sums.c
hooks_loader = runtime-hooks/loader/busy.h runtime-hooks/loader/busy.c \
	runtime-hooks/loader/closed.h runtime-hooks/loader/closed.c \
	runtime-hooks/loader/control.c runtime-hooks/loader/counter.c \
	runtime-hooks/loader/fork.c \
	runtime-hooks/loader/inheritance.h runtime-hooks/loader/inheritance.c \
	runtime-hooks/loader/libc.h runtime-hooks/loader/loader.h runtime-hooks/loader/locations.c \
	runtime-hooks/loader/main.c runtime-hooks/loader/mark.h \
	runtime-hooks/loader/mark.c runtime-hooks/loader/signals.c runtime-hooks/loader/unload.c
EXTRA_DIST += runtime-hooks/entry-points.def
libompd_hooks_la_SOURCES = runtime-hooks/functions.def \
	$(hooks_core) $(hooks_records) $(hooks_state) $(hooks_wrappers) $(hooks_ompt_source) $(hooks_consumers) \
	$(hooks_ompt) $(hooks_ompt_2) $(hooks_collector) $(hooks_history) $(hooks_orders) $(hooks_sums) $(hooks_loader)
libompd_hooks_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE -I$(srcdir)/runtime-hooks \
	-I$(srcdir)/libompd/abi-5
HOOKS_CFLAGS = -O2 -fvisibility=hidden -ftls-model=initial-exec \
	-fexceptions -fasynchronous-unwind-tables
libompd_hooks_la_CFLAGS = $(AM_CFLAGS) $(HOOKS_CFLAGS)
# Without line numbers a debugger steps over the hooks as over the runtime itself.
HOOKS_LDFLAGS = -Wl,-S -Wl,-z,defs -Wl,-z,nodelete -Wl,--version-script=$(srcdir)/runtime-hooks/export.map
libompd_hooks_la_LDFLAGS = -module -avoid-version $(HOOKS_LDFLAGS)
# Up to glibc 2.33 these are libraries of their own.
HOOKS_LIBS = -ldl -lpthread
libompd_hooks_la_LIBADD = $(HOOKS_LIBS)
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
	$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(libompd_hooks_la_CPPFLAGS) $(CPPFLAGS) \
		-DLIBRARIES_BESIDE='"../"' $(AM_CFLAGS) $(HOOKS_CFLAGS) $(CFLAGS) -m32 -fPIC -shared \
		$(LDFLAGS) $(HOOKS_LDFLAGS) -Wl,-soname,libompd-hooks.so -o $@ "$$@" $(HOOKS_LIBS)

# What glibc puts in the place of $LIB: 64 bits on Debian and elsewhere, then 32 bits on
# Debian for i386, Debian and others for x86-64, and elsewhere.
install_exec_hooks += install-hooks-links
uninstall_hooks += uninstall-hooks-links
install-hooks-links:
	cd "$(DESTDIR)$(libdir)" && $(MKDIR_P) ompd/lib/x86_64-linux-gnu \
		ompd/lib/i386-linux-gnu ompd/lib64 ompd/lib32
	cd "$(DESTDIR)$(libdir)/ompd" && set -e; name=libompd-hooks.so; \
		ln -sf ../../../$$name lib/x86_64-linux-gnu; ln -sf ../../$$name lib64; \
		ln -sf ../../../32/$$name lib/i386-linux-gnu; \
		ln -sf ../../32/$$name lib32; ln -sf ../../32/$$name lib
uninstall-hooks-links:
	rm -rf "$(DESTDIR)$(libdir)/ompd"
endif

# Starts programs with the hooks, which it finds from where it is installed.
bin_PROGRAMS += runtime-hooks/run/ompd-run
runtime_hooks_run_ompd_run_SOURCES = runtime-hooks/run/ompd-run.c \
	runtime-hooks/run/library.h runtime-hooks/run/library.c \
	runtime-hooks/run/program.h runtime-hooks/run/program.c \
	runtime-hooks/loader/mark.h runtime-hooks/loader/mark.c
runtime_hooks_run_ompd_run_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/runtime-hooks \
	-DOMPD_VERSION="\"$(VERSION)\"" \
	-DLIBDIR="\"`$(PYTHON) -c 'import os, sys; print(os.path.relpath(*sys.argv[1:]))' \
		'$(libdir)' '$(bindir)'`\""
runtime_hooks_run_ompd_run_CFLAGS = $(AM_CFLAGS)
runtime_hooks_run_ompd_run_LDADD = $(HOOKS_LIBS)
dist_man_MANS += runtime-hooks/run/ompd-run.1

# For programs that are linked to the hooks. Written by "make install", for its directories: relative
# to the file, so that an installation may be moved, unless a packager has put it elsewhere. A
# program's rpath must not lead through a directory that comes with other packages.
EXTRA_DIST += runtime-hooks/ompd-hooks.pc.in
install_data_hooks += install-pkgconfig
uninstall_hooks += uninstall-pkgconfig
.PHONY: install-pkgconfig uninstall-pkgconfig install-hooks-links uninstall-hooks-links
install-pkgconfig:
	$(MKDIR_P) "$(DESTDIR)$(pkgconfigdir)"
	libdir='$(libdir)' includedir='$(includedir)'; \
	if test '$(pkgconfigdir)' = "$$libdir/pkgconfig"; then \
		includedir='$${pcfiledir}/'`$(PYTHON) -c \
			'import os.path, sys; print(os.path.relpath(*sys.argv[1:]))' \
			"$$includedir" '$(pkgconfigdir)'`; \
		libdir='$${pcfiledir}/..'; \
	fi; \
	sed -e "s|[@]libdir@|$$libdir|" -e "s|[@]includedir@|$$includedir|" \
		-e 's|[@]VERSION@|$(PACKAGE_VERSION)|' $(srcdir)/runtime-hooks/ompd-hooks.pc.in \
		>"$(DESTDIR)$(pkgconfigdir)/ompd-hooks.pc"
uninstall-pkgconfig:
	rm -f "$(DESTDIR)$(pkgconfigdir)/ompd-hooks.pc"

# The Collector API, and OMPT of the report of February 2016: that in a directory of its own, as
# older compilers install an ompt.h, too.
include_HEADERS += runtime-hooks/consumers/collector/omp_collector_api.h
ompt2includedir = $(includedir)/ompt-2
ompt2include_HEADERS = runtime-hooks/consumers/ompt-2/ompt.h \
	runtime-hooks/consumers/ompt-2/ompt-functions.h \
	runtime-hooks/consumers/ompt-2/ompt-target.h
EXTRA_DIST += runtime-hooks/consumers/tool-table.awk
