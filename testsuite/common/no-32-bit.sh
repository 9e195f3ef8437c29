# SPDX-License-Identifier: MIT
# Why 32-bit programs with OpenMP cannot be tested here, in a line; nothing if they can. `make check`
# asks once and keeps the answer for all tests: a kernel need not run what a compiler makes.
[ -r "$stage/lib/32/libompd-hooks.so" ] || {
    echo "the hooks were not built for 32 bits ($CC -m32 makes no library)"
    exit
}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
if ! $CC -m32 -fopenmp "$scratch/empty.c" -o "$scratch/empty" 2>"$scratch/errors"; then
    echo "$CC -m32 -fopenmp makes no program: $(tail -n 1 "$scratch/errors")"
elif ! "$stage/bin/ompd-run" "$scratch/empty" 2>"$scratch/errors"; then
    echo "this system runs no 32-bit programs: $(sed "s,$scratch/,,;1q" "$scratch/errors")"
fi
