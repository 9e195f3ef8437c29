#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Holds the layout table of GCC 12 against what layout-gen reads from the debug
# information of libgomp's own sources, compiled here.

source=/usr/src/gcc-12
table=$top_srcdir/libompd/runtime/gomp-layouts/gcc-12.def
generate=$top_builddir/libompd/tools/layout-gen
tarball=$(ls $source/gcc-12.*.tar.xz 2>/dev/null | head -n 1)

. "$top_srcdir/testsuite/common/tap.sh"
if test -z "$tarball"; then
    skip_all "libgomp's sources are not here (Debian: gcc-12-source)"
fi

version=$(basename "$tarball" | sed 's/-dfsg.*//; s/\.tar.*//')

check() { # NAME; the status of the command before decides
    if test $? -eq 0; then
        result ok "$1"
    else
        report "$1" "$(tail -n 20 log)."
    fi
}

(
    cd "$scratch" &&
    tar xf "$tarball" --wildcards "$version/libgomp/*" "$version/include/*" \
        "$version/config/*" "$version/gcc/BASE-VER" "$version/gcc/DATESTAMP" \
        "$version/[!/]*.m4" "$version/config*" "$version/install-sh" "$version/missing" \
        "$version/lt*" "$version/depcomp" "$version/compile" "$version/mkinstalldirs" \
        "$version/multilib.am" "$version/move-if-change" &&
    mkdir build && cd build &&
    "../$version/libgomp/configure" -q --disable-multilib FC=no CFLAGS='-g -O1' &&
    make -s && cp .libs/libgomp.so.1 ../described
) >"$scratch/log" 2>&1
check "libgomp of $version compiles"

"$generate" gomp "$scratch/described" >"$scratch/printed" 2>"$scratch/log"
check "its debug information describes every field"

grep '^GOMP_' "$table" | diff - "$scratch/printed" >"$scratch/log"
check "the table of GCC 12 says the same"
finish
