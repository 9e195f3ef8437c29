#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-aarch64.sh SUITE...
#
# Reads aarch64 programs on the stock libgomps of the suites, compiled by Debian's cross compiler,
# and on their libomps, compiled by clang, run by qemu-user. The host stops qemu at random instructions and reads what it
# emulates, and a core that qemu wrote; gdb-multiarch comes by way of qemu's gdb stub, and what it
# leaves as a core is read by the command and lldb as well.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${top_builddir:?}" "${stage:?}" "${cache:?}" "${PYTHON:?}"
CLANG=${CLANG:-clang}
unset LD_LIBRARY_PATH
status=0
summary=()

# The compiler is that of this system's own release; qemu of 10.0 and later writes cores that
# are whole and speaks to gdb while it runs.
get_tools() {
    "$here/fetch.sh" bookworm amd64 "$cache/cross" gcc-12-aarch64-linux-gnu \
        cpp-12-aarch64-linux-gnu binutils-aarch64-linux-gnu libgcc-12-dev-arm64-cross \
        gdb-multiarch &&
        "$here/fetch.sh" trixie amd64 "$cache/qemu" qemu-user
}

# A program of $cache/cross; they bring libraries of their own.
make_wrapper() {
    cat >"$1" <<END
#!/bin/sh
LD_LIBRARY_PATH=$cache/cross/root/usr/lib/x86_64-linux-gnu exec $2 "\$@" $3
END
    chmod +x "$1"
}

# What each suite calls a libomp that is read; bullseye's is older.
libomp_of() {
    case $1 in
    bookworm) echo libomp5-14 ;;
    trixie) echo libomp5-19 ;;
    sid) echo libomp5 ;;
    esac
}

make_compilers() {
    local root=$1/root libraries=$1/root/usr/lib/aarch64-linux-gnu
    local gcc=$cache/cross/root/usr/lib/gcc-cross/aarch64-linux-gnu/12
    local flags="--sysroot=$root \\
    -isystem $root/usr/include/aarch64-linux-gnu -isystem $root/usr/include -B$libraries \\
    -L$1/link -L$libraries -Wl,--disable-new-dtags -Wl,-rpath,$libraries \\
    -Wl,--dynamic-linker=$libraries/ld-linux-aarch64.so.1"
    mkdir -p "$1/link" "$1/clang"
    ln -sf "$libraries/libgomp.so.1" "$1/link/libgomp.so"
    ln -sf "$libraries/libomp.so.5" "$1/link/libomp.so"
    make_wrapper "$1/cc" "$cache/cross/root/usr/bin/aarch64-linux-gnu-gcc-12 $flags" \
        "-pthread -ldl"
    make_wrapper "$1/clang/cc" "$CLANG --target=aarch64-linux-gnu --ld-path=$cache/ld -B$gcc \\
    -L$gcc $flags" "-pthread -ldl"
}

make_tree() {
    local tree=$1 programs=$1/testsuite/host name
    mkdir -p "$programs"
    for name in host/gomp-truth-target platforms/parked gdb/waits; do
        "$tree/cc" -std=gnu11 -g -O0 -fopenmp -I"$top_srcdir" -I"$top_srcdir/testsuite/host" \
            "$top_srcdir/testsuite/$name.c" -o "$programs/${name#*/}" || return 1
    done
    "$tree/cc" -std=gnu11 -g -O0 -fopenmp -no-pie -I"$top_srcdir" \
        -I"$top_srcdir/testsuite/host" "$top_srcdir/testsuite/platforms/parked.c" \
        -o "$programs/parked-fixed" || return 1
    rm -f "$tree"/*.core "$tree/core"
    for name in parked parked-fixed; do
        (cd "$tree" && ulimit -c "$(ulimit -H -c)" &&
            QEMU_CPU=$plain_cpu exec timeout 60 "$qemu" "$programs/$name" \
            >/dev/null 2>&1)
    done
    core=$(ls "$tree"/qemu_parked_*.core 2>/dev/null)
    fixed_core=$(ls "$tree"/qemu_parked-fixed_*.core 2>/dev/null)
    [ -n "$core" ] && [ -n "$fixed_core" ] || { echo "qemu left no core" >&2; return 1; }
}

run() {
    local suite=$1 log=$tree/log
    shift
    printf '# %s: %s\n' "$suite" "${*##*/}"
    timeout -k 10 600 "$@" >"$log" 2>&1
    local ended=$? passed failed
    grep -v '^1\.\.[1-9][0-9]*$' "$log" | sed "s/^/$suite: /"
    passed=$(grep '^ok' "$log" | grep -vc '# SKIP')
    failed=$(grep -c '^not ok' "$log")
    if [ $ended -ne 0 ] || [ "$failed" -gt 0 ] || ! grep -q '^1\.\.' "$log"; then
        [ "$failed" -gt 0 ] || failed="1 (status $ended)"
        status=1
    fi
    summary+=("$(printf '%-15s %-16s %3d passed, %s failed' "$suite" "$name" "$passed" \
        "$failed")")
}

