#!/bin/bash
# SPDX-License-Identifier: MIT
#
# "make uninstall" removes what "make install" has made, directories included.
. "${top_srcdir:?}/testsuite/common/tap.sh"
unset MAKEFLAGS MAKELEVEL

made() { # TARGET
    make -C "$top_builddir" "$1" DESTDIR="$scratch/root" prefix=/p exec_prefix=/p >log 2>&1 || cat log
}

report "install" "$(made install)"
missing=
for file in bin/ompd bin/ompd-run lib/libompd.so lib/libompd-hooks.so include/ompd.h \
    share/man/man1/ompd.1 share/man/man7/ompd.7 share/ompd/README.md share/ompd/doc/manual.md \
    share/ompd/gdb/ompd-gdb.py share/ompd/lldb/ompd_lldb.py share/ompd/examples/Makefile; do
    [ -s "root/p/$file" ] || missing+="$file "
done
report "it has each part" "$missing"
report "no empty directory" "$(find root -type d -empty)"
report "uninstall" "$(made uninstall)"
same "nothing is left but the prefix" "$(find root)" "root
root/p"
finish
