# SPDX-License-Identifier: MIT
# A profiler that asks ten thousand times a second in a signal handler; see sampling.c. One
# second here, $SAMPLING_SECONDS to make it longer; once more as a 32-bit program.
. "$top_srcdir/testsuite/common/tap.sh"

# sample HOOKS FLAGS: builds the program and shows its lines under one row of numbers.
sample() {
    hooks=$1
    shift
    more=
    case $* in *SAMPLING_5*) more=$top_srcdir/testsuite/tools/sampling_5.c ;; esac
    if ! $CC "$@" -std=gnu11 -O1 -w -fopenmp -rdynamic -D_GNU_SOURCE -I"$top_srcdir" \
        -I"$stage/include" "$top_srcdir/testsuite/tools/sampling.c" $more -o "$scratch/sampling" \
        -lpthread -lrt -ldl >"$scratch/build" 2>&1; then
        report "sampling builds, $*" "$(cat "$scratch/build")."
        return
    fi
    timeout 300 env LD_PRELOAD="$hooks" "$scratch/sampling" "${SAMPLING_SECONDS:-1}" >"$scratch/out"
    relay "$scratch/out" $? "$*"
}

sample "$stage/lib/libompd-hooks.so"
sample "$stage/lib/libompd-hooks.so" -DSAMPLING_5
reason=$(no_32_bit)
if [ -z "$reason" ]; then
    sample "$stage/lib/32/libompd-hooks.so" -m32
    sample "$stage/lib/32/libompd-hooks.so" -m32 -DSAMPLING_5
else
    skip "32 bits" "$reason"
fi
finish
