#!/bin/bash
# SPDX-License-Identifier: MIT
#
# build-libgomp.sh VERSION DIRECTORY
#
# Compiles libgomp of a GCC that no suite ships, from Debian's sources of that compiler, with
# this system's compiler: DIRECTORY/libgomp.so.1, stripped as a distribution has it, and
# libgomp.a. Done once.
set -euo pipefail
version=$1 directory=$2
[ ! -e "$directory/libgomp.a" ] || exit 0
case $version in
11) suite=bookworm ;;
*) suite=trixie ;;
esac
"$(dirname "$(readlink -f "$0")")/fetch.sh" "$suite" amd64 "$directory/source" \
    "gcc-$version-source"
tarball=$(find "$directory/source/root/usr/src/gcc-$version" -name "gcc-$version.*.tar.xz")
top=$(basename "$tarball" | sed 's/-dfsg.*//; s/\.tar.*//')
work=$directory/build
rm -rf "$work"
mkdir -p "$work/build"
cd "$work"
tar xf "$tarball" --wildcards "$top/libgomp/*" "$top/include/*" "$top/config/*" \
    "$top/gcc/BASE-VER" "$top/gcc/DATESTAMP" "$top/[!/]*.m4" "$top/config*" \
    "$top/install-sh" "$top/missing" "$top/lt*" "$top/depcomp" "$top/compile" \
    "$top/mkinstalldirs" "$top/multilib.am" "$top/move-if-change"
cd build
{
    "../$top/libgomp/configure" -q --disable-multilib FC=no CFLAGS='-g -O2 -Wno-error'
    make -s -j"$(nproc)" libgomp.la
} >log 2>&1 || { tail -n 3 log >&2; exit 1; }
strip -o "$directory/libgomp.so.1" .libs/libgomp.so.1
strip -g -o "$directory/libgomp.a" .libs/libgomp.a
rm -rf "$work" "$directory/source"
