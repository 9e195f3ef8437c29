#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Holds the layout table of GCC 12 against what layout-gen reads from the debug
# information of libgomp's own sources, compiled here. Only two of its files are: they use
# every structure. `gomp-layouts.sh all` builds the whole library instead.

source=/usr/src/gcc-12
table=$top_srcdir/libompd/runtime/gomp-layouts/gcc-12.def
generate=$top_builddir/libompd/tools/layout-gen
tarball=$(ls $source/gcc-12.*.tar.xz 2>/dev/null | head -n 1)

echo 1..3
if test -z "$tarball"; then
    for n in 1 2 3; do
        echo "ok $n # SKIP libgomp's sources are not here (Debian: gcc-12-source)"
    done
    exit 0
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
version=$(basename "$tarball" | sed 's/-dfsg.*//; s/\.tar.*//')

check() { # number, description; the status of the command before decides
    if test $? -eq 0; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        sed 's/^/# /' "$work/log" | tail -n 20
    fi
}

(
    cd "$work" &&
    tar xf "$tarball" --wildcards "$version/libgomp/*" "$version/include/*" \
        "$version/config/*" "$version/gcc/BASE-VER" "$version/gcc/DATESTAMP" \
        "$version/[!/]*.m4" "$version/config*" "$version/install-sh" "$version/missing" \
        "$version/lt*" "$version/depcomp" "$version/compile" "$version/mkinstalldirs" \
        "$version/multilib.am" "$version/move-if-change" &&
    mkdir build && cd build &&
    "../$version/libgomp/configure" -q --disable-multilib FC=no CFLAGS='-g -O1' &&
    if test "$1" = all; then
        make -s && cp .libs/libgomp.so.1 ../described
    else
        make -s task.lo team.lo && cp .libs/task.o ../described
    fi
) >"$work/log" 2>&1
check 1 "libgomp of $version compiles"

"$generate" gomp "$work/described" >"$work/printed" 2>"$work/log"
check 2 "its debug information describes every field"

grep '^GOMP_' "$table" | diff - "$work/printed" >"$work/log"
check 3 "the table of GCC 12 says the same"
