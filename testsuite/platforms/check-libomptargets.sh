#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-libomptargets.sh SUITE:VERSION...
#
# Runs the tests of devices on the packaged libomptargets of other versions, each with its suite's
# libraries: SEEDS programs (3). The programs are those of this system's clang.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${stage:?}" "${cache:?}"
export SEEDS=${SEEDS:-3}
status=0

run() { # SUITE VERSION
    local package=libomp5-$2 tree=$cache/libomptarget-$1-$2 libraries loader needed file why
    [ "$1-$2" = trixie-17 ] && package=libomp5-17t64
    if ! why=$("$here/fetch.sh" --depends "$1" amd64 "$tree" "$package" 2>&1); then
        echo "# $1 $2: not fetched: ${why##*$'\n'}"
        return
    fi
    libraries=$tree/root/usr/lib/x86_64-linux-gnu
    loader=$libraries/ld-linux-x86-64.so.2
    export CLANG_LIBRARIES=$tree/root/usr/lib/llvm-$2/lib
    for file in "$CLANG_LIBRARIES"/libomptarget*.so.*; do
        ln -sf "${file##*/}" "${file%.so.*}.so" # by these names programs and libomptarget load them
    done
    ln -sf libomp.so.5 "$CLANG_LIBRARIES/libomp.so" # to which it reports target constructs
    # The program needs all libraries itself: those of packages do not go by its path.
    needed=$("$loader" --library-path "$CLANG_LIBRARIES:$libraries" --list "$CLANG_LIBRARIES/libomptarget.so" |
        sed -n "s|.*=> \($tree[^ ]*\) .*|\1|p" | tr '\n' ' ')
    CLANG_FLAGS="-fno-openmp-implicit-rpath -Wl,--allow-shlib-undefined,--no-as-needed $needed"
    CLANG_FLAGS+="-Wl,--dynamic-linker=$loader,--disable-new-dtags,-rpath,$CLANG_LIBRARIES:$libraries"
    export CLANG_FLAGS
    CLANG_KERNELS=all
    [ "$2" = 18 ] && CLANG_KERNELS=none # it does not execute those of clang 14
    export CLANG_KERNELS
    echo "# $1 $2"
    python3 "$top_srcdir/testsuite/command/devices.py" || return 1
    python3 "$top_srcdir/testsuite/host/test-devices.py"
}

for one in "$@"; do
    run "${one%:*}" "${one#*:}" || status=1
done
exit $status
