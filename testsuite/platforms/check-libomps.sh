#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-libomps.sh SUITE:VERSION...
#
# Runs the truth test of ../host on the packaged libomps of other versions, each with its
# suite's C library, as they are and recorded: STOPS stops and CORES cores (1500, 4).
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${top_builddir:?}" "${stage:?}" "${cache:?}"
CLANG=${CLANG:-clang}
export OMPD_TRUTH_STOPS=${STOPS:-1500} OMPD_TRUTH_CORES=${CORES:-4}
status=0

run() { # SUITE VERSION
    local package=libomp5-$2 tree=$cache/libomp-$1-$2 root libraries home why
    case $1-$2 in
    trixie-17) package=libomp5-17t64 ;;
    sid-23 | resolute-22) package=libomp5 ;; # the newest of the suite
    esac
    if ! why=$("$here/fetch.sh" "$1" amd64 "$tree" "$package" libc6 2>&1); then
        echo "# $1 $2: not fetched: ${why##*$'\n'}"
        return
    fi
    root=$tree/root
    libraries=$root/usr/lib/x86_64-linux-gnu
    home=$root/usr/lib/llvm-$2/lib
    # The program is compiled with this system's headers: the newer C library runs it.
    "$CLANG" -std=gnu11 -g -O1 -fopenmp "$top_srcdir/testsuite/host/gomp-truth-target.c" \
        -o "$tree/target" "-Wl,--dynamic-linker=$libraries/ld-linux-x86-64.so.2" \
        "-Wl,--disable-new-dtags,-rpath,$home:$libraries" || return 1
    echo "# $(tr '\n' ' ' <"$tree/packages")"
    "$top_builddir/testsuite/host/test-gomp-truth" "$tree/target" 2>/dev/null || return 1
    echo "# recorded"
    LD_PRELOAD=$stage/lib/libompd-hooks.so OMP_OMPD=on \
        "$top_builddir/testsuite/host/test-gomp-truth" "$tree/target" 2>/dev/null
}

for one in "$@"; do
    run "${one%:*}" "${one#*:}" || status=1
done
exit $status
