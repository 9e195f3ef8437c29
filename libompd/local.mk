# What libompd builds; see libompd/README.md.
include_HEADERS += libompd/abi-2/ompd.h

# In a directory of their own, so that they hide no compiler's omp-tools.h.
ompdincludedir = $(includedir)/ompd
ompdinclude_HEADERS = \
	libompd/abi-5/omp-tools.h libompd/abi-5/omp-tools-states.h \
	libompd/abi-5/omp-tools-ompd.h libompd/abi-5/omp-tools-ompt.h \
	libompd/abi-5/omp-tools-records.h libompd/abi-5/ompd-types.h libompd/ext/ompd-ext.h libompd/why/verdicts.def

EXTRA_DIST += libompd/README.md

# The reader of a stock libgomp: its layouts are tables that layout-gen prints.
gomp_sources = \
	libompd/runtime/gomp.h libompd/runtime/gomp-task.h libompd/runtime/gomp.c \
	libompd/runtime/gomp-fields.def libompd/runtime/gomp-layout.h \
	libompd/runtime/gomp-layout.c libompd/runtime/gomp-layouts/gcc-10.def \
	libompd/runtime/gomp-layouts/gcc-11.def libompd/runtime/gomp-layouts/gcc-12.def \
	libompd/runtime/gomp-layouts/gcc-13.def \
	libompd/runtime/gomp-version.c libompd/runtime/gomp-open.c \
	libompd/runtime/gomp-read.c \
	libompd/runtime/gomp-pthreads.c libompd/runtime/gomp-threads.c \
	libompd/runtime/gomp-nesting.c libompd/runtime/gomp-classify.c \
	libompd/runtime/gomp-members.c libompd/runtime/gomp-team.c \
	libompd/runtime/gomp-task-ref.c libompd/runtime/gomp-ancestors.c libompd/runtime/gomp-aside.c \
	libompd/runtime/gomp-task-locate.c libompd/runtime/gomp-runner.c \
	libompd/runtime/gomp-task.c libompd/runtime/gomp-task-walk.h \
	libompd/runtime/gomp-task-queue.c libompd/runtime/gomp-task-walk.c \
	libompd/runtime/gomp-wait.c libompd/runtime/gomp-barrier.c \
	libompd/runtime/gomp-depend.c libompd/runtime/gomp-locks.c \
	libompd/runtime/gomp-icvs.c libompd/runtime/gomp-loop.c libompd/runtime/gomp-devices.c

# The reader of LLVM's runtime.
kmp_sources = \
	libompd/runtime/kmp.h libompd/runtime/kmp.c \
	libompd/runtime/kmp-fields.def libompd/runtime/kmp-layout.h \
	libompd/runtime/kmp-layout.c libompd/runtime/kmp-layouts/llvm-14.def \
	libompd/runtime/kmp-layouts/llvm-15.def libompd/runtime/kmp-layouts/llvm-16.def \
	libompd/runtime/kmp-layouts/llvm-17.def libompd/runtime/kmp-layouts/llvm-18.def \
	libompd/runtime/kmp-layouts/llvm-19.def libompd/runtime/kmp-layouts/llvm-21.def \
	libompd/runtime/kmp-layouts/aarch64.def \
	libompd/runtime/kmp-open.c libompd/runtime/kmp-read.c \
	libompd/runtime/kmp-threads.c libompd/runtime/kmp-classify.c \
	libompd/runtime/kmp-team.c libompd/runtime/kmp-task.c \
	libompd/runtime/kmp-task-walk.c libompd/runtime/kmp-wait.c \
	libompd/runtime/kmp-locks.c libompd/runtime/kmp-icvs.c libompd/runtime/kmp-devices.c

if ENABLE_TESTS
noinst_PROGRAMS += libompd/tools/layout-gen
endif
libompd_tools_layout_gen_SOURCES = libompd/tools/layout-gen.c
libompd_tools_layout_gen_LDADD = $(LIBDWARF_LIBS)

# The core twice over would be twice the objects: one convenience library serves both
# interfaces and the unit tests.
noinst_LTLIBRARIES += libompd/libompd-core.la libompd/libompd-abi-2.la \
	libompd/libompd-abi-5.la
