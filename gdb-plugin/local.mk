# What gdb-plugin builds; see gdb-plugin/README.md.
plugin_modules = \
	gdb-plugin/ompd/__init__.py \
	gdb-plugin/ompd/alike.py \
	gdb-plugin/ompd/arguments.py \
	gdb-plugin/ompd/bodies.py \
	gdb-plugin/ompd/boundaries.py \
	gdb-plugin/ompd/builds.py \
	gdb-plugin/ompd/callbacks.py \
	gdb-plugin/ompd/calls.py \
	gdb-plugin/ompd/catching.py \
	gdb-plugin/ompd/catchkinds.py \
	gdb-plugin/ompd/clauses.py \
	gdb-plugin/ompd/code_owner.py \
	gdb-plugin/ompd/conditions.py \
	gdb-plugin/ompd/constructs.py \
	gdb-plugin/ompd/corefile.py \
	gdb-plugin/ompd/counters.py \
	gdb-plugin/ompd/csource.py \
	gdb-plugin/ompd/cstatements.py \
	gdb-plugin/ompd/decoded.py \
	gdb-plugin/ompd/definitions.py \
	gdb-plugin/ompd/derived.py \
	gdb-plugin/ompd/dialect2.py \
	gdb-plugin/ompd/dialect5.py \
	gdb-plugin/ompd/directivenames.py \
	gdb-plugin/ompd/directives.py \
	gdb-plugin/ompd/enclosing.py \
	gdb-plugin/ompd/environment.py \
	gdb-plugin/ompd/errors.py \
	gdb-plugin/ompd/escaped.py \
	gdb-plugin/ompd/evidence.py \
	gdb-plugin/ompd/evidenceitems.py \
	gdb-plugin/ompd/extension5.py \
	gdb-plugin/ompd/extents.py \
	gdb-plugin/ompd/facts.py \
	gdb-plugin/ompd/fortranblocks.py \
	gdb-plugin/ompd/fortransource.py \
	gdb-plugin/ompd/framefilter.py \
	gdb-plugin/ompd/frames.py \
	gdb-plugin/ompd/functions.py \
	gdb-plugin/ompd/gdbtext.py \
	gdb-plugin/ompd/graph.py \
	gdb-plugin/ompd/holders.py \
	gdb-plugin/ompd/installed.py \
	gdb-plugin/ompd/labeller.py \
	gdb-plugin/ompd/labels.py \
	gdb-plugin/ompd/library.py \
	gdb-plugin/ompd/memory.py \
	gdb-plugin/ompd/mi.py \
	gdb-plugin/ompd/model.py \
	gdb-plugin/ompd/names.py \
	gdb-plugin/ompd/nesting.py \
	gdb-plugin/ompd/objects.py \
	gdb-plugin/ompd/options.py \
	gdb-plugin/ompd/outlined.py \
	gdb-plugin/ompd/parameters.py \
	gdb-plugin/ompd/paths.py \
	gdb-plugin/ompd/places.py \
	gdb-plugin/ompd/points.py \
	gdb-plugin/ompd/query.py \
	gdb-plugin/ompd/records5.py \
	gdb-plugin/ompd/registers.py \
	gdb-plugin/ompd/report.py \
	gdb-plugin/ompd/routines.py \
	gdb-plugin/ompd/rows.py \
	gdb-plugin/ompd/safepath.py \
	gdb-plugin/ompd/session.py \
	gdb-plugin/ompd/settings.py \
	gdb-plugin/ompd/signals.py \
	gdb-plugin/ompd/sleeps.py \
	gdb-plugin/ompd/sourcefile.py \
	gdb-plugin/ompd/space.py \
	gdb-plugin/ompd/stack.py \
	gdb-plugin/ompd/stacktree.py \
	gdb-plugin/ompd/standard5.py \
	gdb-plugin/ompd/standing.py \
	gdb-plugin/ompd/stepping.py \
	gdb-plugin/ompd/story.py \
	gdb-plugin/ompd/sync.py \
	gdb-plugin/ompd/table5.py \
	gdb-plugin/ompd/target.py \
	gdb-plugin/ompd/taskrows.py \
	gdb-plugin/ompd/text.py \
	gdb-plugin/ompd/thread_ids.py \
	gdb-plugin/ompd/threadlocal.py \
	gdb-plugin/ompd/threadstack.py \
	gdb-plugin/ompd/tree.py \
	gdb-plugin/ompd/trusted.py \
	gdb-plugin/ompd/userstack.py \
	gdb-plugin/ompd/verdicts.py \
	gdb-plugin/ompd/watching.py \
	gdb-plugin/ompd/whygraph.py \
	gdb-plugin/ompd/whytext.py \
	gdb-plugin/ompd/within.py \
	gdb-plugin/ompd/words.py
