#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each interface over its seeds, over inputs of a fixed generator, and for some seconds
# under libFuzzer where there is one. FUZZ_CHECK_SECONDS: how long the last takes in all;
# the rest takes a minute. A process with a stock libgomp (gomp-2, gomp-5) is left to `make
# fuzz` for more than seeds and some thousand inputs.
drivers=${top_builddir:?}/testsuite/fuzz
seconds=$((${FUZZ_CHECK_SECONDS:-20} / 2))
. "$top_srcdir/testsuite/common/tap.sh"

# What was printed is shown when it failed, and the input that did it.
outcome() { # NAME STATUS LOG
    if [ "$2" -eq 0 ]; then
        result ok "$1"
        grep -E '^# |^stat::(number|average)' "$3" | sed 's/^[# ]*/# /'
        return
    fi
    result "not ok" "$1"
    sed 's/^/# /' "$3"
    for input in fuzz-failed-* crash-* timeout-* leak-* oom-*; do
        [ -f "$input" ] || continue
        echo "# $input in base64:"
        base64 "$input" | sed 's/^/# /'
        rm -f "$input"
    done
}

try() { # NAME COMMAND...
    name=$1
    shift
    "$@" >log 2>&1
    outcome "$name" $? log
}

engine=$(cat "$drivers/libfuzzer" 2>/dev/null)
engine=${engine:-the libFuzzer drivers have not been built}
for abi in 2 5 gomp-2 gomp-5; do
    case $abi in
    gomp-*) random=2000 ;;
    *) random=20000 ;;
    esac
    mkdir "seeds-$abi" "corpus-$abi"
    try "abi $abi: seeds" "$drivers/fuzz-$abi" --seeds "seeds-$abi"
    try "abi $abi: processes somebody thought of" "$drivers/fuzz-$abi" "seeds-$abi"
    try "abi $abi: the same without an end of memory" \
        "$drivers/fuzz-$abi" --endless "seeds-$abi"
    try "abi $abi: $random random processes" "$drivers/fuzz-$abi" --random $random 1
    case $abi in gomp-*) continue ;; esac
    if [ "$engine" != yes ]; then
        skip "abi $abi: libFuzzer" "$engine"
    elif [ "$seconds" -le 0 ]; then
        skip "abi $abi: libFuzzer" "FUZZ_CHECK_SECONDS is ${FUZZ_CHECK_SECONDS:-20}"
    else
        try "abi $abi: libFuzzer, $seconds seconds" "$drivers/libfuzzer-$abi" \
            -max_total_time=$seconds -max_len=1024 -use_value_profile=1 -timeout=60 \
            -print_final_stats=1 "corpus-$abi" "seeds-$abi"
    fi
done
try "verdicts: 20000 random scenes" "$drivers/fuzz-why" --random 20000 1
[ "$number" -eq 19 ] || failed=1
finish
