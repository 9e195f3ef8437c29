# The command `ompd`; see ompd/README.md.
ompd_host = \
	ompd/ompd_command/host/__init__.py \
	ompd/ompd_command/host/copied_memory.py \
	ompd/ompd_command/host/core.py \
	ompd/ompd_command/host/core_writer.py \
	ompd/ompd_command/host/debug_file.py \
	ompd/ompd_command/host/debug_information.py \
	ompd/ompd_command/host/debug_strings.py \
	ompd/ompd_command/host/debuginfod.py \
	ompd/ompd_command/host/die_tree.py \
	ompd/ompd_command/host/dwarf.py \
	ompd/ompd_command/host/dwarf_constants.py \
	ompd/ompd_command/host/dwarf_types.py \
	ompd/ompd_command/host/dwfl.py \
	ompd/ompd_command/host/elfutils.py \
	ompd/ompd_command/host/expressions.py \
	ompd/ompd_command/host/frames.py \
	ompd/ompd_command/host/function_names.py \
	ompd/ompd_command/host/functions.py \
	ompd/ompd_command/host/glance.py \
	ompd/ompd_command/host/held.py \
	ompd/ompd_command/host/line_table.py \
	ompd/ompd_command/host/live.py \
	ompd/ompd_command/host/locations.py \
	ompd/ompd_command/host/packed_core.py \
	ompd/ompd_command/host/process.py \
	ompd/ompd_command/host/ptrace.py \
	ompd/ompd_command/host/rights.py \
	ompd/ompd_command/host/scopes.py \
	ompd/ompd_command/host/source_files.py \
	ompd/ompd_command/host/type_names.py \
	ompd/ompd_command/host/units.py \
	ompd/ompd_command/host/unwind_rules.py \
	ompd/ompd_command/host/unwinder.py \
	ompd/ompd_command/host/variables.py
ompd_command = \
	ompd/ompd_command/__init__.py \
	ompd/ompd_command/annotation_files.py \
	ompd/ompd_command/arguments.py \
	ompd/ompd_command/common_stacks.py \
	ompd/ompd_command/connection.py \
	ompd/ompd_command/crash_holder.py \
	ompd/ompd_command/group_signals.py \
	ompd/ompd_command/isolation.py \
	ompd/ompd_command/job_log.py \
	ompd/ompd_command/job_nodes.py \
	ompd/ompd_command/launcher_output.py \
	ompd/ompd_command/look.py \
	ompd/ompd_command/main.py \
	ompd/ompd_command/merge.py \
	ompd/ompd_command/merged_json.py \
	ompd/ompd_command/merged_page.py \
	ompd/ompd_command/merged_text.py \
	ompd/ompd_command/merged_verdicts.py \
	ompd/ompd_command/monitor.py \
	ompd/ompd_command/process_report.py \
	ompd/ompd_command/program_guard.py \
	ompd/ompd_command/progress.py \
	ompd/ompd_command/record.py \
	ompd/ompd_command/report_reader.py \
	ompd/ompd_command/reports.py \
	ompd/ompd_command/runtime_search.py \
	ompd/ompd_command/sampler.py \
	ompd/ompd_command/sandbox.py \
	ompd/ompd_command/served_rights.py \
	ompd/ompd_command/shell_screen.py \
	ompd/ompd_command/snapshot.py \
	ompd/ompd_command/started.py \
	ompd/ompd_command/system_call_filter.py \
	ompd/ompd_command/targets.py \
	ompd/ompd_command/exit_summary.py \
	ompd/ompd_command/top.py \
	ompd/ompd_command/watchdog.py \
	ompd/ompd_command/watchdog_options.py

dist_bin_SCRIPTS = ompd/ompd
dist_man1_MANS = ompd/ompd.1
dist_man7_MANS = ompd/ompd.7
commanddir = $(pythondatadir)/ompd_command
dist_command_DATA = $(ompd_command)
commandhostdir = $(commanddir)/host
dist_commandhost_DATA = $(ompd_host)
dist_ompddoc_DATA += ompd/schema/ompd-why.json
EXTRA_DIST += ompd/README.md ompd/gen-completion.py

# What shells complete, where they look for it.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_bashcompletion_DATA = ompd/completion/ompd
nodist_zshcompletion_DATA = ompd/completion/_ompd
nodist_fishcompletion_DATA = ompd/completion/ompd.fish
completion_directories = '$(bashcompletiondir)' '$(zshcompletiondir)' '$(fishcompletiondir)'
completions = $(nodist_bashcompletion_DATA) $(nodist_zshcompletion_DATA) $(nodist_fishcompletion_DATA)
CLEANFILES += $(completions)
$(completions): ompd/gen-completion.py ompd/ompd_command/arguments.py \
		openmp_inspect/report/command_table.py
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='$(srcdir):$(srcdir)/ompd' $(PYTHON) \
		$(srcdir)/ompd/gen-completion.py $(@F) >$@.tmp && mv $@.tmp $@
