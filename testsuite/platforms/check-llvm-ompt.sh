#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-llvm-ompt.sh RUNTIME:AIM...
#
# LLVM's OMPT tests, of the sources of $CLANG's version that apt fetches, run by LLVM's lit under
# ompd-run: of programs of $CLANG on libomp, or of $CC on libgomp. At least AIM of them must pass;
# which do not is said.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${stage:?}" "${cache:?}" "${PYTHON:?}" "${CC:?}" "${CXX:?}"
CLANG=${CLANG:-clang}
version=$("$CLANG" -dumpversion) || exit
version=${version%%.*}
tree=$cache/llvm-ompt-$version
llvm=/usr/lib/llvm-$version
lit=$llvm/build/utils/lit/lit.py

site() { # RUNTIME DIRECTORY
    local compilers=("$CLANG" "$CLANG++") features=clang libraries=$llvm/lib
    local headers=$("$CLANG" -print-resource-dir)/include flags= openmp=-fopenmp
    if [ "$1" != libomp ]; then
        # gcc lacks omp_control_tool(), and libgomp the reference by which the linker exports a
        # program's tool; what LLVM's headers include, the tests do not.
        compilers=("$CC" "$CXX") features=gcc headers=$stage/include/ompd libraries=$stage/lib
        flags="-w -include stdlib.h -include $stage/include/omp-ompd.h"
        openmp="$openmp -Wl,--no-as-needed -L$stage/lib -Wl,-rpath,$stage/lib -lompd-hooks"
    fi
    cat <<END
config.test_c_compiler = "${compilers[0]}"
config.test_cxx_compiler = "${compilers[1]}"
config.test_compiler_features = ["$features"]
config.test_filecheck = "$llvm/bin/FileCheck"
config.test_not = "$llvm/bin/not"
config.test_openmp_flags = "$openmp"
config.test_extra_flags = "$flags"
config.libomp_obj_root = "$2"
config.library_dir = "$libraries"
config.omp_header_directory = "$headers"
config.operating_system = "Linux"
config.hwloc_library_dir = ""
config.using_hwloc = False
config.has_ompt = config.has_libm = True
config.has_libatomic = False
config.is_standalone_build = True
lit_config.load_config(config, "$tree/openmp/runtime/test/lit.cfg")
config.substitutions = [
    (name, "timeout -k 5 20 $stage/bin/ompd-run %t" if name == "%libomp-run" else text)
    for name, text in config.substitutions]
END
}

run() { # RUNTIME AIM
    local where=$tree/$1 passed
    rm -rf "$where"
    mkdir -p "$where/ompt"
    site "$1" "$where" >"$where/lit.site.cfg"
    timeout -k 10 1800 "$PYTHON" "$lit" -j2 -v "$where/ompt" >"$where/log" 2>&1
    passed=$(grep -c '^PASS: ' "$where/log")
    echo "# $1: $passed passed, of which $2 are wanted; log in $where/log"
    grep -E '^(FAIL|TIMEOUT|UNRESOLVED|XPASS|XFAIL|UNSUPPORTED): ' "$where/log" |
        sed 's/^/#   /; s/libomp :: ompt.//; s/ (.*//'
    [ "$passed" -ge "$2" ]
}

if [ ! -e "$lit" ] || [ ! -e "$llvm/bin/FileCheck" ]; then
    echo "1..0 # SKIP LLVM's test tools are not installed (Debian: llvm-$version-tools)"
    exit 0
fi
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
if ! why=$("$here/llvm-sources.sh" "$release" "$version" "$tree" 2>&1); then
    echo "1..0 # SKIP no tests of LLVM can be had: ${why##*$'\n'}"
    exit 0
fi
status=0 number=0
for one in "$@"; do
    number=$((number + 1))
    if run "${one%:*}" "${one#*:}"; then
        echo "ok $number - $one"
    else
        echo "not ok $number - $one"
        status=1
    fi
done
echo "1..$number"
exit $status
