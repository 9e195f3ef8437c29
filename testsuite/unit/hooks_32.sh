# SPDX-License-Identifier: MIT
# The hooks in 32-bit programs: the same checks of the records, made by 32-bit programs.
. "$top_srcdir/testsuite/common/tap.sh"
reason=$(no_32_bit)
[ -z "$reason" ] || skip_all "$reason"

for program in hooks_state hooks_facts hooks_icvs; do
    if ! $CC -m32 -std=gnu11 -O1 -fopenmp -D_GNU_SOURCE -I"$top_srcdir" \
        "$top_srcdir/testsuite/unit/$program.c" "$top_srcdir/testsuite/unit/hooks_records.c" \
        -o "$scratch/$program" >"$scratch/build" 2>&1; then
        report "$program builds" "$(cat "$scratch/build")"
        continue
    fi
    "$stage/bin/ompd-run" "$scratch/$program" >"$scratch/out" 2>"$scratch/err"
    status=$?
    grep -v -e '^ok' -e '^1\.\.' "$scratch/out" | sed 's/^not ok/# not ok/'
    if [ $status -eq 0 ] && grep -q '^1\.\.[1-9]' "$scratch/out"; then
        result ok "$program, $(grep -c '^ok' "$scratch/out") checks"
    else
        result "not ok" "$program, status $status"
    fi
    report "$program, nothing on stderr" "$(cat "$scratch/err")"
done

cat >"$scratch/locations.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    const char ***vector = dlsym(RTLD_DEFAULT, "ompd_dll_locations");
    int members = 0;
#pragma omp parallel reduction(+ : members)
    members++;
    for (const char **path = *vector; *path; path++)
        puts(*path);
    return members < 1;
}
END
$CC -m32 -fopenmp "$scratch/locations.c" -o "$scratch/locations" -ldl
"$stage/bin/ompd-run" "$scratch/locations" >"$scratch/out"
wrong=
while read -r path; do
    [ "$(readlink -f "$path")" = "$(readlink -f "$stage/lib/${path##*/}")" ] || wrong=$path
done <"$scratch/out"
if [ -s "$scratch/out" ] && [ -z "$wrong" ]; then
    result ok "the debugger's libraries are found from there"
else
    echo "# not the installed one: $wrong"
    result "not ok" "the debugger's libraries are found from there"
fi
finish
