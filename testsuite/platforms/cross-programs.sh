# SPDX-License-Identifier: MIT
#
# cross-programs.sh OPTION_OF_QEMU...
#
# Programs of ../programs print and return under $QEMU the same with these options, which have them
# recorded, as without; threads print in any order. $tree/cc compiles them.
. "${top_srcdir:?}/testsuite/common/tap.sh"
: "${tree:?}" "${QEMU:?}"

outcome() {
    timeout 60 "$QEMU" "$@" ./program 2>/dev/null </dev/null >printed
    echo "status $?"
    sort printed
}

for name in parallel loops sections barriers locks critical ordered doacross nesting taskloop \
    tasks_align tasks_depend tasks_detach tasks_large taskgroup target signals forks thread_ends; do
    if "$tree/cc" -std=gnu11 -O1 -w -fopenmp -I"$top_srcdir" \
        "$top_srcdir/testsuite/programs/$name.c" -o program -lm 2>log; then
        same "$name" "$(outcome "$@")" "$(outcome)"
    else
        skip "$name" "it is not compiled: $(sed -n 's/.*error: //p;' log | head -n 1)"
    fi
done
finish
