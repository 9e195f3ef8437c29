#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-libomp.sh
#
# Runs the plugin on programs of clang: on a libomp that debuggers can read, which is compiled
# once (build-libomp.sh), with LLVM's own OMPD library; and on the system's, which they cannot.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${top_builddir:?}" "${stage:?}" "${cache:?}" "${PYTHON:?}"
CLANG=${CLANG:-clang}
directory=$cache/libomp
mkdir -p "$directory"
if ! why=$("$here/build-libomp.sh" "$CLANG" "$directory" 2>&1); then
    echo "1..0 # SKIP no libomp with OMPD can be had: ${why##*$'\n'}"
    exit 0
fi
status=0
libraries=$directory/lib
LIBOMP=$libraries CC="$CLANG -L$libraries -Wl,-rpath,$libraries" \
    timeout -k 10 300 "$PYTHON" "$here/libomp.py" || status=1
timeout -k 10 300 "$PYTHON" "$top_srcdir/testsuite/gdb/foreign.py" || status=1
exit $status
