#!/bin/bash
# SPDX-License-Identifier: MIT
#
# llvm-sources.sh SUITE VERSION DIRECTORY [PATTERN...]
#
# DIRECTORY/openmp: what LLVM tests its OpenMP runtime and its OMPD library with, of Debian's
# sources of that version; or else the files that match. Done once.
set -euo pipefail
suite=$1 version=$2 directory=$3
shift 3
[ $# -gt 0 ] || set -- '*/openmp/libompd/*' '*/openmp/runtime/test/*' '*/openmp/runtime/src/*.h' \
    '*/openmp/runtime/src/include/*'
[ ! -e "$directory/openmp/complete" ] || exit 0
"$(dirname "$(readlink -f "$0")")/fetch.sh" --source "$suite" "$(dpkg --print-architecture)" \
    "$directory/source" "llvm-toolchain-$version"
rm -rf "$directory/openmp"
tar xf "$(find "$directory/source/root" -name '*.orig.tar.*')" -C "$directory" \
    --strip-components=1 --wildcards "$@"
mkdir -p "$directory/openmp"
: >"$directory/openmp/complete"
rm -rf "$directory/source"
