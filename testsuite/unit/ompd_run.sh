# SPDX-License-Identifier: MIT
# ompd-run: its options, where it finds the hooks, what it says of programs that cannot be
# recorded, and that it runs them all the same.
. "$top_srcdir/testsuite/common/tap.sh"
run=$stage/bin/ompd-run

# An ompd-run made for one libdir, with the hooks in another, or nowhere.
make_run() { # TREE LIBDIR
    mkdir -p "$1/bin"
    $CC -D_GNU_SOURCE -DLIBDIR="\"$2\"" -I"$top_srcdir/runtime-hooks" -DOMPD_VERSION="\"0\"" \
        "$top_srcdir"/runtime-hooks/run/*.c "$top_srcdir/runtime-hooks/loader/mark.c" \
        -o "$1/bin/ompd-run" -ldl
}
check() { # NAME TREE LIBDIR WANTED
    make_run "$2" "$3"
    same "$1" "$("$2/bin/ompd-run" printenv LD_PRELOAD 2>&1)" "$4"
}
install() {
    mkdir -p "$1"
    cp "$hooks" "$1"
    readlink -f "$1/libompd-hooks.so"
}

usual=$(install "$scratch/usual/lib")
check "lib beside bin" "$scratch/usual" ../lib "$usual"
check "lib beside bin, though configured otherwise" "$scratch/usual" ../lib/multiarch "$usual"
check "a multiarch libdir" "$scratch/multi" ../lib/multiarch \
    "$(install "$scratch/multi/lib/multiarch")"
mv "$scratch/multi" "$scratch/moved"
check "the same, moved" "$scratch/moved" ../lib/multiarch \
    "$(readlink -f "$scratch/moved/lib/multiarch/libompd-hooks.so")"
ln -s "$scratch/usual/bin/ompd-run" linked
same "a link to ompd-run" "$(./linked printenv LD_PRELOAD 2>&1)" "$usual"

compile team <<'END'
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    printf("%d threads, %s\n", n, dlsym(RTLD_DEFAULT, "omp_ompd_enable") ? "hooked" : "bare");
    return 3;
}
END
make_run "$scratch/none" ../lib64
none=$scratch/none/bin
found_none=$("$none/ompd-run" ./team 2>&1)
same "no hooks: the program runs" $? 3
same "and one sentence says which file is missing" "$found_none" \
    "ompd-run: $(readlink -f "$none")/../lib64/libompd-hooks.so is missing, so nothing is recorded.
2 threads, bare"

# Names that LD_PRELOAD cannot hold. Nothing is left anywhere.
mkdir -m 700 runtime
for odd in "a space" "a space;and more" "a:colon"; do
    install "$scratch/$odd/lib" >/dev/null
    make_run "$scratch/$odd" ../lib
    found=$(XDG_RUNTIME_DIR=$scratch/runtime "$scratch/$odd/bin/ompd-run" ./team 2>&1)
    same "$odd in the path: the status is the program's" $? 3
    case $odd in
    *space) same "$odd in the path: it is recorded" "$found" "2 threads, hooked" ;;
    *) like "$odd in the path: one sentence" "$found" "ompd-run: Nothing can be preloaded from \
$(readlink -f "$scratch")/$odd/lib, as that has a '?', so nothing is recorded.
2 threads, bare" ;;
    esac
done
same "no link is left" "$(ls -A runtime)" ""
odd=$scratch/a\ space/bin/ompd-run
same "a space: what the user has comes behind, as it was" \
    "$(LD_LIBRARY_PATH="/x y:/z" "$odd" printenv LD_LIBRARY_PATH)" \
    "$(readlink -f "$scratch/a space/lib")/./.:/x y:/z"
compile starts <<'END'
#include <stdlib.h>
int main(void)
{
#pragma omp parallel num_threads(2)
    ;
    return system("printenv LD_LIBRARY_PATH || echo unset");
}
END
same "a space: children of the program have it as it was" \
    "$("$odd" ./starts; LD_LIBRARY_PATH="/x y:/z" "$odd" ./starts)" "unset
/x y:/z"

# ompd-run finds itself by the name that it was started by.
without_proc() { unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$@" 2>&1; }
if without_proc true >/dev/null; then
    same "without /proc" "$(without_proc "$scratch/usual/bin/ompd-run" ./team)" "2 threads, hooked"
    same "the same, by PATH" \
        "$(PATH=$scratch/usual/bin:$PATH without_proc sh -c 'ompd-run ./team')" "2 threads, hooked"
    same "the same, by a link" "$(without_proc ./linked ./team)" "2 threads, hooked"
    same "the same, without hooks" "$(without_proc "$none/ompd-run" ./team)" "$found_none"
else
    skip "without /proc" "no user namespaces here"
fi

# A library that the hooks need and the program does not, as in a small container.
: >empty
unwinder=$(ldd "$hooks" | sed -n 's/.*libgcc_s.* => \([^ ]*\).*/\1/p')
without_unwinder() {
    unshare -rm sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' - \
        "$scratch/empty" "$(readlink -f "$unwinder")" "$@" 2>&1
}
if [ -z "$unwinder" ]; then
    skip "without libgcc_s" "the hooks need none"
elif without_unwinder true >/dev/null; then
    same "without libgcc_s" "$(without_unwinder "$run" ./team)" \
        "ompd-run: The hooks need libgcc_s.so.1, which is missing, so nothing is recorded.
2 threads, bare"
else
    skip "without libgcc_s" "no user namespaces here"
fi

# What else the hooks need and the program does not: it would not start.
needed() { # VERSION
    echo "$1 { needed; };" >needed.map
    echo 'int needed(void) { return 1; }' | $CC -shared -fPIC -xc - -o libneeded.so \
        -Wl,--version-script=needed.map,-soname,libneeded.so
}
make_run "$scratch/needs" ../lib
mkdir needs/lib
needed V_2
echo 'int needed(void); int (*use)(void) = needed;' | $CC -shared -fPIC -xc - -L. -lneeded \
    -Wl,-rpath,"$scratch" -o needs/lib/libompd-hooks.so
needs() { # NAME WHY
    found=$(needs/bin/ompd-run ./team 2>&1)
    same "$1: the program runs" $? 3
    same "$1: what is said" "$found" "${2:+ompd-run: The hooks $2, so nothing is recorded.
}2 threads, bare"
}
needs "a library that is there" ""
needed V_1
needs "one of an older version" "need V_2, which is missing"
rm libneeded.so
needs "one that is not there" "need libneeded.so, which is missing"
loader=$(readelf -l team | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
echo "another machine's" >needs/lib/libompd-hooks.so
needs "hooks that are no library" "cannot be loaded by $loader"

# Options.
usage="Usage: ompd-run *"
like "--version" "$("$run" --version)" "ompd-run [0-9]*.[0-9]*"
like "--help" "$("$run" --help)" "$usage--follow-children*"
for arguments in "" "--" "--nonsense true" "-x true"; do
    # shellcheck disable=SC2086
    found=$("$run" $arguments 2>&1)
    same "ompd-run $arguments: status" $? 2
    like "ompd-run $arguments: usage" "$found" "ompd-run: *$usage"
done
found=$("$run" -- ./team)
same "--: the status of the program" $? 3
same "--: its output" "$found" "2 threads, hooked"
same "options of the program are its own" "$("$run" echo --help -x)" "--help -x"

# PATH, as execvp() follows it.
mkdir -p first second/plain
printf '#!/bin/sh\necho first\n' >first/plain
cp team first/team
chmod -x first/plain first/team
mkdir third
printf 'echo third $#\n' >third/plain
chmod +x third/plain
printf '#!/bin/sh\nexec ./team\n' >script
chmod +x script
same "PATH: neither a directory nor a file without the right" \
    "$(PATH=$scratch/first:$scratch/second:$scratch/third:$PATH "$run" plain x y)" "third 2"
same "PATH: an empty entry" "$(PATH=:$PATH "$run" team)" "2 threads, hooked"
same "a script" "$("$run" ./script)" "2 threads, hooked"
found=$(PATH=$scratch/first "$run" team 2>&1)
same "no right to run it: status" $? 127
same "no right to run it: a sentence" "$found" "ompd-run: team cannot be run: Permission denied."
same "a program of this directory" "$(PATH=/nowhere "$run" team 2>&1)" \
    "ompd-run: team cannot be run: No such file or directory, but ./team is here."
found=$("$run" ./nosuch 2>&1)
same "no such program: status" $? 127
same "no such program: a sentence" "$found" \
    "ompd-run: ./nosuch cannot be run: No such file or directory."

# Another machine's: a shell has nothing to say of it. EI_NIDENT, then e_type, then e_machine.
cp team foreign
printf '\377\377' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
found=$("$run" ./foreign 2>&1)
same "a program that the kernel does not run: status" $? 127
same "a program that the kernel does not run: a sentence" "$found" \
    "ompd-run: ./foreign cannot be run: Exec format error."
printf 'echo without a first line\n' >bare
chmod +x bare
same "a script without a first line" "$("$run" ./bare)" "without a first line"

# Programs that cannot be recorded run all the same.
if compile static -static <team.c; then
    like "static: a sentence" "$("$run" ./static 2>&1 >/dev/null)" \
        "ompd-run: ./static is linked statically, so nothing is recorded in it."
    same "static: it runs" "$("$run" ./static 2>/dev/null)" "2 threads, bare"
    compile static-pie -static-pie <team.c &&
        like "static-pie" "$("$run" ./static-pie 2>&1)" "*is linked statically*2 threads, bare"
else
    skip "static programs" "no static libgomp"
fi
same "the dynamic linker as a program" "$("$run" "$loader" ./team 2>&1)" "2 threads, hooked"

# A profiler that prints into every process must not be taken for an answer.
cat >banner.c <<'END'
#include <stdio.h>
static void __attribute__((constructor)) banner(void)
{
    puts("profiler 1.0");
    fflush(stdout);
}
END
$CC -shared -fPIC banner.c -o banner.so
same "a profiler's banner" "$(LD_PRELOAD=$scratch/banner.so "$run" ./team 2>&1)" \
    "profiler 1.0
profiler 1.0
2 threads, hooked"

# Libraries of tools.
tools() { OMP_TOOL_LIBRARIES=$1 "$run" ./team 2>&1; }
same "no library of OMP_TOOL_LIBRARIES" "$(tools /nowhere.so:./none.so)" \
    "ompd-run: No library of OMP_TOOL_LIBRARIES can be opened from here: /nowhere.so:./none.so.
2 threads, hooked"
same "one of them is there" "$(tools "/nowhere.so:$scratch/banner.so")" "profiler 1.0
2 threads, hooked"
same "a name that the dynamic linker does not find" "$(tools libnone.so)" \
    "ompd-run: No library of OMP_TOOL_LIBRARIES can be opened from here: libnone.so.
2 threads, hooked"
same "one that it finds" "$(LD_LIBRARY_PATH=$scratch tools banner.so)" "profiler 1.0
2 threads, hooked"
same "a file that is no library" "$(tools "$scratch/banner.c")" \
    "ompd-run: No library of OMP_TOOL_LIBRARIES can be opened from here: $scratch/banner.c.
2 threads, hooked"

same "--history before what the user has set" \
    "$(OMP_OMPD=off "$run" --history printenv OMP_OMPD)" history:off
same "--sums, and both, of one ompd-run or two" "$("$run" --sums printenv OMP_OMPD) $(
    "$run" --sums "$run" --history printenv OMP_OMPD) $(OMP_OMPD=off "$run" --sums "$run" printenv OMP_OMPD)" \
    "sums history+sums sums:off"
same "--history of an outer one" "$("$run" --history "$run" printenv OMP_OMPD)" history
same "one inside another" "$("$run" "$run" printenv LD_PRELOAD)" "$("$run" printenv LD_PRELOAD)"
same "the user's preloads come behind" \
    "$(LD_PRELOAD=$scratch/banner.so "$run" printenv LD_PRELOAD | tail -n 1)" \
    "$("$run" printenv LD_PRELOAD):$scratch/banner.so"
finish
