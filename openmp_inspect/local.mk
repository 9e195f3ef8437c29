# What openmp_inspect installs; see openmp_inspect/README.md.
# The packages, in the order in which they may import each other, and what `make` writes.
inspect_core = \
	openmp_inspect/core/__init__.py \
	openmp_inspect/core/access.py \
	openmp_inspect/core/cached.py \
	openmp_inspect/core/caches.py \
	openmp_inspect/core/counters.py \
	openmp_inspect/core/control_groups.py \
	openmp_inspect/core/cpu_quota.py \
	openmp_inspect/core/dash_options.py \
	openmp_inspect/core/debug.py \
	openmp_inspect/core/elf.py \
	openmp_inspect/core/elf_symbols.py \
	openmp_inspect/core/errors.py \
	openmp_inspect/core/escaped.py \
	openmp_inspect/core/frame_size.py \
	openmp_inspect/core/garbage.py \
	openmp_inspect/core/install_paths.py \
	openmp_inspect/core/json_output.py \
	openmp_inspect/core/lazy_modules.py \
	openmp_inspect/core/lazy_regex.py \
	openmp_inspect/core/number_list.py \
	openmp_inspect/core/proc_files.py \
	openmp_inspect/core/process_root.py \
	openmp_inspect/core/regular_file.py \
	openmp_inspect/core/screen.py \
	openmp_inspect/core/static_typing.py \
	openmp_inspect/core/text.py \
	openmp_inspect/core/thread_limits.py \
	openmp_inspect/core/tree.py \
	openmp_inspect/core/trusted_file.py \
	openmp_inspect/core/unwind_table.py \
	openmp_inspect/core/whole_file.py
inspect_host = \
	openmp_inspect/host/__init__.py \
	openmp_inspect/host/core_file.py \
	openmp_inspect/host/demangling.py \
	openmp_inspect/host/elf_file.py \
	openmp_inspect/host/mini_debug_info.py \
	openmp_inspect/host/elf_process.py \
	openmp_inspect/host/fake.py \
	openmp_inspect/host/fatal_signal.py \
	openmp_inspect/host/held_snapshot.py \
	openmp_inspect/host/images.py \
	openmp_inspect/host/interface.py \
	openmp_inspect/host/kept_registers.py \
	openmp_inspect/host/kernel_facts.py \
	openmp_inspect/host/linkage_table.py \
	openmp_inspect/host/machine.py \
	openmp_inspect/host/mappings.py \
	openmp_inspect/host/memory.py \
	openmp_inspect/host/page_cache.py \
	openmp_inspect/host/recorded.py \
	openmp_inspect/host/proc_times.py \
	openmp_inspect/host/stopped_registers.py \
	openmp_inspect/host/system_calls.py \
	openmp_inspect/host/thread_local.py
inspect_source = \
	openmp_inspect/source/__init__.py \
	openmp_inspect/source/c_source.py \
	openmp_inspect/source/c_statements.py \
	openmp_inspect/source/clauses.py \
	openmp_inspect/source/conditions.py \
	openmp_inspect/source/directive_names.py \
	openmp_inspect/source/directives.py \
	openmp_inspect/source/extents.py \
	openmp_inspect/source/fortran_blocks.py \
	openmp_inspect/source/fortran_source.py \
	openmp_inspect/source/loop_headers.py \
	openmp_inspect/source/source_file.py
inspect_bindings = \
	openmp_inspect/bindings/__init__.py \
	openmp_inspect/bindings/callbacks.py \
	openmp_inspect/bindings/dialect2.py \
	openmp_inspect/bindings/dialect5.py \
	openmp_inspect/bindings/extension5.py \
	openmp_inspect/bindings/held_handles.py \
	openmp_inspect/bindings/library.py \
	openmp_inspect/bindings/query.py \
	openmp_inspect/bindings/records5.py \
	openmp_inspect/bindings/routines.py \
	openmp_inspect/bindings/spaces.py \
	openmp_inspect/bindings/standard5.py \
	openmp_inspect/bindings/threads5.py
inspect_model = \
	openmp_inspect/model/__init__.py \
	openmp_inspect/model/checkup.py \
	openmp_inspect/model/icv_table.py \
	openmp_inspect/model/nesting.py \
	openmp_inspect/model/objects.py \
	openmp_inspect/model/snapshot.py \
	openmp_inspect/model/team_arrivals.py \
	openmp_inspect/model/sync.py
