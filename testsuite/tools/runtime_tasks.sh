# SPDX-License-Identifier: MIT
# Tasks that the runtime makes by itself; see runtime_tasks.c. Before GCC 13 libgomp has no such
# functions: then the program runs on one that has, and that hands all other calls on.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
unset OMP_TOOL OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_TOOL_LIBRARIES LD_PRELOAD OMP_OMPD
source=$top_srcdir/testsuite/tools/runtime_tasks.c
libgomp=$($CC -print-file-name=libgomp.so.1)
[ -r "$libgomp" ] || libgomp=$($CC -print-file-name=libgomp.so)

bail() {
    echo "Bail out! $1"
    exit 1
}

# A libgomp.so.1 with the names and versions of the machine's, each a jump to it.
jumps() {
    case $(uname -m) in
    x86_64) ;;
    *)
        echo "1..0 # SKIP libgomp is older than GCC 13, and one around it is for x86-64 only"
        exit 0
        ;;
    esac
    cp "$libgomp" "$scratch/inner.so" || exit 1
    nm -D --defined-only "$libgomp" | sed -n 's/.* T \(.*\)@@\(.*\)/\1 \2/p' >"$scratch/names"
    awk '{ print ".globl " $1 "\n" $1 ": jmp *slots+" 8 * (NR - 1) "(%rip)" }
        END { print ".bss\n.globl slots\n.hidden slots\nslots: .skip " 8 * NR }' \
        "$scratch/names" >"$scratch/jumps.s"
    awk 'BEGIN { print "static const char *const names[] = {" } { print "\"" $1 "\"," }
        END { print "};" }' "$scratch/names" >"$scratch/names.h"
    awk '{ names[$2] = names[$2] " " $1 ";" }
        END {
            names["GOMP_5.1.1"] = " GOMP_taskwait_depend_nowait;"
            names["OMP_5.1.1"] = " omp_target_memcpy_async; omp_target_memcpy_rect_async;"
            for (v in names) print v " { global:" names[v] " };"
        }' "$scratch/names" >"$scratch/versions"
    $CC -std=gnu11 -O1 -w -fPIC -shared -Wl,-z,noexecstack -DRUNTIME -I"$scratch" "$source" "$scratch/jumps.s" \
        -Wl,-soname,libgomp.so.1 -Wl,--version-script="$scratch/versions" \
        -o "$scratch/libgomp.so.1" -ldl || bail "the runtime does not build"
    libgomp=$scratch/libgomp.so.1
    export INNER_RUNTIME="$scratch/inner.so"
}

nm -D "$libgomp" | grep -q GOMP_taskwait_depend_nowait || jumps
$CC -std=gnu11 -O1 -w -fopenmp -rdynamic -D_GNU_SOURCE -I"$top_srcdir" -I"$stage/include" \
    "$source" "$top_srcdir/testsuite/unit/hooks_records.c" -o "$scratch/program" "$libgomp" \
    -Wl,-rpath,"$scratch" -lpthread -ldl || bail "the program does not build"
LD_PRELOAD=$stage/lib/libompd-hooks.so LD_LIBRARY_PATH=$scratch timeout 60 "$scratch/program"
