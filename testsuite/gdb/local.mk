# gdb: real gdb, a program and a script in pairs; see harness.py.
gdb_tests = \
	testsuite/gdb/basics.py \
	testsuite/gdb/waits.py \
	testsuite/gdb/nested.py \
	testsuite/gdb/tasks.py \
	testsuite/gdb/depends.py \
	testsuite/gdb/folds.py \
	testsuite/gdb/graph.py \
	testsuite/gdb/dialects.py \
	testsuite/gdb/doctor.py \
	testsuite/gdb/icvs.py \
	testsuite/gdb/attach.py \
	testsuite/gdb/cores.py \
	testsuite/gdb/breakpoints.py \
	testsuite/gdb/created.py \
	testsuite/gdb/creates.py \
	testsuite/gdb/counts.py \
	testsuite/gdb/onoff.py \
	testsuite/gdb/errors.py \
	testsuite/gdb/words.py \
	testsuite/gdb/debugging.py \
	testsuite/gdb/inferiors.py \
	testsuite/gdb/nonstop.py \
	testsuite/gdb/notes.py \
	testsuite/gdb/terminal.py \
	testsuite/gdb/why.py \
	testsuite/gdb/watched.py \
	testsuite/gdb/width.py \
	testsuite/gdb/dap.py \
	testsuite/gdb/launch_json.py \
	testsuite/gdb/many_tasks.py \
	testsuite/gdb/mi.py \
	testsuite/gdb/mi_frames.py \
	testsuite/gdb/unfiltered.py \
	testsuite/gdb/mi_stops.py \
	testsuite/gdb/shows.sh \
	testsuite/gdb/libraries.py \
	testsuite/gdb/busy.py \
	testsuite/gdb/charset.py \
	testsuite/gdb/interrupt.py \
	testsuite/gdb/trust.py \
	testsuite/gdb/late.py \
	testsuite/gdb/locations.py \
	testsuite/gdb/runtimes.py \
	testsuite/gdb/bare.py \
	testsuite/gdb/hostile.py \
	testsuite/gdb/bits32.py \
	testsuite/gdb/foreign.py \
	testsuite/gdb/clang.py \
	testsuite/gdb/clang_recorded.py \
	testsuite/gdb/compiled_by_clang.py \
	testsuite/gdb/stock.py \
	testsuite/gdb/owners.py \
	testsuite/gdb/arrays.py \
	testsuite/gdb/deepbind.py \
	testsuite/gdb/stack_locks.py \
	testsuite/gdb/history.py \
	testsuite/gdb/namespaces.py \
	testsuite/gdb/images.py \
	testsuite/gdb/causes.py \
	testsuite/gdb/hung.py \
	testsuite/gdb/stuck.py \
	testsuite/gdb/closes.py \
	testsuite/gdb/asleep.py \
	testsuite/gdb/witnesses.py \
	testsuite/gdb/moments.py \
	testsuite/gdb/short_regions.py \
	testsuite/gdb/frozen.py \
	testsuite/gdb/cut.py \
	testsuite/gdb/autoload.py \
	testsuite/gdb/ordinary_processes.py \
	testsuite/gdb/ordinary_steps.py \
	testsuite/gdb/ordinary_threads.py \
	testsuite/gdb/teams.py \
	testsuite/gdb/thread_names.py \
	testsuite/gdb/functions.py \
	testsuite/gdb/print.py \
	testsuite/gdb/readme.py \
	testsuite/gdb/remote.py \
	testsuite/gdb/locals.py \
	testsuite/gdb/dead.py \
	testsuite/gdb/damaged.py \
	testsuite/gdb/situations.py \
	testsuite/gdb/backtrace.py \
	testsuite/gdb/backtrace_languages.py \
	testsuite/gdb/backtrace_safe.py \
	testsuite/gdb/backtrace_stacks.py \
	testsuite/gdb/deep.py \
	testsuite/gdb/stripped.py \
	testsuite/gdb/loops.py \
	testsuite/gdb/catch.py \
	testsuite/gdb/catch_existing.py \
	testsuite/gdb/catch_languages.py \
	testsuite/gdb/step.py \
	testsuite/gdb/step_languages.py \
	testsuite/gdb/tool.py \
	testsuite/gdb/tui.py
TESTS += $(gdb_tests)

# All that are not about gcc alone with clang's programs.
.PHONY: check-clang
check-clang: stage
	$(AM_TESTS_ENVIRONMENT) $(PYTHON) $(srcdir)/testsuite/gdb/compiled_by_clang.py --all

# What programs that freeze know themselves, of many teams, with threads that spin and as cores; and
# what those of short regions do, at more stops.
.PHONY: check-frozen
check-frozen: stage
	$(AM_TESTS_ENVIRONMENT) SEEDS=$${SEEDS:-10} $(PYTHON) $(srcdir)/testsuite/gdb/frozen.py
	$(AM_TESTS_ENVIRONMENT) STOPS=$${STOPS:-100} $(PYTHON) \
		$(srcdir)/testsuite/gdb/short_regions.py
