# The lldb extension; see lldb-plugin/README.md.
lldb_host = \
	lldb-plugin/lldb_openmp/host/__init__.py \
	lldb-plugin/lldb_openmp/host/call_arguments.py \
	lldb-plugin/lldb_openmp/host/console.py \
	lldb-plugin/lldb_openmp/host/debug_information.py \
	lldb-plugin/lldb_openmp/host/frames.py \
	lldb-plugin/lldb_openmp/host/line_tables.py \
	lldb-plugin/lldb_openmp/host/locations.py \
	lldb-plugin/lldb_openmp/host/open_core.py \
	lldb-plugin/lldb_openmp/host/process.py \
	lldb-plugin/lldb_openmp/host/sessions.py \
	lldb-plugin/lldb_openmp/host/timed_run.py
lldb_ui = \
	lldb-plugin/lldb_openmp/ui/__init__.py \
	lldb-plugin/lldb_openmp/ui/catchpoints.py \
	lldb-plugin/lldb_openmp/ui/commands.py \
	lldb-plugin/lldb_openmp/ui/stepping.py \
	lldb-plugin/lldb_openmp/ui/thread_names.py \
	lldb-plugin/lldb_openmp/ui/values.py

lldbplugindir = $(datadir)/ompd/lldb
lldbpackagedir = $(lldbplugindir)/lldb_openmp
dist_lldbplugin_DATA = lldb-plugin/ompd_lldb.py
dist_lldbpackage_DATA = lldb-plugin/lldb_openmp/__init__.py
lldbhostdir = $(lldbpackagedir)/host
dist_lldbhost_DATA = $(lldb_host)
lldbuidir = $(lldbpackagedir)/ui
dist_lldbui_DATA = $(lldb_ui)
EXTRA_DIST += lldb-plugin/README.md
