#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-cross.sh ARCHITECTURE:SUITE...
#
# Programs of other machines on the stock libgomps of the suites, compiled by Debian's cross
# compilers and run by qemu-user, and hooks compiled for them. With and without the hooks they must
# print the same, and gdb-multiarch, by way of qemu's gdb stub and from qemu's cores, must know what
# they record. What nobody prepared is read of aarch64 alone, there of clang's programs on libomp,
# too: the host stops qemu at random instructions and reads what it emulates, and what gdb leaves as a
# core is read by the command and lldb.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${top_builddir:?}" "${stage:?}" "${cache:?}" "${PYTHON:?}"
: "${HOOKS_SOURCES:?}" "${HOOKS_FLAGS:?}"
. "$here/suites.sh"
CLANG=${CLANG:-clang}
unset LD_LIBRARY_PATH
status=0
summary=()

# The architectures: names of compiler, emulator and dynamic linker; whether the library reads
# programs that nobody prepared; whether qemu writes cores.
describe() {
    reads= leaves_cores=yes
    case $1 in
    arm64) triplet=aarch64-linux-gnu emulator=aarch64 loader=ld-linux-aarch64.so.1 reads=yes ;;
    armhf) triplet=arm-linux-gnueabihf emulator=arm loader=ld-linux-armhf.so.3 ;;
    ppc64el) triplet=powerpc64le-linux-gnu emulator=ppc64le loader=ld64.so.2 ;;
    riscv64)
        triplet=riscv64-linux-gnu emulator=riscv64 loader=ld-linux-riscv64-lp64d.so.1
        leaves_cores=
        ;;
    s390x) triplet=s390x-linux-gnu emulator=s390x loader=ld64.so.1 ;;
    *) return 1 ;;
    esac
    cross=$cache/cross-$1
    qemu=$cache/qemu/root/usr/bin/qemu-$emulator
}

# qemu of 10.0 and later writes cores that are whole and speaks to gdb while it runs.
get_tools() {
    "$here/fetch.sh" bookworm amd64 "$cache/multiarch" gdb-multiarch &&
        "$here/fetch.sh" trixie amd64 "$cache/qemu" qemu-user
}

# The compiler is that of this system's own release.
get_compiler() {
    "$here/fetch.sh" bookworm amd64 "$cross" "gcc-12-$triplet" "cpp-12-$triplet" \
        "binutils-$triplet" "libgcc-12-dev-$1-cross"
}

# A program of DIRECTORY, which brings libraries of its own: FILE DIRECTORY COMMAND LAST_WORDS.
make_wrapper() {
    cat >"$1" <<END
#!/bin/sh
LD_LIBRARY_PATH=$2/root/usr/lib/x86_64-linux-gnu exec $3 "\$@" $4
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
    local root=$1/root libraries=$1/root/usr/lib/$triplet
    local gcc=$cross/root/usr/lib/gcc-cross/$triplet/12
    local flags="--sysroot=$root \\
    -isystem $root/usr/include/$triplet -isystem $root/usr/include -B$libraries \\
    -L$1/link -L$libraries -Wl,--disable-new-dtags -Wl,-rpath,$libraries \\
    -Wl,--dynamic-linker=$libraries/$loader"
    mkdir -p "$1/link" "$1/clang"
    ln -sf "$libraries/libgomp.so.1" "$1/link/libgomp.so"
    ln -sf "$libraries/libomp.so.5" "$1/link/libomp.so"
    make_wrapper "$1/cc" "$cross" "$cross/root/usr/bin/$triplet-gcc-12 $flags" "-pthread -ldl"
    make_wrapper "$cross/ld" "$cross" "$cross/root/usr/bin/$triplet-ld" ""
    make_wrapper "$1/clang/cc" "$cross" \
        "$CLANG --target=$triplet --ld-path=$cross/ld -B$gcc -L$gcc $flags" "-pthread -ldl"
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
    [ -z "$reads" ] || for name in O0 O2; do
        "$tree/cc" -std=gnu11 -g "-$name" -fopenmp "$top_srcdir/testsuite/platforms/polls.c" \
            -o "$programs/polls-${CC:-gcc}-$name" || return 1
    done
    core= fixed_core= recorded_core=
    [ -n "$leaves_cores" ] || return 0
    recorded_core=$(leave_core parked-fixed "${record[@]}") || return 1
    [ -z "$reads" ] || { core=$(leave_core parked) && fixed_core=$(leave_core parked-fixed); }
}

# Prints the name of the core that a program leaves: PROGRAM OPTION_OF_QEMU...
leave_core() {
    local program=$tree/testsuite/host/$1 file
    shift
    rm -rf "$tree/leaves"
    mkdir -p "$tree/leaves" "$tree/cores"
    (cd "$tree/leaves" && ulimit -c "$(ulimit -H -c)" &&
        exec timeout 60 "$qemu" "$@" "$program" >/dev/null 2>&1)
    file=$(ls "$tree/leaves"/qemu_*.core) || { echo "qemu left no core" >&2; return 1; }
    mv "$file" "$tree/cores" && echo "$tree/cores/${file##*/}"
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
    summary+=("$(printf '%-22s %-16s %3d passed, %s failed' "$suite" "$name" "$passed" \
        "$failed")")
}

