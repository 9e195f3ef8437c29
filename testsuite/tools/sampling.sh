# SPDX-License-Identifier: MIT
# A profiler that asks ten thousand times a second in a signal handler; see sampling.c. One
# second here, $SAMPLING_SECONDS to make it longer; once more as a 32-bit program.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
unset OMP_TOOL OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_TOOL_LIBRARIES
number=0

# sample HOOKS FLAGS: builds the program and shows its lines under one row of numbers.
sample() {
    hooks=$1
    shift
    more=
    case $* in *SAMPLING_5*) more=$top_srcdir/testsuite/tools/sampling_5.c ;; esac
    if ! $CC "$@" -std=gnu11 -O1 -w -fopenmp -rdynamic -D_GNU_SOURCE -I"$top_srcdir" \
        -I"$stage/include" "$top_srcdir/testsuite/tools/sampling.c" $more -o "$scratch/sampling" \
        -lpthread -lrt -ldl >"$scratch/build" 2>&1; then
        number=$((number + 1))
        sed 's/^/# /' "$scratch/build"
        case $* in
        *-m32*) echo "ok $number - 32 bits # SKIP there is no 32-bit libgomp" ;;
        *) echo "not ok $number - sampling builds" ;;
        esac
        return
    fi
    timeout 300 env LD_PRELOAD="$hooks" "$scratch/sampling" "${SAMPLING_SECONDS:-1}" >"$scratch/out"
    status=$?
    while read -r line; do
        case $line in
        'ok '* | 'not ok '*)
            number=$((number + 1))
            printf '%s\n' "$line $*" | sed "s/ok [0-9]*/ok $number/"
            ;;
        1..*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$scratch/out"
    if ! grep -q '^1\.\.' "$scratch/out"; then
        number=$((number + 1))
        echo "not ok $number - it comes to its end, status $status $*"
    fi
}

sample "$stage/lib/libompd-hooks.so"
sample "$stage/lib/libompd-hooks.so" -DSAMPLING_5
if [ -r "$stage/lib/32/libompd-hooks.so" ]; then
    sample "$stage/lib/32/libompd-hooks.so" -m32
    sample "$stage/lib/32/libompd-hooks.so" -m32 -DSAMPLING_5
else
    number=$((number + 1))
    echo "ok $number - 32 bits # SKIP the hooks were not built for 32 bits"
fi
echo "1..$number"
