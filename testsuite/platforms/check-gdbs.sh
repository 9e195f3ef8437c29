#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-gdbs.sh SUITE...
#
# Runs the tests of ../gdb in the gdb of other suites. Each gdb has its own libraries and its
# own Python; the programs are this system's, as is the libthread_db that reads them. gdb 10
# does not know the packed relocations of this system's C library: its programs are compiled by
# the compilers of its suite and run on that one's libraries.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${top_builddir:?}" "${stage:?}" "${cache:?}" "${PYTHON:?}" "${TESTS:?}"
: "${CC:?}" "${CXX:?}" "${FC:?}" "${HOOKS_SOURCES:?}" "${HOOKS_FLAGS:?}"
. "$here/suites.sh"
triplet=$(${CC:-gcc} -print-multiarch)
status=0
summary=()

# $tree/run: gdb of a suite, as a command like any other.
make_gdb() {
    local root=$tree/root/usr libraries=$tree/root/usr/lib/$triplet system=/usr/lib/$triplet
    local loader=$libraries/ld-linux-x86-64.so.2
    # How the C++ library of this system's programs is shown, as gdb has it from its package.
    local printers=/usr/share/gdb/auto-load
    local settings=
    if [ -n "$own" ]; then
        # A C library can load its own converters of character sets only.
        system=$libraries
        settings="PATH=$tree/bin:\$PATH GCONV_PATH=$libraries/gconv"
        link_auto_load
    fi
    cat >"$tree/run" <<END
#!/bin/sh
$settings PYTHONHOME=$root exec $loader --library-path $libraries \\
    $root/bin/gdb --data-directory=$root/share/gdb \\
    -iex "add-auto-load-scripts-directory $printers" -iex "add-auto-load-safe-path $printers" \\
    -iex "add-auto-load-safe-path $system" -iex "set libthread-db-search-path $system" "\$@"
END
    chmod +x "$tree/run"
}

# Scripts that gdb loads with libraries of /usr, where gdb seeks them for those of the suite.
link_auto_load() {
    local scripts=$tree/root/usr/share/gdb/auto-load
    mkdir -p "$scripts$tree/root"
    ln -sfn "$scripts/usr" "$scripts$tree/root/usr"
}

move_auto_load() {
    local library plugin=$tree/stage/share/ompd/gdb scripts=$tree/stage/share/gdb/auto-load
    library=$(readlink -f "$tree/root/usr/lib/$triplet/libgomp.so.1")
    rm -rf "$scripts/usr"
    mkdir -p "$scripts${library%/*}"
    "$PYTHON" "$top_srcdir/gdb-plugin/gen-auto-load.py" "$plugin" "$scripts$library-gdb.py" \
        >"$scripts$library-gdb.py"
}

# The compilers of the suite. clang is this system's, its runtime the suite's.
make_compilers() {
    local root=$tree/root/usr clang
    (
        CC="$root/bin/gcc-$own -foffload=disable"
        CXX="$root/bin/g++-$own"
        FC="$root/bin/gfortran-$own"
        make_compiler "$tree" "$own"
    )
    mkdir -p "$tree/bin"
    if clang=$(command -v clang); then
        write_compiler "$tree" bin/clang "$clang -L$root/lib/llvm-11/lib"
    fi
}

# One test in one gdb: its TAP output with the test's name before it, and a line of its own
# that counts.
run_test() {
    local name=${1##*/} log=$tree/logs/${1##*/} ended passed failed skipped
    local interpreter=("$PYTHON")
    [ "${name%.sh}" = "$name" ] || interpreter=(bash)
    timeout -k 10 600 env GDB="$tree/run" "${interpreter[@]}" "$top_srcdir/$1" >"$log" 2>&1
    ended=$?
    passed=$(grep '^ok' "$log" | grep -vc '# SKIP')
    failed=$(grep -c '^not ok' "$log")
    skipped=$(grep -Ec '^(ok|1\.\.0) .*# SKIP' "$log")
    if [ $ended -ne 0 ] || ! grep -q '^1\.\.' "$log"; then
        [ "$failed" -gt 0 ] || failed=1
        grep '^not ok' "$log" | sed "s/^/$suite: $name: /"
    fi
    echo "$passed $failed $skipped" >"$log.count"
}
export -f run_test

for suite in "$@"; do
    tree=$cache/gdb-$suite
    mkdir -p "$tree"
    packages=(gdb)
    own=
    [ "$suite" != bullseye ] || own=$(version_of "$suite")
    [ -z "$own" ] || packages+=("g++-$own" "gfortran-$own" libomp-11-dev)
    if ! why=$("$here/fetch.sh" --depends "$suite" amd64 "$tree" "${packages[@]}" 2>&1); then
        summary+=("$(printf '%-9s skipped: its gdb cannot be had: %s' "$suite" \
            "${why##*$'\n'}")")
        continue
    fi
    make_gdb
    environment=()
    if [ -n "$own" ]; then
        make_compilers
        if ! make_stage "$tree" 2>"$tree/log"; then
            sed "s/^/$suite: /" "$tree/log"
            summary+=("$(printf '%-9s failed: its hooks cannot be built' "$suite")")
            status=1
            continue
        fi
        move_auto_load
        environment=(stage="$tree/stage" CC="$tree/cc" CXX="$tree/cxx" FC="$tree/fc")
    fi
    rm -rf "$tree/logs"
    mkdir "$tree/logs"
    export tree suite
    # shellcheck disable=SC2016
    printf '%s\n' $TESTS | env "${environment[@]}" xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_test {}'
    counts=$(cat "$tree"/logs/*.count | awk '{ p += $1; f += $2; s += $3 }
        END { printf "%d passed, %d failed, %d skipped", p, f, s }')
    case $counts in *" 0 failed"*) ;; *) status=1 ;; esac
    summary+=("$(printf '%-9s %-14s %s' "$suite" \
        "$(grep '^gdb_' "$tree/packages" | sed 's/_[^_]*$//')" "$counts")")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