mkdir -p "$cache"
if ! why=$(get_tools 2>&1); then
    echo "1..0 # SKIP Debian's cross compiler and qemu cannot be fetched: ${why##*$'\n'}"
    exit 0
fi
make_wrapper "$cache/gdb-multiarch" "$cache/multiarch" \
    "$cache/multiarch/root/usr/bin/gdb-multiarch --data-directory=/usr/share/gdb" ""

# The programs of a tree, of which LABEL says on what they run.
check() { # LABEL TREE
    local label=$1 tree=$2 name file
    if ! make_tree "$tree" 2>"$tree/log"; then
        sed "s/^/$label: /" "$tree/log"
        summary+=("$(printf '%-22s failed: its programs cannot be built or run' "$label")")
        status=1
        return
    fi
    name=programs run "$label" env tree="$tree" QEMU="$qemu" stage="$stage" \
        top_srcdir="$top_srcdir" bash "$here/cross-programs.sh" "${record[@]}"
    [ -z "$reads" ] || check_unprepared
    name="gdb-multiarch" run "$label" env top_srcdir="$top_srcdir" top_builddir="$tree" \
        stage="$stage" GDB="$cache/gdb-multiarch" QEMU="$qemu" RECORD="${record[*]}" \
        READS="$reads" PARKED="$tree/testsuite/host/parked-fixed" PARKED_CORE="$fixed_core" \
        RECORDED_CORE="$recorded_core" WAITS="$tree/testsuite/host/waits" \
        WAITS_CORE="$tree/waits.core" "$PYTHON" "$here/gdb-truth.py"
    [ -z "$reads" ] || name="three hosts" run "$label" env stage="$stage" \
        GDB="$cache/gdb-multiarch" "$PYTHON" "$here/aarch64-hosts.py" \
        "$tree/testsuite/host/waits" "$tree/waits.core"
    [ -z "$reads" ] || name="polls" run "$label" env stage="$stage" QEMU="$qemu" \
        GDB="$cache/gdb-multiarch" "$PYTHON" "$here/polls.py" "$tree/testsuite/host"/polls-*
    rm -rf "$tree/cores" "$tree/leaves" "$tree/waits.core"
}

check_unprepared() {
    name="random stops" QEMU_CPU=max run "$label" env stage="$stage" OMPD_TRUTH_EMULATOR="$qemu" \
        OMPD_TRUTH_CORES=0 OMPD_TRUTH_STOPS="${STOPS:-500}" \
        "$top_builddir/testsuite/host/test-gomp-truth" \
        "$tree/testsuite/host/gomp-truth-target"
    for file in "$core" "$fixed_core"; do
        name="core" run "$label" env stage="$stage" \
            "$top_builddir/testsuite/host/test-gomp-truth" --core "$file"
    done
}

for what in "$@"; do
    architecture=${what%%:*} suite=${what##*:} libomp=
    describe "$architecture" || { echo "no architecture of the table: $what" >&2; exit 1; }
    tree=$cache/$architecture-$suite
    [ -z "$reads" ] || libomp=$(libomp_of "$suite")
    mkdir -p "$tree"
    # shellcheck disable=SC2086
    if ! why=$(get_compiler "$architecture" 2>&1 &&
        "$here/fetch.sh" "$suite" "$architecture" "$tree" libc6 libc6-dev linux-libc-dev \
            libgomp1 libgcc-s1 $libomp 2>&1); then
        summary+=("$(printf '%-22s skipped: its packages cannot be fetched: %s' "$what" \
            "${why##*$'\n'}")")
        continue
    fi
    make_compilers "$tree"
    summary+=("$(printf '%-22s %s' "$what" "$(grep -E '^lib(c6|gomp1|omp5.*)_' \
        "$tree/packages" | tr '\n' ' ')")")
    hooks=$tree/libompd-hooks.so
    record=(-E "LD_PRELOAD=$hooks" -E OMP_OMPD=on)
    if ! make_hooks "$tree" "$hooks"; then
        summary+=("$(printf '%-22s failed: the hooks cannot be compiled' "$what")")
        status=1
        continue
    fi
    # gdb 13 cannot unwind through the signed return addresses of newer processors.
    unset QEMU_CPU
    [ "$architecture" != arm64 ] || export QEMU_CPU=cortex-a72
    check "$what" "$tree"
    if [ -n "$libomp" ] && command -v "$CLANG" >/dev/null; then
        CC=clang CXX=clang++ check "$what clang" "$tree/clang"
    elif [ -n "$libomp" ]; then
        summary+=("$(printf '%-22s skipped: %s is not installed' "$what clang" "$CLANG")")
    fi
done
echo
printf '%s\n' "${summary[@]}"
exit $status
