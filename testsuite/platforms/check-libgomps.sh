#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-libgomps.sh SUITE|gcc-VERSION...
#
# Runs the tests of programs that nobody prepared on the stock libgomps of other suites, each
# with its own C library. For each suite $cache/SUITE looks like a build directory whose
# programs were compiled against that suite and run by its dynamic linker; so every test that
# takes its programs from there tests that suite. fetch.sh gets the packages. The libgomps of
# versions that no suite ships are compiled, and run with this system's C library.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${top_builddir:?}" "${stage:?}" "${cache:?}" "${CC:?}" "${PYTHON:?}"
: "${HOOKS_SOURCES:?}" "${HOOKS_FLAGS:?}"
. "$here/suites.sh"
status=0
summary=()

# Programs and hooks of the suite, and for the rest this build's own.
make_tree() {
    local tree=$1 name
    mkdir -p "$tree/testsuite/host"
    for name in gomp-truth-target gomp-many; do
        "$tree/cc" -std=gnu11 -g -O1 -fopenmp "$top_srcdir/testsuite/host/$name.c" \
            -o "$tree/testsuite/host/$name" || return 1
        "$tree/root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" \
            --list "$tree/testsuite/host/$name" |
            grep "libgomp.so.1 => $tree/root/" >/dev/null || {
            echo "$name does not run on the suite's libgomp" >&2
            return 1
        }
    done
    ln -sf "$top_builddir/testsuite/host/ompd-host" "$tree/testsuite/host/ompd-host"
    make_stage "$tree"
}

# Runs one test on a suite. Its TAP output goes through, the count is kept for the end.
run() {
    local suite=$1 log=$cache/$1/log
    shift
    printf '# %s: %s\n' "$suite" "${*##*/}"
    timeout -k 10 900 env top_srcdir="$top_srcdir" top_builddir="$cache/$suite" \
        stage="$cache/$suite/stage" CC="$cache/$suite/cc" GDB="${GDB-}" "$@" >"$log" 2>&1
    local ended=$?
    grep -v '^1\.\.[1-9][0-9]*$' "$log" | sed "s/^/$suite: /"
    local passed failed skipped
    passed=$(grep '^ok' "$log" | grep -vc '# SKIP')
    failed=$(grep -c '^not ok' "$log")
    skipped=$(grep -Ec '^(ok|1\.\.0) .*# SKIP' "$log")
    if [ $ended -ne 0 ] || [ "$failed" -gt 0 ] || ! grep -q '^1\.\.' "$log"; then
        failed="${failed//[!0-9]/}"
        [ "$failed" -gt 0 ] || failed="1 (status $ended)"
        status=1
    fi
    summary+=("$(printf '%-9s %-22s %3d passed, %s failed, %d skipped' "$suite" \
        "$(basename "${@: -1}")" "$passed" "$failed" "$skipped")")
}

# The packages of a suite; for gcc-VERSION those of bookworm with that libgomp in its place.
get_suite() {
    local from=$1 libraries=$tree/root/usr/lib
    case $1 in gcc-*) from=bookworm ;; esac
    version=$(version_of "$from")
    "$here/fetch.sh" "$from" amd64 "$tree" libc6 libc6-dev linux-libc-dev libgomp1 libgcc-s1 \
        "libgcc-$version-dev" || return 1
    [ "$from" != "$1" ] || return 0
    "$here/build-libgomp.sh" "${1#gcc-}" "$tree/built" &&
        cp "$tree/built/libgomp.so.1" "$(readlink -f "$libraries/x86_64-linux-gnu/libgomp.so.1")" &&
        cp "$tree/built/libgomp.a" "$libraries/gcc/x86_64-linux-gnu/$version/libgomp.a" &&
        sed -i "s/^libgomp1_.*/libgomp1_compiled_from_$1-source/" "$tree/packages"
}

for suite in "$@"; do
    tree=$cache/$suite
    mkdir -p "$tree"
    if ! get_suite "$suite" 2>"$tree/log"; then
        summary+=("$(printf '%-9s skipped: its packages cannot be had: %s' "$suite" \
            "$(tail -n 1 "$tree/log")")")
        continue
    fi
    make_compiler "$tree" "$version"
    if ! make_tree "$tree" 2>"$tree/log"; then
        sed "s/^/$suite: /" "$tree/log"
        summary+=("$(printf '%-9s failed: its programs cannot be built' "$suite")")
        status=1
        continue
    fi
    summary+=("$(printf '%-9s %s' "$suite" "$(grep -E '^lib(c6|gomp1)_' "$tree/packages" |
        tr '\n' ' ')")")
    tests=$top_builddir/testsuite/host
    OMPD_TRUTH_STOPS=${STOPS:-1000} OMPD_TRUTH_CORES=${CORES:-40} \
        run "$suite" "$tests/test-gomp-truth"
    run "$suite" "$tests/test-gomp-both"
    run "$suite" "$tests/test-gomp-counts"
    run "$suite" "$PYTHON" "$top_srcdir/testsuite/host/test-gomp-targets.py"
    run "$suite" "$PYTHON" "$here/gdb-truth.py"
    run "$suite" "$PYTHON" "$top_srcdir/testsuite/gdb/attach.py"
done
echo
printf '%s\n' "${summary[@]}"
exit $status
