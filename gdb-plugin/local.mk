# What gdb-plugin builds; see gdb-plugin/README.md.
plugin_modules = \
	gdb-plugin/ompd/__init__.py \
	gdb-plugin/ompd/arguments.py \
	gdb-plugin/ompd/bodies.py \
	gdb-plugin/ompd/callbacks.py \
	gdb-plugin/ompd/catching.py \
	gdb-plugin/ompd/catchkinds.py \
	gdb-plugin/ompd/constructs.py \
	gdb-plugin/ompd/counters.py \
	gdb-plugin/ompd/derived.py \
	gdb-plugin/ompd/dialect2.py \
	gdb-plugin/ompd/environment.py \
	gdb-plugin/ompd/errors.py \
	gdb-plugin/ompd/frames.py \
	gdb-plugin/ompd/installed.py \
	gdb-plugin/ompd/library.py \
	gdb-plugin/ompd/memory.py \
	gdb-plugin/ompd/model.py \
	gdb-plugin/ompd/names.py \
	gdb-plugin/ompd/points.py \
	gdb-plugin/ompd/session.py \
	gdb-plugin/ompd/space.py \
	gdb-plugin/ompd/stepping.py \
	gdb-plugin/ompd/target.py \
	gdb-plugin/ompd/text.py \
	gdb-plugin/ompd/userstack.py \
	gdb-plugin/ompd/words.py
plugin_commands = \
	gdb-plugin/ompd/commands/__init__.py \
	gdb-plugin/ompd/commands/catch.py \
	gdb-plugin/ompd/commands/finish.py \
	gdb-plugin/ompd/commands/next.py \
	gdb-plugin/ompd/commands/off.py \
	gdb-plugin/ompd/commands/on.py \
	gdb-plugin/ompd/commands/parallel.py \
	gdb-plugin/ompd/commands/status.py \
	gdb-plugin/ompd/commands/step.py \
	gdb-plugin/ompd/commands/threads.py
plugin_generated = gdb-plugin/ompd/abi2.py gdb-plugin/ompd/build.py

gdbpluginmodulesdir = $(gdbplugindir)/ompd
gdbplugincommandsdir = $(gdbplugindir)/ompd/commands
dist_gdbplugin_DATA = gdb-plugin/ompd-gdb.py
dist_gdbpluginmodules_DATA = $(plugin_modules)
nodist_gdbpluginmodules_DATA = $(plugin_generated)
dist_gdbplugincommands_DATA = $(plugin_commands)
EXTRA_DIST += gdb-plugin/README.md gdb-plugin/gen-abi2.py
CLEANFILES += $(plugin_generated)

# The numbers of the ABI come from its header, where they are written once.
gdb-plugin/ompd/abi2.py: $(srcdir)/libompd/abi-2/ompd.h $(srcdir)/gdb-plugin/gen-abi2.py
	@$(MKDIR_P) gdb-plugin/ompd
	$(AM_V_GEN)$(PYTHON) $(srcdir)/gdb-plugin/gen-abi2.py \
		$(srcdir)/libompd/abi-2/ompd.h >$@.tmp && mv $@.tmp $@

# Where the libraries are as seen from the plugin, for distributions that move libdir.
gdb-plugin/ompd/build.py: Makefile
	@$(MKDIR_P) gdb-plugin/ompd
	$(AM_V_GEN)$(PYTHON) -c 'import os, sys; print("LIBDIR = %r" % os.path.relpath(*sys.argv[1:]))' \
		'$(libdir)' '$(gdbplugindir)' >$@