inspect_code = \
	openmp_inspect/code/__init__.py \
	openmp_inspect/code/abort_message.py \
	openmp_inspect/code/body_calls.py \
	openmp_inspect/code/body_lines.py \
	openmp_inspect/code/aarch64_code.py \
	openmp_inspect/code/aarch64_values.py \
	openmp_inspect/code/branches.py \
	openmp_inspect/code/call_argument.py \
	openmp_inspect/code/call_location.py \
	openmp_inspect/code/call_site.py \
	openmp_inspect/code/catch_kinds.py \
	openmp_inspect/code/closed_library.py \
	openmp_inspect/code/code_owner.py \
	openmp_inspect/code/critical_calls.py \
	openmp_inspect/code/entry_points.py \
	openmp_inspect/code/entry_waits.py \
	openmp_inspect/code/expressions.py \
	openmp_inspect/code/image_symbols.py \
	openmp_inspect/code/libc_names.py \
	openmp_inspect/code/library_choice.py \
	openmp_inspect/code/loop_exits.py \
	openmp_inspect/code/loops.py \
	openmp_inspect/code/machine_code.py \
	openmp_inspect/code/outlined.py \
	openmp_inspect/code/places.py \
	openmp_inspect/code/polled_words.py \
	openmp_inspect/code/python_interpreter.py \
	openmp_inspect/code/rank_environment.py \
	openmp_inspect/code/same_task.py \
	openmp_inspect/code/signal_handlers.py \
	openmp_inspect/code/start_environment.py \
	openmp_inspect/code/symbol_names.py \
	openmp_inspect/code/tail_calls.py \
	openmp_inspect/code/tested_locks.py \
	openmp_inspect/code/values.py \
	openmp_inspect/code/x86_calls.py \
	openmp_inspect/code/x86_code.py \
	openmp_inspect/code/x86_values.py
inspect_stacks = \
	openmp_inspect/stacks/__init__.py \
	openmp_inspect/stacks/acquired_locks.py \
	openmp_inspect/stacks/barrier_source.py \
	openmp_inspect/stacks/crash_site.py \
	openmp_inspect/stacks/enclosing_body.py \
	openmp_inspect/stacks/enclosing_constructs.py \
	openmp_inspect/stacks/caught_events.py \
	openmp_inspect/stacks/event_words.py \
	openmp_inspect/stacks/file_locks.py \
	openmp_inspect/stacks/fork_join.py \
	openmp_inspect/stacks/fortran_io.py \
	openmp_inspect/stacks/gap_matcher.py \
	openmp_inspect/stacks/helper_threads.py \
	openmp_inspect/stacks/interrupted.py \
	openmp_inspect/stacks/kept_arguments.py \
	openmp_inspect/stacks/kernel_things.py \
	openmp_inspect/stacks/labelled_stack.py \
	openmp_inspect/stacks/labels.py \
	openmp_inspect/stacks/libc_locks.py \
	openmp_inspect/stacks/libc_waits.py \
	openmp_inspect/stacks/program_exit.py \
	openmp_inspect/stacks/python_frames.py \
	openmp_inspect/stacks/python_layouts.py \
	openmp_inspect/stacks/python_state.py \
	openmp_inspect/stacks/region_clauses.py \
	openmp_inspect/stacks/repeated_labels.py \
	openmp_inspect/stacks/segments.py \
	openmp_inspect/stacks/shared_stack.py \
	openmp_inspect/stacks/stack_variables.py \
	openmp_inspect/stacks/stitched_stack.py \
	openmp_inspect/stacks/target_device.py \
	openmp_inspect/stacks/task_boundaries.py \
	openmp_inspect/stacks/thread_stack.py \
	openmp_inspect/stacks/unwind_cache.py \
	openmp_inspect/stacks/user_frames.py