libompd_libompd_core_la_SOURCES = \
	libompd/core.h libompd/array.h libompd/array.c \
	libompd/tables/rc.def libompd/tables/states.def libompd/tables/routines.def \
	libompd/target/target.h libompd/target/memory.c libompd/target/field.c \
	libompd/target/images.c libompd/target/exports.c \
	libompd/runtime/reader.h libompd/runtime/reader.c libompd/runtime/detect.c \
	libompd/runtime/instance.c libompd/runtime/instances.c \
	libompd/runtime/hooks.h libompd/runtime/hooks.c libompd/runtime/hooks-layout.c \
	libompd/runtime/hooks-history.c libompd/runtime/hooks-mappings.c \
	libompd/runtime/hooks-orders.c libompd/runtime/hooks-sums.c \
	libompd/runtime/hooks-threads.c libompd/runtime/hooks-thread-facts.c libompd/runtime/hooks-team.c \
	libompd/runtime/recorded.h libompd/runtime/recorded.c libompd/runtime/recorded-reader.c \
	libompd/runtime/recorded-gomp.c libompd/runtime/recorded-kmp.c \
	libompd/runtime/recorded-thread.c libompd/runtime/recorded-threads.c \
	libompd/runtime/recorded-pairs.c libompd/runtime/recorded-teams.c \
	libompd/runtime/recorded-tasks.c libompd/runtime/recorded-locks.c \
	libompd/runtime/probe.h libompd/runtime/probe.c libompd/runtime/probe-code.c \
	libompd/runtime/probe-x86-64.c libompd/runtime/probe-aarch64.c \
	libompd/runtime/query.h libompd/runtime/query.c \
	libompd/runtime/memory-reader.h libompd/runtime/memory-reader.c \
	libompd/runtime/environment.c libompd/runtime/devices.h libompd/runtime/devices.c \
	libompd/runtime/pthreads.h libompd/runtime/pthreads.c \
	libompd/runtime/address-set.h libompd/runtime/address-set.c \
	$(gomp_sources) $(kmp_sources) \
	libompd/handle/handle.h libompd/handle/callbacks.h libompd/handle/routines.h libompd/handle/space.c libompd/handle/handle.c \
	libompd/handle/device.c libompd/handle/object.c \
	libompd/handle/handle-string.c libompd/handle/handle-vector.c \
	libompd/handle/handle-navigation.c libompd/handle/implicit-region.c \
	libompd/handle/facts.c \
	libompd/tables/icvs.def libompd/target/string.c \
	libompd/runtime/hooks-slabs.c libompd/runtime/hooks-tasks.c \
	libompd/runtime/hooks-locks.c libompd/runtime/hooks-icvs.c \
	libompd/runtime/hooks-settings.c \
	libompd/handle/icv.h libompd/handle/icv.c libompd/handle/icv-value.h \
	libompd/handle/icv-value.c libompd/handle/scope.c \
	libompd/handle/settings.h libompd/handle/settings.c \
	libompd/survey/survey.h libompd/survey/parts.c libompd/survey/runtimes.c \
	libompd/survey/threads.c libompd/survey/tasks.c libompd/survey/dependences.c \
	libompd/survey/locks.c libompd/survey/barriers.c libompd/survey/regions.c \
	libompd/survey/team-size.c libompd/survey/one-thread.c libompd/survey/devices.c \
	libompd/why/why.h libompd/why/graph.h libompd/why/graph.c libompd/why/stuck.c \
	libompd/why/components.c libompd/why/judge.h libompd/why/judge.c \
	libompd/why/deadlock.c libompd/why/absent.c libompd/why/polls.c libompd/why/starved.c \
	libompd/why/waiting.c libompd/why/why.c
libompd_libompd_core_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)

# The entry points of an interface over the core, also linked into its unit tests.
libompd_libompd_abi_2_la_SOURCES = \
	libompd/abi-2/ompd.h libompd/abi-2/abi.h libompd/abi-2/callbacks.c \
	libompd/abi-2/entry-library.c libompd/abi-2/entry-routines.c \
	libompd/abi-2/entry-thread.c libompd/abi-2/entry-settings.c
libompd_libompd_abi_2_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)
libompd_libompd_abi_2_la_LIBADD = libompd/libompd-core.la

libompd_libompd_abi_5_la_SOURCES = \
	libompd/abi-5/abi.h libompd/abi-5/callbacks.c \
	libompd/abi-5/entry-library.c libompd/abi-5/entry-routines.c libompd/abi-5/entry-thread.c \
	libompd/abi-5/entry-parallel.c \
	libompd/abi-5/entry-state.c libompd/abi-5/entry-settings.c \
	libompd/ext/answer.h libompd/ext/answer.c libompd/ext/entry-objects.c \
	libompd/ext/entry-threads.c libompd/ext/entry-runtimes.c libompd/ext/entry-devices.c libompd/ext/entry-tasks.c \
	libompd/ext/entry-waits.c libompd/ext/entry-causes.c libompd/ext/entry-why.c
# Installed headers stand side by side and include each other so.
libompd_libompd_abi_5_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/libompd/abi-5
libompd_libompd_abi_5_la_CFLAGS = $(AM_CFLAGS) $(SANITIZE)
libompd_libompd_abi_5_la_LIBADD = libompd/libompd-core.la

# What a library exports is its .abilist, and nothing else.
make_export_map = $(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '{ global:'; \
	sed 's/$$/;/' $<; echo 'local: *; };'; } >$@

ompd_plugin_ldflags = -module -avoid-version $(SANITIZE)

lib_LTLIBRARIES += libompd-2.la
libompd_2_la_SOURCES =
libompd_2_la_LIBADD = libompd/libompd-abi-2.la
libompd_2_la_LDFLAGS = $(ompd_plugin_ldflags) \
	-Wl,--version-script=libompd/abi-2/export.map
libompd_2_la_DEPENDENCIES = $(libompd_2_la_LIBADD) libompd/abi-2/export.map
EXTRA_DIST += libompd/abi-2/libompd-2.abilist
libompd/abi-2/export.map: libompd/abi-2/libompd-2.abilist
	$(make_export_map)
CLEANFILES += libompd/abi-2/export.map

lib_LTLIBRARIES += libompd.la
libompd_la_SOURCES =
libompd_la_LIBADD = libompd/libompd-abi-5.la
libompd_la_LDFLAGS = $(ompd_plugin_ldflags) \
	-Wl,--version-script=libompd/abi-5/export.map
libompd_la_DEPENDENCIES = $(libompd_la_LIBADD) libompd/abi-5/export.map
EXTRA_DIST += libompd/abi-5/libompd.abilist
libompd/abi-5/export.map: libompd/abi-5/libompd.abilist
	$(make_export_map)
CLEANFILES += libompd/abi-5/export.map
