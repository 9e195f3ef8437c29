# What gdb-plugin builds; see gdb-plugin/README.md.
# The packages, in the order in which they may import each other.
plugin_host = \
	gdb-plugin/gdb_openmp/host/__init__.py \
	gdb-plugin/gdb_openmp/host/all_registers.py \
	gdb-plugin/gdb_openmp/host/call_arguments.py \
	gdb-plugin/gdb_openmp/host/console.py \
	gdb-plugin/gdb_openmp/host/core_notes.py \
	gdb-plugin/gdb_openmp/host/debug_information.py \
	gdb-plugin/gdb_openmp/host/signal_info.py \
	gdb-plugin/gdb_openmp/host/frame_decorator.py \
	gdb-plugin/gdb_openmp/host/frames.py \
	gdb-plugin/gdb_openmp/host/gdb_text.py \
	gdb-plugin/gdb_openmp/host/gdb_types.py \
	gdb-plugin/gdb_openmp/host/hidden_breakpoints.py \
	gdb-plugin/gdb_openmp/host/images.py \
	gdb-plugin/gdb_openmp/host/inferiors.py \
	gdb-plugin/gdb_openmp/host/modules.py \
	gdb-plugin/gdb_openmp/host/options.py \
	gdb-plugin/gdb_openmp/host/parameters.py \
	gdb-plugin/gdb_openmp/host/process.py \
	gdb-plugin/gdb_openmp/host/registers.py \
	gdb-plugin/gdb_openmp/host/safe_path.py \
	gdb-plugin/gdb_openmp/host/selection.py \
	gdb-plugin/gdb_openmp/host/stop_notices.py \
	gdb-plugin/gdb_openmp/host/stop_time.py \
	gdb-plugin/gdb_openmp/host/symbols.py \
	gdb-plugin/gdb_openmp/host/thread_ids.py \
	gdb-plugin/gdb_openmp/host/timed_run.py
plugin_program = \
	gdb-plugin/gdb_openmp/program/__init__.py \
	gdb-plugin/gdb_openmp/program/address_space.py \
	gdb-plugin/gdb_openmp/program/entry_arguments.py \
	gdb-plugin/gdb_openmp/program/next_run.py
plugin_ui = \
	gdb-plugin/gdb_openmp/ui/__init__.py \
	gdb-plugin/gdb_openmp/ui/captured_variables.py \
	gdb-plugin/gdb_openmp/ui/catch_agent.py \
	gdb-plugin/gdb_openmp/ui/catch_existing.py \
	gdb-plugin/gdb_openmp/ui/catchpoints.py \
	gdb-plugin/gdb_openmp/ui/convenience_functions.py \
	gdb-plugin/gdb_openmp/ui/every_inferior.py \
	gdb-plugin/gdb_openmp/ui/frame_filter.py \
	gdb-plugin/gdb_openmp/ui/frame_rows.py \
	gdb-plugin/gdb_openmp/ui/frame_walk.py \
	gdb-plugin/gdb_openmp/ui/function_scopes.py \
	gdb-plugin/gdb_openmp/ui/mi.py \
	gdb-plugin/gdb_openmp/ui/preload.py \
	gdb-plugin/gdb_openmp/ui/region_bodies.py \
	gdb-plugin/gdb_openmp/ui/session.py \
	gdb-plugin/gdb_openmp/ui/stepping.py \
	gdb-plugin/gdb_openmp/ui/thread_names.py
plugin_commands = \
	gdb-plugin/gdb_openmp/ui/commands/__init__.py \
	gdb-plugin/gdb_openmp/ui/commands/apply.py \
	gdb-plugin/gdb_openmp/ui/commands/catch.py \
	gdb-plugin/gdb_openmp/ui/commands/finish.py \
	gdb-plugin/gdb_openmp/ui/commands/locals.py \
	gdb-plugin/gdb_openmp/ui/commands/next.py \
	gdb-plugin/gdb_openmp/ui/commands/off.py \
	gdb-plugin/gdb_openmp/ui/commands/on.py \
	gdb-plugin/gdb_openmp/ui/commands/print.py \
	gdb-plugin/gdb_openmp/ui/commands/reports.py \
	gdb-plugin/gdb_openmp/ui/commands/step.py \
	gdb-plugin/gdb_openmp/ui/commands/thread.py

pluginpackagedir = $(gdbplugindir)/gdb_openmp
dist_gdbplugin_DATA = gdb-plugin/ompd-gdb.py
dist_pluginpackage_DATA = gdb-plugin/gdb_openmp/__init__.py
pluginhostdir = $(pluginpackagedir)/host
dist_pluginhost_DATA = $(plugin_host)
pluginprogramdir = $(pluginpackagedir)/program
dist_pluginprogram_DATA = $(plugin_program)
pluginuidir = $(pluginpackagedir)/ui
dist_pluginui_DATA = $(plugin_ui)
plugincommandsdir = $(pluginpackagedir)/ui/commands
dist_plugincommands_DATA = $(plugin_commands)
EXTRA_DIST += gdb-plugin/README.md

# For users of front ends.
dist_ompddoc_DATA += gdb-plugin/front-ends/launch.json gdb-plugin/front-ends/FRONT-ENDS.md

# Scripts that gdb loads by itself with the hooks and with the stock libgomp, which the
# compiler names. With prefix /usr the second stands where gdb looks. A distribution names all of
# them by auto_load_scripts, and by gdbinit one that gdb loads when it starts.
EXTRA_DIST += gdb-plugin/gen-auto-load.py
autoloaddir = $(datadir)/gdb/auto-load
install_data_hooks += install-auto-load
uninstall_hooks += uninstall-auto-load
auto_load_scripts = '$(libdir)/libompd-hooks.so-gdb.py' \
	"$(autoloaddir)$$(readlink -f "$$($(CC) -print-file-name=libgomp.so)")-gdb.py"
if HOOKS32
auto_load_scripts += '$(hooks32dir)/libompd-hooks.so-gdb.py'
endif
gdbinit =
auto_load_directories = \
	"$(autoloaddir)$$(dirname "$$(readlink -f "$$($(CC) -print-file-name=libgomp.so)")")"
.PHONY: install-auto-load uninstall-auto-load
install-auto-load:
	@for script in $(auto_load_scripts) $(gdbinit); do \
		$(MKDIR_P) "$(DESTDIR)$${script%/*}" && \
		$(PYTHON) $(srcdir)/gdb-plugin/gen-auto-load.py '$(gdbplugindir)' "$$script" \
			>"$(DESTDIR)$$script" || exit 1; \
	done
uninstall-auto-load:
	@for script in $(auto_load_scripts) $(gdbinit); do rm -f "$(DESTDIR)$$script"; done