inspect_analysis = \
	openmp_inspect/analysis/__init__.py \
	openmp_inspect/analysis/barrier_arrival.py \
	openmp_inspect/analysis/barrier_evidence.py \
	openmp_inspect/analysis/checks.py \
	openmp_inspect/analysis/ignored_settings.py \
	openmp_inspect/analysis/checkup_facts.py \
	openmp_inspect/analysis/lock_orders.py \
	openmp_inspect/analysis/construct_evidence.py \
	openmp_inspect/analysis/critical_holder.py \
	openmp_inspect/analysis/evidence.py \
	openmp_inspect/analysis/evidence_items.py \
	openmp_inspect/analysis/finding.py \
	openmp_inspect/analysis/joint_facts.py \
	openmp_inspect/analysis/labelled_stacks.py \
	openmp_inspect/analysis/libc_things.py \
	openmp_inspect/analysis/lock_evidence.py \
	openmp_inspect/analysis/loop_progress.py \
	openmp_inspect/analysis/labeller.py \
	openmp_inspect/analysis/observations.py \
	openmp_inspect/analysis/open_tasks.py \
	openmp_inspect/analysis/ordered_holder.py \
	openmp_inspect/analysis/poll_evidence.py \
	openmp_inspect/analysis/runtime_hold.py \
	openmp_inspect/analysis/same_wait.py \
	openmp_inspect/analysis/task_evidence.py \
	openmp_inspect/analysis/task_rows.py \
	openmp_inspect/analysis/team_evidence.py \
	openmp_inspect/analysis/thread_place.py \
	openmp_inspect/analysis/thread_rows.py \
	openmp_inspect/analysis/thread_samples.py \
	openmp_inspect/analysis/thread_table.py \
	openmp_inspect/analysis/thread_values.py \
	openmp_inspect/analysis/time_samples.py \
	openmp_inspect/analysis/region_sums.py \
	openmp_inspect/analysis/time_sums.py \
	openmp_inspect/analysis/tree_arrival.py \
	openmp_inspect/analysis/verdicts.py \
	openmp_inspect/analysis/wait_decision.py \
	openmp_inspect/analysis/wait_inference.py \
	openmp_inspect/analysis/wait_state.py \
	openmp_inspect/analysis/watching.py
inspect_report = \
	openmp_inspect/report/__init__.py \
	openmp_inspect/report/cause_words.py \
	openmp_inspect/report/command_answers.py \
	openmp_inspect/report/command_table.py \
	openmp_inspect/report/control_variables.py \
	openmp_inspect/report/debugger_page.py \
	openmp_inspect/report/device_list.py \
	openmp_inspect/report/doctor_checks.py \
	openmp_inspect/report/doctor_text.py \
	openmp_inspect/report/explanations.py \
	openmp_inspect/report/graph_layout.py \
	openmp_inspect/report/graphviz.py \
	openmp_inspect/report/html_document.py \
	openmp_inspect/report/html_graph.py \
	openmp_inspect/report/html_icicle.py \
	openmp_inspect/report/html_links.py \
	openmp_inspect/report/html_page.py \
	openmp_inspect/report/html_tables.py \
	openmp_inspect/report/html_text.py \
	openmp_inspect/report/html_threads.py \
	openmp_inspect/report/html_timeline.py \
	openmp_inspect/report/html_verdicts.py \
	openmp_inspect/report/icv_list.py \
	openmp_inspect/report/history_list.py \
	openmp_inspect/report/history_trace.py \
	openmp_inspect/report/lock_list.py \
	openmp_inspect/report/mapping_list.py \
	openmp_inspect/report/merged_stacks.py \
	openmp_inspect/report/node_words.py \
	openmp_inspect/report/page.css \
	openmp_inspect/report/page.js \
	openmp_inspect/report/page_facts.py \
	openmp_inspect/report/page_process.py \
	openmp_inspect/report/page_source.py \
	openmp_inspect/report/path_words.py \
	openmp_inspect/report/program_status.py \
	openmp_inspect/report/recording.py \
	openmp_inspect/report/recording_page.py \
	openmp_inspect/report/region_tree.py \
	openmp_inspect/report/stack_samples.py \
	openmp_inspect/report/stack_tree.py \
	openmp_inspect/report/sum_tables.py \
	openmp_inspect/report/task_list.py \
	openmp_inspect/report/task_table.py \
	openmp_inspect/report/thread_backtrace.py \
	openmp_inspect/report/thread_list.py \
	openmp_inspect/report/thread_paths.py \
	openmp_inspect/report/thread_times.py \
	openmp_inspect/report/time_table.py \
	openmp_inspect/report/wait_graph.py \
	openmp_inspect/report/thread_words.py \
	openmp_inspect/report/why_facts.py \
	openmp_inspect/report/why_report.py \
	openmp_inspect/report/why_text.py
inspect_generated = \
	openmp_inspect/core/build.py \
	openmp_inspect/bindings/abi2.py \
	openmp_inspect/bindings/abi5.py \
	openmp_inspect/code/entry_point_table.py \
	openmp_inspect/analysis/verdict_words.py