plugin_commands = \
	gdb-plugin/ompd/commands/__init__.py \
	gdb-plugin/ompd/commands/apply.py \
	gdb-plugin/ompd/commands/bt.py \
	gdb-plugin/ompd/commands/catch.py \
	gdb-plugin/ompd/commands/env.py \
	gdb-plugin/ompd/commands/finish.py \
	gdb-plugin/ompd/commands/icvs.py \
	gdb-plugin/ompd/commands/locals.py \
	gdb-plugin/ompd/commands/next.py \
	gdb-plugin/ompd/commands/off.py \
	gdb-plugin/ompd/commands/on.py \
	gdb-plugin/ompd/commands/parallel.py \
	gdb-plugin/ompd/commands/print.py \
	gdb-plugin/ompd/commands/stacks.py \
	gdb-plugin/ompd/commands/status.py \
	gdb-plugin/ompd/commands/step.py \
	gdb-plugin/ompd/commands/tasks.py \
	gdb-plugin/ompd/commands/thread.py \
	gdb-plugin/ompd/commands/threads.py \
	gdb-plugin/ompd/commands/why.py
plugin_generated = gdb-plugin/ompd/abi2.py gdb-plugin/ompd/abi5.py gdb-plugin/ompd/build.py \
	gdb-plugin/ompd/verdictwords.py

gdbpluginmodulesdir = $(gdbplugindir)/ompd
gdbplugincommandsdir = $(gdbplugindir)/ompd/commands
dist_gdbplugin_DATA = gdb-plugin/ompd-gdb.py
dist_gdbpluginmodules_DATA = $(plugin_modules)
nodist_gdbpluginmodules_DATA = $(plugin_generated)
dist_gdbplugincommands_DATA = $(plugin_commands)
EXTRA_DIST += gdb-plugin/README.md gdb-plugin/gen-abi.py gdb-plugin/gen-verdicts.py
CLEANFILES += $(plugin_generated)

# The numbers of the ABIs come from their headers, where they are written once.
gdb-plugin/ompd/abi2.py: $(srcdir)/libompd/abi-2/ompd.h $(srcdir)/gdb-plugin/gen-abi.py
	@$(MKDIR_P) gdb-plugin/ompd
	$(AM_V_GEN)$(PYTHON) $(srcdir)/gdb-plugin/gen-abi.py \
		$(srcdir)/libompd/abi-2/ompd.h >$@.tmp && mv $@.tmp $@

abi5_headers = \
	$(srcdir)/libompd/abi-5/omp-tools-ompd.h \
	$(srcdir)/libompd/abi-5/omp-tools-states.h \
	$(srcdir)/libompd/abi-5/ompd-types.h \
	$(srcdir)/libompd/ext/ompd-ext.h
gdb-plugin/ompd/abi5.py: $(abi5_headers) $(srcdir)/gdb-plugin/gen-abi.py
	@$(MKDIR_P) gdb-plugin/ompd
	$(AM_V_GEN)$(PYTHON) $(srcdir)/gdb-plugin/gen-abi.py $(abi5_headers) >$@.tmp && mv $@.tmp $@

# What libompd says of programs that do not get on, in its own words.
gdb-plugin/ompd/verdictwords.py: $(srcdir)/libompd/why/verdicts.def \
		$(srcdir)/gdb-plugin/gen-verdicts.py
	@$(MKDIR_P) gdb-plugin/ompd
	$(AM_V_GEN)$(PYTHON) $(srcdir)/gdb-plugin/gen-verdicts.py \
		$(srcdir)/libompd/why/verdicts.def >$@.tmp && mv $@.tmp $@

# Where the libraries are as seen from the plugin, for distributions that move libdir.
gdb-plugin/ompd/build.py: Makefile
	@$(MKDIR_P) gdb-plugin/ompd
	$(AM_V_GEN)$(PYTHON) -c 'import os, sys; print("LIBDIR = %r" % os.path.relpath(*sys.argv[1:]))' \
		'$(libdir)' '$(gdbplugindir)' >$@

# Scripts that gdb loads by itself with the hooks and with the stock libgomp, which the
# compiler names. With prefix /usr the second stands where gdb looks.
EXTRA_DIST += gdb-plugin/gen-auto-load.py
autoloaddir = $(datadir)/gdb/auto-load
install_data_hooks += install-auto-load
uninstall_hooks += uninstall-auto-load
auto_load_scripts = '$(libdir)/libompd-hooks.so-gdb.py' \
	"$(autoloaddir)$$(readlink -f "$$($(CC) -print-file-name=libgomp.so)")-gdb.py"
if HOOKS32
auto_load_scripts += '$(hooks32dir)/libompd-hooks.so-gdb.py'
endif
.PHONY: install-auto-load uninstall-auto-load
install-auto-load:
	@for script in $(auto_load_scripts); do \
		$(MKDIR_P) "$(DESTDIR)$${script%/*}" && \
		$(PYTHON) $(srcdir)/gdb-plugin/gen-auto-load.py '$(gdbplugindir)' "$$script" \
			>"$(DESTDIR)$$script" || exit 1; \
	done
uninstall-auto-load:
	@for script in $(auto_load_scripts); do rm -f "$(DESTDIR)$$script"; done
