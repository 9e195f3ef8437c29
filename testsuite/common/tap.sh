# SPDX-License-Identifier: MIT
# For tests in shell: TAP, in a scratch directory, without what a user may have set.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
hooks=$stage/lib/libompd-hooks.so
unset LD_PRELOAD OMP_OMPD OMPD_RUN OMP_TOOL OMP_TOOL_LIBRARIES OMP_NUM_THREADS OMP_THREAD_LIMIT \
    ASAN_OPTIONS
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

skip_all() { # REASON
    echo "1..0 # SKIP $1"
    exit 0
}

# Why 32-bit programs cannot be tested here; empty if they can.
no_32_bit() {
    cat "$top_builddir/testsuite/common/no-32-bit"
}

# ok if there is nothing to complain of.
report() { # NAME COMPLAINTS
    if [ -z "$2" ]; then
        result ok "$1"
    else
        result "not ok" "$1"
        printf '%s\n' "$2" | sed 's/^/# /'
    fi
}

# The name of what is compared, what was found, what is wanted: a pattern of the shell.
like() {
    # shellcheck disable=SC2254
    case $2 in
    $3) result ok "$1" ;;
    *) report "$1" "found  $2
wanted $3" ;;
    esac
}

same() { # NAME FOUND WANTED
    if [ "$2" = "$3" ]; then
        result ok "$1"
    else
        report "$1" "found  $2
wanted $3"
    fi
}

# The cases that a program printed, under the numbers of this test, and whether it came to its
# end; the words of WHAT are added to the name of each.
relay() { # FILE STATUS WHAT
    while read -r line; do
        case $line in
        'ok '*) result ok "${line#ok * - }, $3" ;;
        'not ok '*) result "not ok" "${line#not ok * - }, $3" ;;
        1..*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$1"
    if [ "$2" -eq 0 ] && grep -q '^1\.\.[1-9]' "$1"; then
        result ok "it comes to its end, $3"
    else
        result "not ok" "it comes to its end, $3, status $2"
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
