#!/bin/bash
# SPDX-License-Identifier: MIT
#
# build-libomp.sh CLANG DIRECTORY
#
# Compiles LLVM's runtime and its OMPD library from Debian's sources of the LLVM that CLANG is
# of: DIRECTORY/lib/libomp.so with the symbols that debuggers need, which Debian's own hides,
# and DIRECTORY/lib/libompd.so. Done once.
set -euo pipefail
clang=$1 directory=$2
[ ! -e "$directory/lib/libomp.so" ] || exit 0
for tool in "$clang" "$clang++" cmake make; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 1; }
done
version=$("$clang" -dumpversion)
version=${version%%.*}
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
"$(dirname "$(readlink -f "$0")")/fetch.sh" --source "$release" \
    "$(dpkg --print-architecture)" "$directory/source" "llvm-toolchain-$version"
tarball=$(find "$directory/source/root" -name '*.orig.tar.*')
work=$directory/build
rm -rf "$work"
mkdir -p "$work/build" "$directory/lib"
cd "$work"
{
    tar xf "$tarball" --strip-components=1 --wildcards '*/openmp/*' '*/cmake/*' \
        --exclude '*/openmp/libomptarget/*' --exclude '*/test/*'
    mkdir -p openmp/runtime/test
    : >openmp/runtime/test/CMakeLists.txt
    sed -i 's/^ *ompt_start_tool;.*/&\n        ompd_*;/' openmp/runtime/src/exports_so.txt
    cd build
    cmake -G 'Unix Makefiles' ../openmp -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clang++" \
        -DOPENMP_ENABLE_LIBOMPTARGET=OFF -DOPENMP_ENABLE_OMPT_TOOLS=OFF \
        -DLIBOMP_OMPD_SUPPORT=ON -DLIBOMP_OMPD_GDB_SUPPORT=OFF -DLIBOMP_INSTALL_ALIASES=OFF
    make -s -j"$(nproc)" omp ompd
} >"$work/log" 2>&1 || { tail -n 3 "$work/log" >&2; exit 1; }
find . -name libompd.so -exec strip -g -o "$directory/lib/libompd.so" {} \;
find . -name libomp.so -exec strip -g -o "$directory/lib/libomp.so" {} \;
ln -sf libomp.so "$directory/lib/libomp.so.5"
rm -rf "$work" "$directory/source"
