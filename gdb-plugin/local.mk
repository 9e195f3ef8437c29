# What gdb-plugin builds; see gdb-plugin/README.md.
# The packages, in the order in which they may import each other, and what `make` writes.
plugin_host = \
	gdb-plugin/gdb_openmp/host/__init__.py \
	gdb-plugin/gdb_openmp/host/allowed_processors.py \
	gdb-plugin/gdb_openmp/host/images.py \
	gdb-plugin/gdb_openmp/host/call_arguments.py \
	gdb-plugin/gdb_openmp/host/console.py \
	gdb-plugin/gdb_openmp/host/core_notes.py \
	gdb-plugin/gdb_openmp/host/fatal_signal.py \
	gdb-plugin/gdb_openmp/host/frame_decorator.py \
	gdb-plugin/gdb_openmp/host/frames.py \
	gdb-plugin/gdb_openmp/host/gdb_text.py \
	gdb-plugin/gdb_openmp/host/gdb_types.py \
	gdb-plugin/gdb_openmp/host/hidden_breakpoints.py \
	gdb-plugin/gdb_openmp/host/inferiors.py \
	gdb-plugin/gdb_openmp/host/modules.py \
	gdb-plugin/gdb_openmp/host/options.py \
	gdb-plugin/gdb_openmp/host/parameters.py \
	gdb-plugin/gdb_openmp/host/process.py \
	gdb-plugin/gdb_openmp/host/registers.py \
	gdb-plugin/gdb_openmp/host/safe_path.py \
	gdb-plugin/gdb_openmp/host/selection.py \
	gdb-plugin/gdb_openmp/host/start_environment.py \
	gdb-plugin/gdb_openmp/host/stop_notices.py \
	gdb-plugin/gdb_openmp/host/symbols.py \
	gdb-plugin/gdb_openmp/host/thread_ids.py \
	gdb-plugin/gdb_openmp/host/thread_state.py \
	gdb-plugin/gdb_openmp/host/timed_run.py
plugin_program = \
	gdb-plugin/gdb_openmp/program/__init__.py \
	gdb-plugin/gdb_openmp/program/address_space.py \
	gdb-plugin/gdb_openmp/program/call_location.py \
	gdb-plugin/gdb_openmp/program/call_site.py \
	gdb-plugin/gdb_openmp/program/tail_calls.py \
	gdb-plugin/gdb_openmp/program/catch_kinds.py \
	gdb-plugin/gdb_openmp/program/checkup_facts.py \
	gdb-plugin/gdb_openmp/program/code_owner.py \
	gdb-plugin/gdb_openmp/program/critical_calls.py \
	gdb-plugin/gdb_openmp/program/entry_points.py \
	gdb-plugin/gdb_openmp/program/entry_waits.py \
	gdb-plugin/gdb_openmp/program/image_symbols.py \
	gdb-plugin/gdb_openmp/program/libc_names.py \
	gdb-plugin/gdb_openmp/program/library.py \
	gdb-plugin/gdb_openmp/program/outlined.py \
	gdb-plugin/gdb_openmp/program/places.py \
	gdb-plugin/gdb_openmp/program/signal_handlers.py \
	gdb-plugin/gdb_openmp/program/symbol_names.py
plugin_stacks = \
	gdb-plugin/gdb_openmp/stacks/__init__.py \
	gdb-plugin/gdb_openmp/stacks/captured_variables.py \
	gdb-plugin/gdb_openmp/stacks/enclosing_constructs.py \
	gdb-plugin/gdb_openmp/stacks/fork_join.py \
	gdb-plugin/gdb_openmp/stacks/frame_walk.py \
	gdb-plugin/gdb_openmp/stacks/labelled_stack.py \
	gdb-plugin/gdb_openmp/stacks/labeller.py \
	gdb-plugin/gdb_openmp/stacks/labels.py \
	gdb-plugin/gdb_openmp/stacks/libc_locks.py \
	gdb-plugin/gdb_openmp/stacks/libc_waits.py \
	gdb-plugin/gdb_openmp/stacks/barrier_source.py \
	gdb-plugin/gdb_openmp/stacks/region_clauses.py \
	gdb-plugin/gdb_openmp/stacks/segments.py \
	gdb-plugin/gdb_openmp/stacks/kept_arguments.py \
	gdb-plugin/gdb_openmp/stacks/stack_variables.py \
	gdb-plugin/gdb_openmp/stacks/stitched_stack.py \
	gdb-plugin/gdb_openmp/stacks/task_boundaries.py \
	gdb-plugin/gdb_openmp/stacks/thread_stack.py \
	gdb-plugin/gdb_openmp/stacks/unwind_cache.py \
	gdb-plugin/gdb_openmp/stacks/user_frames.py
