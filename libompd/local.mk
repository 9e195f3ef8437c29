# What libompd builds; see libompd/README.md.
include_HEADERS += libompd/abi-2/ompd.h
