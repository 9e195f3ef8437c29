#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-release.sh SUITE...
#
# Makes a release twice, from nothing but what was fetched, and compares; holds which C library its files
# need; then tries it in bare roots of Debian's and Ubuntu's suites (roots.sh): release-tried.sh; and that for
# aarch64 under qemu: release-aarch64.sh.
set -uo pipefail
: "${top_srcdir:?}" "${cache:?}" "${stage:?}"
. "$top_srcdir/testsuite/platforms/roots.sh"
status=0
made=$cache/made
mkdir -p "$cache"

for name in a b; do
    rm -rf "$cache/$name"/{release,release.work/{x86_64,aarch64}/{libdw,sources,root}}
    BUILDDIR=$cache/$name "$top_srcdir/bootstrap" release >"$cache/release.log" 2>&1 ||
        { tail -n 1 "$cache/release.log"; exit 1; }
done
diff -r "$cache/a/release" "$cache/b/release" && echo "two makes give the same bytes" || status=1
out=$cache/a/release
rm -rf "$made"
mkdir "$made"
for machine in x86_64 aarch64; do
    tar -x -C "$made" -f "$(echo "$out"/ompd-linux-*-"$machine".tar.xz)"
    floor=$(sed -n 's/.*glibc \([0-9.]*\) or later.*/\1/p' "$made"/*-"$machine"/README.md)
    found=$(find "$made"/*-"$machine" -type f -exec objdump -T {} + 2>/dev/null |
        sed -n 's/.*\*UND\*.*(GLIBC_\([0-9.]*\)).*/\1/p' | sort -V | tail -n 1)
    echo "the files for $machine need glibc $found, and say $floor"
    [ "$found" = "$floor" ] || status=1
done
! grep -rl "$cache" "$made" || status=1

cc=$cache/a/release.work/x86_64/cc
mkdir -p "$cache/src"
"$cc" -g -fopenmp -Wl,--allow-shlib-undefined "$top_srcdir/examples/transfer.c" -o "$cache/src/transfer" || exit 1
echo 'int main(void) { return 127; }' >"$cache/main.c"
gcc -static "$cache/main.c" -o "$cache/src/static"
gcc -m32 "$cache/main.c" -o "$cache/src/small"
"$top_srcdir/testsuite/platforms/fetch.sh" bookworm amd64 "$cache/musl" musl musl-dev || exit 1
musl=$cache/musl/root/usr/lib/x86_64-linux-musl
gcc -nostdlib -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1 "$musl"/crt[1in].o "$cache/main.c" "$musl/libc.so" \
    -o "$cache/src/musl" || exit 1
cp "$out"/ompd "$out"/ompd-linux-*-x86_64.tar.xz "$top_srcdir"/testsuite/platforms/{release-tried,tried}.sh "$cache/src"
cp "$stage/lib/libompd-hooks.so" "$cache/src/newer.so"
log=$cache/aarch64.log
"$top_srcdir/testsuite/platforms/release-aarch64.sh" "$out" "$cache/a/release.work/aarch64/cc" \
    >"$log" 2>&1 || status=1
grep -E '^(not )?ok ' "$log" | sed 's/^/aarch64: /' >&2
summary=("$(printf '%-9s %s (%s)' aarch64 "$(tail -n 1 "$log")" "$log")")
for suite in "$@"; do
    log=$cache/$suite.log
    why=$(why_no_root)
    if [ -n "$why" ]; then
        summary+=("$(printf '%-9s skipped: %s' "$suite" "$why")")
        continue
    fi
    make_root "$suite" "$cache/$suite.bare" "$log" ||
        { summary+=("$(printf '%-9s skipped: no root: %s' "$suite" "$(tail -n 1 "$log")")"); continue; }
    rm -rf "${cache:?}/$suite"
    cp -a "$cache/$suite.bare" "$cache/$suite"
    cp -r "$cache/src" "$cache/$suite/src"
    in_root "$cache/$suite" bash /src/release-tried.sh >"$log" 2>&1 || status=1
    grep -E '^(not )?ok ' "$log" | sed "s/^/$suite: /" >&2
    summary+=("$(printf '%-9s %s (%s)' "$suite" "$(tail -n 1 "$log")" "$log")")
done
echo
printf '%s\n' "${summary[@]}"
exit $status
