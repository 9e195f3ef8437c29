#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-llvm-api.sh RUNTIME:AIM...
#
# LLVM's OMPD tests and its gdb plugin, of the sources of LLVM 19 that apt fetches, with our
# libompd in place of LLVM's: each of the 38 scripts in gdb, on its program under ompd-run. RUNTIME
# is libgomp, on which programs of $CC run, or the version of LLVM of a packaged libomp, on which
# those of $CLANG do. What counts are the checks that the plugin calls a success, at least AIM; a
# callback that raised an exception fails the run.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
: "${top_srcdir:?}" "${stage:?}" "${cache:?}" "${CC:?}"
CLANG=${CLANG:-clang}
tree=$cache/llvm-api
tests=$tree/openmp/libompd/test/api_tests
plugin=$tree/plugin/ompd

# $tests, and the plugin compiled against LLVM's own header for the Python of gdb.
make_plugin() {
    local sources=$tree/openmp/libompd/gdb-plugin python
    "$here/llvm-sources.sh" "$release" 19 "$tree" || return
    python=$(gdb -nx -batch -ex 'python import sysconfig; print(sysconfig.get_path("include"))')
    [ -e "$python/Python.h" ] || { echo "$python/Python.h is not installed"; return 1; }
    mkdir -p "$plugin"
    cp "$tree/openmp/runtime/src/include/omp-tools.h.var" "$tree/plugin/omp-tools.h"
    cp "$sources"/ompd/*.py "$plugin"
    # From Python 3.12 on there is none; it is imported, and not used.
    : >"$plugin/imp.py"
    "$CC" -w -fPIC -shared -I "$tree/plugin" -I "$python" "$sources"/*.c \
        -o "$plugin/ompdModule.so" -ldl
}

run() { # RUNTIME AIM
    local where=$tree/$1 compile=("$CC" -fopenmp) libraries script program successes traces
    rm -rf "$where"
    mkdir -p "$where"
    if [ "$1" != libgomp ]; then
        libraries=$tree/libomp-$1
        "$here/fetch.sh" "$release" "$architecture" "$libraries" "libomp5-$1" || {
            echo "# SKIP libomp $1: not fetched"
            return 0
        }
        compile=("$CLANG" -fopenmp "-Wl,-rpath,$libraries/root/usr/lib/llvm-$1/lib")
    fi
    for script in "$tests"/*.cmd*; do
        program=$where/$(basename "${script%.cmd*}" .c)
        [ -e "$program" ] ||
            "${compile[@]}" -w -g -gdwarf-4 "${script%.cmd*}" -o "$program" || return 1
        timeout -k 10 120 gdb -nx -q -batch -iex 'set auto-load off' \
            -iex 'set debuginfod enabled off' -iex "set exec-wrapper $stage/bin/ompd-run" \
            -x "$plugin/__init__.py" -x "$script" "$program" \
            </dev/null >"$where/${script##*/}.log" 2>&1
    done
    successes=$(cat "$where"/*.log | grep -c Success)
    traces=$(grep -l -e Traceback -e SystemError "$where"/*.log | sed 's|.*/||')
    echo "# $1: $successes successes, of which $2 are wanted; logs in $where"
    grep -H -B1 Failed "$where"/*.log | sed 's|^.*/|#   |'
    [ -z "$traces" ] || echo "#   an exception in" $traces
    [ "$successes" -ge "$2" ] && [ -z "$traces" ]
}

release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
architecture=$(dpkg --print-architecture)
if ! why=$(make_plugin 2>&1); then
    echo "1..0 # SKIP no plugin of LLVM can be had: ${why##*$'\n'}"
    exit 0
fi
status=0 number=0
for one in "$@"; do
    number=$((number + 1))
    if run "${one%:*}" "${one#*:}"; then
        echo "ok $number - $one"
    else
        echo "not ok $number - $one"
        status=1
    fi
done
echo "1..$number"
exit $status
