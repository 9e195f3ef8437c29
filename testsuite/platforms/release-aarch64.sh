#!/bin/bash
# SPDX-License-Identifier: MIT
#
# release-aarch64.sh RELEASE CC
#
# Tries what a RELEASE has for aarch64 under qemu-user, with Debian 12's Python and libgomp: versions, a program
# that is recorded, and cores that gdb-multiarch leaves over qemu's stub. qemu neither traces nor executes
# another program, so that no process is looked at. CC compiles for aarch64.
set -uo pipefail
release=$(realpath "$1") cc=$2
: "${top_srcdir:?}" "${cache:?}"
fetch=$top_srcdir/testsuite/platforms/fetch.sh
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
. "$top_srcdir/testsuite/platforms/tried.sh"
"$fetch" --depends bookworm arm64 "$cache/aarch64" python3 libgomp1 zlib1g &&
    "$fetch" trixie amd64 "$cache/qemu" qemu-user && "$fetch" bookworm amd64 "$cache/multiarch" gdb-multiarch ||
    exit 1
root=$cache/aarch64/root
cd "$TMPDIR" && tar -xf "$release"/ompd-linux-*-aarch64.tar.xz || exit 1
here=$(echo "$TMPDIR"/ompd-linux-*)
recorded=(-E "LD_PRELOAD=$here/lib/libompd-hooks.so" -E OMP_OMPD=on)

emulated() { # OPTION... PROGRAM WORD...: gdb 12 cannot unwind through the signed addresses of newer processors
    QEMU_CPU=cortex-a72 timeout 60 "$cache/qemu/root/usr/bin/qemu-aarch64" -L "$root" "$@"
}
ompd() { emulated "$root/usr/bin/python3" -IS "$here/bin/ompd" "$@"; }
compiled() { # SOURCE PROGRAM: with the runtime of the root, which is younger than the compiler's C library
    "$cc" -g -O0 -fopenmp -I"$top_srcdir" -c "$top_srcdir/$1" -o "$2.o" && "$cc" "$2.o" -o "$2" -lpthread \
        -L"$root/usr/lib/aarch64-linux-gnu" -l:libgomp.so.1 -Wl,--allow-shlib-undefined
}
leave_core() { # CORE OPTION...: where all threads of waits.c but one wait
    emulated "${@:2}" -g stub ./waits wait </dev/null &
    until [ -S stub ]; do sleep 0.1; done
    LD_LIBRARY_PATH=$cache/multiarch/root/usr/lib/x86_64-linux-gnu timeout 60 \
        "$cache/multiarch/root/usr/bin/gdb-multiarch" --data-directory=/usr/share/gdb -nx -batch \
        -ex "set sysroot $root" -ex 'file waits' -ex 'target remote stub' \
        -ex "break $(sed -n '/mark: all_wait/=' "$top_srcdir/testsuite/gdb/waits.c")" -ex continue \
        -ex "generate-core-file $1" -ex kill >gdb.log 2>&1
    wait
    rm -f stub
    [ -s "$1" ] || { cat gdb.log; return 1; }
}

holds "ompd --version" says '^ompd [0-9.]+$' ompd --version
holds "ompd-run --version" says '^ompd-run [0-9.]+$' emulated "$here/bin/ompd-run" --version
holds "programs are compiled" compiled examples/transfer.c transfer
emulated ./transfer >plain
holds "a recorded program ends as it does" ends $? emulated "${recorded[@]}" ./transfer
holds "and prints the same" cmp plain "$TMPDIR/ends.log"
holds "programs that wait are compiled" compiled testsuite/gdb/waits.c waits
holds "a core" leave_core plain.core
holds "why, of a core" says '^ +[0-9]+ \(2/6\) +wants the critical section' ompd why plain.core
holds "a recorded core" leave_core recorded.core "${recorded[@]}"
holds "why, of a recorded core" says 'holds critical section "update"  since waits.c:' ompd why recorded.core
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