plugin_analysis = \
	gdb-plugin/gdb_openmp/analysis/__init__.py \
	gdb-plugin/gdb_openmp/analysis/barrier_arrival.py \
	gdb-plugin/gdb_openmp/analysis/barrier_evidence.py \
	gdb-plugin/gdb_openmp/analysis/checks.py \
	gdb-plugin/gdb_openmp/analysis/construct_evidence.py \
	gdb-plugin/gdb_openmp/analysis/critical_holder.py \
	gdb-plugin/gdb_openmp/analysis/evidence.py \
	gdb-plugin/gdb_openmp/analysis/evidence_items.py \
	gdb-plugin/gdb_openmp/analysis/open_tasks.py \
	gdb-plugin/gdb_openmp/analysis/ordered_holder.py \
	gdb-plugin/gdb_openmp/analysis/task_evidence.py \
	gdb-plugin/gdb_openmp/analysis/team_evidence.py \
	gdb-plugin/gdb_openmp/analysis/task_rows.py \
	gdb-plugin/gdb_openmp/analysis/thread_place.py \
	gdb-plugin/gdb_openmp/analysis/thread_rows.py \
	gdb-plugin/gdb_openmp/analysis/thread_table.py \
	gdb-plugin/gdb_openmp/analysis/tree_arrival.py \
	gdb-plugin/gdb_openmp/analysis/verdicts.py \
	gdb-plugin/gdb_openmp/analysis/wait_inference.py \
	gdb-plugin/gdb_openmp/analysis/wait_state.py
plugin_ui = \
	gdb-plugin/gdb_openmp/ui/__init__.py \
	gdb-plugin/gdb_openmp/ui/catch_agent.py \
	gdb-plugin/gdb_openmp/ui/catch_events.py \
	gdb-plugin/gdb_openmp/ui/catch_existing.py \
	gdb-plugin/gdb_openmp/ui/catchpoints.py \
	gdb-plugin/gdb_openmp/ui/convenience_functions.py \
	gdb-plugin/gdb_openmp/ui/doctor_text.py \
	gdb-plugin/gdb_openmp/ui/explanations.py \
	gdb-plugin/gdb_openmp/ui/frame_filter.py \
	gdb-plugin/gdb_openmp/ui/frame_rows.py \
	gdb-plugin/gdb_openmp/ui/graphviz.py \
	gdb-plugin/gdb_openmp/ui/merged_stacks.py \
	gdb-plugin/gdb_openmp/ui/mi.py \
	gdb-plugin/gdb_openmp/ui/preload.py \
	gdb-plugin/gdb_openmp/ui/region_bodies.py \
	gdb-plugin/gdb_openmp/ui/session.py \
	gdb-plugin/gdb_openmp/ui/stepping.py \
	gdb-plugin/gdb_openmp/ui/task_table.py \
	gdb-plugin/gdb_openmp/ui/thread_names.py \
	gdb-plugin/gdb_openmp/ui/thread_paths.py \
	gdb-plugin/gdb_openmp/ui/watching.py \
	gdb-plugin/gdb_openmp/ui/why_facts.py \
	gdb-plugin/gdb_openmp/ui/why_text.py