# A directory of Python packages alone: whoever imports them puts it into the path of modules.
pythondatadir = $(datadir)/ompd/python
inspectdir = $(pythondatadir)/openmp_inspect
dist_inspect_DATA = openmp_inspect/__init__.py
inspectcoredir = $(inspectdir)/core
dist_inspectcore_DATA = $(inspect_core)
inspecthostdir = $(inspectdir)/host
dist_inspecthost_DATA = $(inspect_host)
inspectsourcedir = $(inspectdir)/source
dist_inspectsource_DATA = $(inspect_source)
inspectbindingsdir = $(inspectdir)/bindings
dist_inspectbindings_DATA = $(inspect_bindings)
inspectmodeldir = $(inspectdir)/model
dist_inspectmodel_DATA = $(inspect_model)
inspectcodedir = $(inspectdir)/code
dist_inspectcode_DATA = $(inspect_code)
inspectstacksdir = $(inspectdir)/stacks
dist_inspectstacks_DATA = $(inspect_stacks)
inspectanalysisdir = $(inspectdir)/analysis
dist_inspectanalysis_DATA = $(inspect_analysis)
inspectreportdir = $(inspectdir)/report
dist_inspectreport_DATA = $(inspect_report)
nodist_inspectcore_DATA = openmp_inspect/core/build.py
nodist_inspectbindings_DATA = openmp_inspect/bindings/abi2.py openmp_inspect/bindings/abi5.py
nodist_inspectcode_DATA = openmp_inspect/code/entry_point_table.py
nodist_inspectanalysis_DATA = openmp_inspect/analysis/verdict_words.py
EXTRA_DIST += openmp_inspect/README.md openmp_inspect/host/PORTING.md openmp_inspect/gen-abi.py \
	openmp_inspect/gen-code-archive.py openmp_inspect/gen-entry-points.py \
	openmp_inspect/gen-verdicts.py
CLEANFILES += $(inspect_generated)

# The numbers of the ABIs come from their headers, where they are written once.
openmp_inspect/bindings/abi2.py: $(srcdir)/libompd/abi-2/ompd.h $(srcdir)/openmp_inspect/gen-abi.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/openmp_inspect/gen-abi.py \
		$(srcdir)/libompd/abi-2/ompd.h >$@.tmp && mv $@.tmp $@

abi5_headers = \
	$(srcdir)/libompd/abi-5/omp-tools-ompd.h \
	$(srcdir)/libompd/abi-5/omp-tools-states.h \
	$(srcdir)/libompd/abi-5/ompd-types.h \
	$(srcdir)/libompd/ext/ompd-ext.h
openmp_inspect/bindings/abi5.py: $(abi5_headers) $(srcdir)/openmp_inspect/gen-abi.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/openmp_inspect/gen-abi.py $(abi5_headers) >$@.tmp && mv $@.tmp $@

# What the runtimes' functions are called for.
openmp_inspect/code/entry_point_table.py: $(srcdir)/runtime-hooks/entry-points.def \
		$(srcdir)/openmp_inspect/gen-entry-points.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/openmp_inspect/gen-entry-points.py \
		$(srcdir)/runtime-hooks/entry-points.def >$@.tmp && mv $@.tmp $@

# What libompd says of programs that do not get on, in its own words.
openmp_inspect/analysis/verdict_words.py: $(srcdir)/libompd/why/verdicts.def \
		$(srcdir)/openmp_inspect/gen-verdicts.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) $(srcdir)/openmp_inspect/gen-verdicts.py \
		$(srcdir)/libompd/why/verdicts.def >$@.tmp && mv $@.tmp $@

# Where the libraries are as seen from the package, for distributions that move libdir.
openmp_inspect/core/build.py: Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) -c 'import os, sys; data = sys.argv[3]; \
		[print("%s = %r" % (name, os.path.relpath(path, data))) \
			for name, path in (("LIBDIR", sys.argv[1]), ("BINDIR", sys.argv[2]))]; \
		print("VERSION = %r" % sys.argv[4])' '$(libdir)' '$(bindir)' '$(pythondatadir)' \
		'$(VERSION)' >$@

# gdb does not keep what it compiles of a module, and compiling takes most of the time in which
# a package is loaded; on a cluster each file that is opened counts. Another Python than ours passes
# these files over. A distribution that compiles where it installs leaves compiled_packages empty.
compiled_packages = '$(pythondatadir)' '$(gdbplugindir)'
install_data_hooks += install-compiled
uninstall_hooks += uninstall-compiled
.PHONY: install-compiled uninstall-compiled
install-compiled:
	@for directory in $(compiled_packages); do \
		DESTDIR='$(DESTDIR)' $(PYTHON) $(srcdir)/openmp_inspect/gen-code-archive.py \
			"$(DESTDIR)$$directory" || exit 1; \
	done
uninstall-compiled:
	@for directory in $(compiled_packages); do \
		rm -f "$(DESTDIR)$$directory"/code.*; \
		find "$(DESTDIR)$$directory" -name __pycache__ -exec rm -rf {} + ; \
		find "$(DESTDIR)$$directory" -depth -type d -empty -delete; \
	done
