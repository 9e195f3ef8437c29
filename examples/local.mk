# What examples installs: the programs of the README, the manual and the tutorial, and those for authors
# of debuggers and tools, as source, to be built by their Makefile.
examplesdir = $(datadir)/ompd/examples
dist_examples_DATA = examples/Makefile examples/count_tool.c examples/fetch.c examples/fleet.sh examples/heat.c \
	examples/journal.c examples/list_threads.c examples/mean.c examples/relay.c \
	examples/transfer.c examples/tree.c
EXTRA_DIST += examples/ci/action.yml
