# SPDX-License-Identifier: MIT
# For the shell tests of ompd-run and of linking: a scratch directory and TAP.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
hooks=$stage/lib/libompd-hooks.so
unset LD_PRELOAD OMP_OMPD OMPD_RUN OMP_TOOL OMP_TOOL_LIBRARIES OMP_NUM_THREADS ASAN_OPTIONS
number=0
failed=0

result() { # ok|"not ok" NAME
    number=$((number + 1))
    case $1 in not*) failed=1 ;; esac
    echo "$1 $number - $2"
}

skip() { # NAME REASON
    result ok "$1 # SKIP $2"
}

# The name of what is compared, what was found, what is wanted: a pattern of the shell.
like() {
    # shellcheck disable=SC2254
    case $2 in
    $3) result ok "$1" ;;
    *)
        result "not ok" "$1"
        printf '%s\n' "$2" | sed 's/^/# found  /'
        printf '%s\n' "$3" | sed 's/^/# wanted /'
        ;;
    esac
}

same() { # NAME FOUND WANTED
    if [ "$2" = "$3" ]; then
        result ok "$1"
    else
        result "not ok" "$1"
        printf '%s\n' "$2" | sed 's/^/# found  /'
        printf '%s\n' "$3" | sed 's/^/# wanted /'
    fi
}

# A program from the source on stdin: NAME FLAGS...
compile() {
    compile_to=$1
    shift
    cat >"$compile_to.c"
    $CC -g -O0 -fopenmp "$compile_to.c" -o "$compile_to" "$@" 2>"$compile_to.log"
}

finish() {
    echo "1..$number"
    exit $failed
}
