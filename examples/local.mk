# What examples installs: the programs of the README, as source, to be built by their Makefile.
examplesdir = $(datadir)/ompd/examples
dist_examples_DATA = examples/Makefile examples/heat.c examples/transfer.c examples/tree.c
