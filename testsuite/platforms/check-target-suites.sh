#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-target-suites.sh RUNTIME:LEAST...
#
# The tests of target regions that libgomp has, by $CC, and LLVM's libomptarget, by $CLANG, on devices
# that need no hardware: each program does the same under ompd-run as without, which is its output but
# for addresses, and its status. At least LEAST of them must be compared. The sources are those of the
# compilers' versions that apt fetches, or lie in $TARGET_SUITES/gcc and $TARGET_SUITES/llvm-project.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${stage:?}" "${cache:?}" "${CC:?}" "${CXX:?}"
CLANG=${CLANG:-clang}
suites=$cache/target-suites
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
mkdir -p "$suites/plugin"
$CC -shared -fPIC "$top_srcdir/testsuite/command/device-plugin.c" \
    -o "$suites/plugin/libgomp-plugin-nvptx.so.1" || exit

sources_of_libgomp() { # the folder of its tests
    local version=$($CC -dumpversion) tree
    version=${version%%.*} tree=$suites/gcc-$version
    [ -z "${TARGET_SUITES-}" ] || { echo "$TARGET_SUITES/gcc/libgomp/testsuite" && return; }
    "$here/fetch.sh" "$release" "$(dpkg --print-architecture)" "$tree" "gcc-$version-source" >&2 &&
        if [ ! -d "$tree/libgomp/testsuite" ]; then
            tar xf "$tree/root/usr/src/gcc-$version"/gcc-*.tar.* -C "$tree" --strip-components=1 \
                --wildcards '*/libgomp/testsuite/*' >&2
        fi && echo "$tree/libgomp/testsuite"
}

sources_of_libomptarget() {
    local version=$("$CLANG" -dumpversion) tests=openmp/libomptarget/test
    version=${version%%.*}
    [ "$version" -lt 19 ] || tests=offload/test
    [ -z "${TARGET_SUITES-}" ] || { echo "$TARGET_SUITES/llvm-project/$tests" && return; }
    "$here/llvm-sources.sh" "$release" "$version" "$suites/llvm-$version" "*/$tests/*" >&2 &&
        echo "$suites/llvm-$version/$tests"
}

programs_of_libgomp() {
    grep -lrE '#pragma omp target|omp_target_' "$1"/libgomp.{c,c++,c-c++-common} --include='*.c' --include='*.C'
}

programs_of_libomptarget() {
    grep -lrE 'RUN: .*compile.*run' "$1" --include='*.c' --include='*.cpp' |
        xargs grep -L 'UNSUPPORTED: x86_64-pc-linux-gnu$'
}

compile_libgomp() { # FILE PROGRAM
    local compiler=$CC
    [ "${1##*.}" = c ] || compiler=$CXX
    $compiler -w -O1 -fopenmp -I"$(dirname "$1")" "$1" -o "$2" -lm \
        $(sed -n 's/.*dg-\(additional-\)\?options "\([^"]*\)" *} *\*\/.*/\2/p' "$1")
}

compile_libomptarget() {
    local compiler=$CLANG
    [ "${1##*.}" = c ] || compiler=$CLANG++
    "$compiler" -w -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -I"$(dirname "$1")" "$1" -o "$2" -lm
}

said() { # COMMAND...: its output, without addresses and process ids, and its status
    timeout -k 5 30 "$@" </dev/null 2>&1 | sed -E 's/0x[0-9a-f]+/0x/g; s/==[0-9]+==//'
    echo "status ${PIPESTATUS[0]}"
}

compare() { # RUNTIME LEAST TESTS
    local where=$suites/$1 file name plain alike=0 varies=0 other=()
    rm -rf "$where" && mkdir -p "$where" && cd "$where" || return
    while read -r file; do
        name=${file#"$3"/}
        "compile_$1" "$file" ./program >/dev/null 2>&1 || continue
        plain=$(said ./program)
        if [ "$plain" = "$(said "$stage/bin/ompd-run" ./program)" ]; then
            alike=$((alike + 1))
        elif [ "$plain" != "$(said ./program)" ]; then
            varies=$((varies + 1))
        else
            other+=("$name")
            printf '%s\n' "$name" "$plain" "with:" "$(said "$stage/bin/ompd-run" ./program)" >>log
        fi
    done < <("programs_of_$1" "$3" | sort)
    echo "# $1: $alike alike, $varies vary by themselves, ${#other[@]} differ; log in $where/log"
    [ ${#other[@]} -eq 0 ] || printf '#   %s\n' "${other[@]}"
    [ "$alike" -ge "$2" ] && [ ${#other[@]} -eq 0 ]
}

export LD_LIBRARY_PATH=$suites/plugin DEVICES=2
status=0 number=0
for one in "$@"; do
    number=$((number + 1)) runtime=${one%:*}
    if ! tests=$("sources_of_$runtime" 2>"$suites/why"); then
        echo "ok $number - $runtime # SKIP its tests cannot be had: $(tail -n 1 "$suites/why")"
    elif compare "$runtime" "${one#*:}" "$tests"; then
        echo "ok $number - $runtime"
    else
        echo "not ok $number - $runtime"
        status=1
    fi
done
echo "1..$number"
exit $status