plugin_commands = \
	gdb-plugin/gdb_openmp/ui/commands/__init__.py \
	gdb-plugin/gdb_openmp/ui/commands/apply.py \
	gdb-plugin/gdb_openmp/ui/commands/bt.py \
	gdb-plugin/gdb_openmp/ui/commands/catch.py \
	gdb-plugin/gdb_openmp/ui/commands/doctor.py \
	gdb-plugin/gdb_openmp/ui/commands/env.py \
	gdb-plugin/gdb_openmp/ui/commands/finish.py \
	gdb-plugin/gdb_openmp/ui/commands/icvs.py \
	gdb-plugin/gdb_openmp/ui/commands/locals.py \
	gdb-plugin/gdb_openmp/ui/commands/next.py \
	gdb-plugin/gdb_openmp/ui/commands/off.py \
	gdb-plugin/gdb_openmp/ui/commands/on.py \
	gdb-plugin/gdb_openmp/ui/commands/parallel.py \
	gdb-plugin/gdb_openmp/ui/commands/print.py \
	gdb-plugin/gdb_openmp/ui/commands/stacks.py \
	gdb-plugin/gdb_openmp/ui/commands/status.py \
	gdb-plugin/gdb_openmp/ui/commands/step.py \
	gdb-plugin/gdb_openmp/ui/commands/tasks.py \
	gdb-plugin/gdb_openmp/ui/commands/thread.py \
	gdb-plugin/gdb_openmp/ui/commands/threads.py \
	gdb-plugin/gdb_openmp/ui/commands/why.py
plugin_generated = \
	gdb-plugin/gdb_openmp/program/entry_point_table.py \
	gdb-plugin/gdb_openmp/analysis/verdict_words.py

pluginpackagedir = $(gdbplugindir)/gdb_openmp
dist_gdbplugin_DATA = gdb-plugin/ompd-gdb.py
dist_pluginpackage_DATA = gdb-plugin/gdb_openmp/__init__.py
pluginhostdir = $(pluginpackagedir)/host
dist_pluginhost_DATA = $(plugin_host)
pluginprogramdir = $(pluginpackagedir)/program
dist_pluginprogram_DATA = $(plugin_program)
pluginstacksdir = $(pluginpackagedir)/stacks
dist_pluginstacks_DATA = $(plugin_stacks)
pluginanalysisdir = $(pluginpackagedir)/analysis
dist_pluginanalysis_DATA = $(plugin_analysis)
pluginuidir = $(pluginpackagedir)/ui
dist_pluginui_DATA = $(plugin_ui)
plugincommandsdir = $(pluginpackagedir)/ui/commands
dist_plugincommands_DATA = $(plugin_commands)
nodist_pluginprogram_DATA = gdb-plugin/gdb_openmp/program/entry_point_table.py
nodist_pluginanalysis_DATA = gdb-plugin/gdb_openmp/analysis/verdict_words.py
EXTRA_DIST += gdb-plugin/README.md gdb-plugin/gen-verdicts.py \
	gdb-plugin/gen-entry-points.py
CLEANFILES += $(plugin_generated)

# What the runtimes' functions are called for.
gdb-plugin/gdb_openmp/program/entry_point_table.py: $(srcdir)/runtime-hooks/entry-points.def \
		$(srcdir)/gdb-plugin/gen-entry-points.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/gdb-plugin/gen-entry-points.py \
		$(srcdir)/runtime-hooks/entry-points.def >$@.tmp && mv $@.tmp $@

# What libompd says of programs that do not get on, in its own words.
gdb-plugin/gdb_openmp/analysis/verdict_words.py: $(srcdir)/libompd/why/verdicts.def \
		$(srcdir)/gdb-plugin/gen-verdicts.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/gdb-plugin/gen-verdicts.py \
		$(srcdir)/libompd/why/verdicts.def >$@.tmp && mv $@.tmp $@

# For users of front ends.
dist_ompddoc_DATA += gdb-plugin/front-ends/launch.json gdb-plugin/front-ends/FRONT-ENDS.md

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
