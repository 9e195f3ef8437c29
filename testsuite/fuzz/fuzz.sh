#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Feeds hostile targets to both interfaces for FUZZ_SECONDS each (10 unless told): no crash,
# no hang, no leak, no more reads per call than changes.h states. What was found stays in
# testsuite/fuzz/ of the build directory, for "fuzz-abi-N FILE".
top=${top_srcdir:?}
build=${top_builddir:?}
seconds=${FUZZ_SECONDS:-10}
echo 1..2

clang=$(command -v "${CLANG:-clang}")
work=$build/testsuite/fuzz
mkdir -p "$work"
if [ -z "$clang" ] || ! echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
    "$clang" -fsanitize=fuzzer,address -xc - -o "$work/probe" 2>/dev/null; then
    for abi in abi-2 abi-5; do
        echo "ok - fuzz $abi # SKIP clang with libFuzzer is not installed (Debian: clang)"
    done
    exit
fi
rm -f "$work/probe"

for abi in abi-2 abi-5; do
    sources=$(ls "$top"/libompd/target/*.c "$top"/libompd/runtime/*.c \
        "$top"/libompd/handle/*.c "$top"/libompd/survey/*.c "$top/libompd/$abi"/*.c)
    [ $abi = abi-5 ] && sources="$sources $(ls "$top"/libompd/ext/*.c)"
    # shellcheck disable=SC2086
    if ! "$clang" -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined -I"$top" -I"$build" -I"$top/libompd/abi-5" \
        -I"$top/testsuite/unit" $sources "$top"/testsuite/fuzz/changes.c \
        "$top/testsuite/fuzz/fuzz-$abi.c" "$top"/testsuite/unit/fake-target.c \
        "$top"/testsuite/unit/fake-program.c "$top"/testsuite/unit/fake-records.c \
        -o "$work/fuzz-$abi" >"$work/$abi.log" 2>&1; then
        echo "not ok - fuzz $abi"
        sed 's/^/# /' "$work/$abi.log" | head -20
        continue
    fi
    corpus=$work/corpus-$abi
    mkdir -p "$corpus"
    FUZZ_SEEDS=$corpus "$work/fuzz-$abi"
    (cd "$work" && "./fuzz-$abi" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 \
        -max_len=256 -print_final_stats=1 "$corpus") >"$work/$abi.log" 2>&1
    if [ $? -eq 0 ]; then
        echo "ok - fuzz $abi"
        sed -n 's/^stat::number_of_executed_units/# inputs/p' "$work/$abi.log"
    else
        echo "not ok - fuzz $abi"
        grep -E "ERROR|SUMMARY|reads|Test unit" "$work/$abi.log" | sed 's/^/# /'
        tail -40 "$work/$abi.log" | sed 's/^/# /'
    fi
done
