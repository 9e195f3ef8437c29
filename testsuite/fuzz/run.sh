#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fuzzes both interfaces at the same time, over a process with hooks and then over one with a
# stock libgomp: run.sh DIRECTORY SECONDS, SECONDS for each process. The corpora are kept in
# DIRECTORY/corpus-*; an input that fails is left in DIRECTORY/crash-*, and can be given to the
# driver of that name (fuzz-2, fuzz-gomp-5, ...) as an argument. These drivers run the corpus in
# the end, as they check pointers, too. With the entropic schedule libFuzzer would take half of
# the time for itself.
directory=${1:?}
seconds=${2:?}
cd "$directory" || exit 1

fuzz() { # ABI
    mkdir -p "corpus-$1" || return 1
    ./fuzz-"$1" --seeds "corpus-$1" || return 1
    ./libfuzzer-"$1" -max_total_time="$seconds" -max_len=1024 -use_value_profile=1 \
        -entropic=0 -timeout=20 -print_final_stats=1 "corpus-$1" >"libfuzzer-$1.log" 2>&1
    status=$?
    grep -E '^stat::|^abi-|^SUMMARY|Test unit written' "libfuzzer-$1.log"
    [ $status -eq 0 ] && ./fuzz-"$1" "corpus-$1"
}

both() { # PREFIX
    fuzz "$1"2 &
    first=$!
    fuzz "$1"5
    second=$?
    wait "$first" && [ "$second" -eq 0 ]
}

# Evidence for verdicts; an eighth of the time.
why() {
    mkdir -p corpus-why || return 1
    ./libfuzzer-why -max_total_time=$((seconds / 8)) -max_len=2560 -use_value_profile=1 \
        -print_final_stats=1 corpus-why >libfuzzer-why.log 2>&1
    status=$?
    grep -E '^stat::|not so|^SUMMARY|Test unit written' libfuzzer-why.log
    return $status
}

both "" && both gomp- && why
