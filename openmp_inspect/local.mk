# What openmp_inspect installs; see openmp_inspect/README.md.
# The packages, in the order in which they may import each other, and what `make` writes.
inspect_core = \
	openmp_inspect/core/__init__.py \
	openmp_inspect/core/cached.py \
	openmp_inspect/core/caches.py \
	openmp_inspect/core/counters.py \
	openmp_inspect/core/cpu_quota.py \
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
	openmp_inspect/core/regular_file.py \
	openmp_inspect/core/screen.py \
	openmp_inspect/core/static_typing.py \
	openmp_inspect/core/text.py \
	openmp_inspect/core/tree.py \
	openmp_inspect/core/trusted_file.py
inspect_host = \
	openmp_inspect/host/__init__.py \
	openmp_inspect/host/interface.py \
	openmp_inspect/host/page_cache.py
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
	openmp_inspect/source/source_file.py
inspect_bindings = \
	openmp_inspect/bindings/__init__.py \
	openmp_inspect/bindings/callbacks.py \
	openmp_inspect/bindings/dialect2.py \
	openmp_inspect/bindings/dialect5.py \
	openmp_inspect/bindings/extension5.py \
	openmp_inspect/bindings/held_handles.py \
	openmp_inspect/bindings/query.py \
	openmp_inspect/bindings/records5.py \
	openmp_inspect/bindings/routines.py \
	openmp_inspect/bindings/standard5.py \
	openmp_inspect/bindings/threads5.py
inspect_model = \
	openmp_inspect/model/__init__.py \
	openmp_inspect/model/checkup.py \
	openmp_inspect/model/icv_table.py \
	openmp_inspect/model/nesting.py \
	openmp_inspect/model/objects.py \
	openmp_inspect/model/snapshot.py \
	openmp_inspect/model/sync.py
inspect_generated = \
	openmp_inspect/core/build.py \
	openmp_inspect/bindings/abi2.py \
	openmp_inspect/bindings/abi5.py

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
nodist_inspectcore_DATA = openmp_inspect/core/build.py
nodist_inspectbindings_DATA = openmp_inspect/bindings/abi2.py openmp_inspect/bindings/abi5.py
EXTRA_DIST += openmp_inspect/README.md openmp_inspect/gen-abi.py
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

# Where the libraries are as seen from the package, for distributions that move libdir.
openmp_inspect/core/build.py: Makefile
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(PYTHON) -c 'import os, sys; print("LIBDIR = %r" % os.path.relpath(*sys.argv[1:]))' \
		'$(libdir)' '$(pythondatadir)' >$@

# gdb does not keep what it compiles of a module, and compiling takes most of the time in which
# a package is loaded. Another Python than ours passes these files over.
compiled_packages = '$(inspectdir)' '$(pluginpackagedir)'
install_data_hooks += install-compiled
uninstall_hooks += uninstall-compiled
.PHONY: install-compiled uninstall-compiled
install-compiled:
	@for directory in $(compiled_packages); do \
		$(PYTHON) -m compileall -q -d "$$directory" "$(DESTDIR)$$directory" || exit 1; \
	done
uninstall-compiled:
	@for directory in $(compiled_packages); do \
		find "$(DESTDIR)$$directory" -name __pycache__ -exec rm -rf {} + ; \
		find "$(DESTDIR)$$directory" -depth -type d -empty -delete; \
	done
