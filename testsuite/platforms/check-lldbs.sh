#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-lldbs.sh SUITE:VERSION...
#
# Runs the tests of ../lldb in the lldb of this system, as "here", and of other versions and suites,
# each with its suite's libraries and Python; programs are this system's.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${cache:?}" "${PYTHON:?}" "${TESTS:?}"
libraries=usr/lib/x86_64-linux-gnu
status=0
summary=()

# make_command NAME: $tree/NAME, a program of LLVM's $version, as a command like any other.
make_command() {
    local root=$tree/root places
    places=$(printf '%s:' "$root"/usr/lib/llvm-"$version"/lib/python3*/*-packages)
    cat >"$tree/$1" <<END
#!/bin/sh
PYTHONHOME=$root/usr PYTHONPATH=$places LLDB_DEBUGSERVER_PATH=$tree/lldb-server exec \\
    $root/$libraries/ld-linux-x86-64.so.2 --library-path $root/$libraries \\
    $root/usr/lib/llvm-$version/bin/$1 "\$@"
END
    chmod +x "$tree/$1"
}

# The lldb of a suite: $lldb, or why there is none.
make_lldb() {
    local command
    "$here/fetch.sh" --depends "$1" amd64 "$tree" "lldb-$version" "python3-lldb-$version" 2>&1 ||
        return 1
    for command in lldb lldb-server lldb-dap lldb-vscode; do
        [ ! -e "$tree/root/usr/lib/llvm-$version/bin/$command" ] || make_command "$command"
    done
}

for wanted in "$@"; do
    suite=${wanted%:*} version=${wanted#*:}
    tree=$cache/lldb-$suite-$version
    lldb=$tree/lldb
    mkdir -p "$tree"
    if [ "$suite" = here ]; then
        lldb=lldb-$version
    elif ! why=$(make_lldb "$suite"); then
        summary+=("$(printf '%-12s skipped: it cannot be had: %s' "$wanted" "${why##*$'\n'}")")
        continue
    fi
    passed=0 failed=0 skipped=0
    for test in $TESTS; do
        log=$tree/${test##*/}.log
        interpreter=$PYTHON
        [ "${test%.sh}" = "$test" ] || interpreter=sh
        LLDB=$lldb "$interpreter" "$top_srcdir/$test" >"$log" 2>&1
        ended=$?
        grep -q '^1\.\.' "$log" && { [ $ended = 0 ] || grep -q '^not ok' "$log"; } ||
            echo "not ok - ended with $ended" >>"$log"
        sed -n "/^not ok/,/^ok/{/^ok/!s|^|$wanted: ${test##*/}: |p}" "$log"
        passed=$((passed + $(grep '^ok' "$log" | grep -vc '# SKIP')))
        failed=$((failed + $(grep '^not ok' "$log" | grep -vc '# TODO')))
        skipped=$((skipped + $(grep -Ec '^(ok|1\.\.0) .*# SKIP' "$log")))
    done
    [ $failed = 0 ] || status=1
    summary+=("$(printf '%-12s %-26s %d passed, %d failed, %d skipped' "$wanted" \
        "$("$lldb" --version 2>/dev/null | head -1)" $passed $failed $skipped)")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