mkdir -p "$cache"
if ! why=$(get_tools 2>&1); then
    echo "1..0 # SKIP Debian's cross compiler and qemu cannot be fetched: ${why##*$'\n'}"
    exit 0
fi
qemu=$cache/qemu/root/usr/bin/qemu-aarch64
# gdb 13 cannot unwind through the signed return addresses of newer processors.
plain_cpu=cortex-a72
make_wrapper "$cache/ld" "$cache/cross/root/usr/bin/aarch64-linux-gnu-ld" ""
make_wrapper "$cache/gdb-multiarch" "$cache/cross/root/usr/bin/gdb-multiarch \\
    --data-directory=/usr/share/gdb" ""

# The programs of a tree, of which LABEL says on what they run.
check() { # LABEL TREE
    local label=$1 tree=$2 name
    if ! make_tree "$tree" 2>"$tree/log"; then
        sed "s/^/$label: /" "$tree/log"
        summary+=("$(printf '%-15s failed: its programs cannot be built or run' "$label")")
        status=1
        return
    fi
    name="random stops" run "$label" env stage="$stage" OMPD_TRUTH_EMULATOR="$qemu" \
        OMPD_TRUTH_CORES=0 OMPD_TRUTH_STOPS="${STOPS:-500}" \
        "$top_builddir/testsuite/host/test-gomp-truth" \
        "$tree/testsuite/host/gomp-truth-target"
    for file in "$core" "$fixed_core"; do
        name="core" run "$label" env stage="$stage" \
            "$top_builddir/testsuite/host/test-gomp-truth" --core "$file"
    done
    name="gdb-multiarch" run "$label" env top_srcdir="$top_srcdir" top_builddir="$tree" \
        stage="$stage" GDB="$cache/gdb-multiarch" QEMU="$qemu" QEMU_CPU="$plain_cpu" \
        PARKED="$tree/testsuite/host/parked-fixed" PARKED_CORE="$fixed_core" \
        WAITS="$tree/testsuite/host/waits" WAITS_CORE="$tree/waits.core" \
        "$PYTHON" "$here/gdb-truth.py"
    name="three hosts" run "$label" env stage="$stage" GDB="$cache/gdb-multiarch" \
        "$PYTHON" "$here/aarch64-hosts.py" "$tree/testsuite/host/waits" "$tree/waits.core"
    rm -f "$tree"/*.core "$tree/core"
}

for suite in "$@"; do
    tree=$cache/arm64-$suite
    libomp=$(libomp_of "$suite")
    mkdir -p "$tree"
    if ! why=$("$here/fetch.sh" "$suite" arm64 "$tree" libc6 libc6-dev linux-libc-dev \
        libgomp1 libgcc-s1 $libomp 2>&1); then
        summary+=("$(printf '%-15s skipped: its packages cannot be fetched: %s' "$suite" \
            "${why##*$'\n'}")")
        continue
    fi
    make_compilers "$tree"
    summary+=("$(printf '%-15s %s' "$suite" "$(grep -E '^lib(c6|gomp1|omp5.*)_' \
        "$tree/packages" | tr '\n' ' ')")")
    check "$suite" "$tree"
    if [ -n "$libomp" ] && command -v "$CLANG" >/dev/null; then
        CC=clang CXX=clang++ check "$suite clang" "$tree/clang"
    elif [ -n "$libomp" ]; then
        summary+=("$(printf '%-15s skipped: %s is not installed' "$suite clang" "$CLANG")")
    fi
done
echo
printf '%s\n' "${summary[@]}"
exit $status
