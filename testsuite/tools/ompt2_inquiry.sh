# SPDX-License-Identifier: MIT
# A tool of report version 2 inside a program: how it is found, and what it can ask; see
# ompt2_inquiry.c. Also with 32 bits, and from Fortran.
. "$top_srcdir/testsuite/common/tap.sh"

# build NAME FLAGS: the program, linked ahead of libgomp to the hooks that FLAGS name.
build() {
    name=$1
    shift
    $CC -std=gnu11 -O1 -w -fopenmp -D_GNU_SOURCE -I"$top_srcdir" -I"$stage/include" \
        "$top_srcdir/testsuite/tools/ompt2_inquiry.c" \
        "$top_srcdir/testsuite/unit/hooks_records.c" -o "$scratch/$name" "$@" -lpthread -ldl \
        >"$scratch/build" 2>&1
}

# checks NAME: runs all its checks and shows them under one row of numbers.
checks() {
    timeout 60 "$scratch/$1" >"$scratch/out"
    relay "$scratch/out" $? "$1"
}

# asked EXPECTED TEXT SETTINGS: was the tool asked, and does ompt_control() reach it?
asked() {
    expected=$1 text=$2
    shift 2
    said=$(timeout 60 env "$@" asked 2>&1 | head -1)
    same "$text" "$said" "$expected"
}

lib=$stage/lib
if build linked "$lib/libompd-hooks.so" -Wl,-rpath,"$lib"; then
    checks linked
    asked "1 1" "a program that is linked to the hooks" "$scratch/linked"
    asked "1 0" "a tool that declines" OMPT2_DECLINE=1 "$scratch/linked"
    asked "0 0" "OMP_TOOL=disabled" OMP_TOOL=' Disabled' "$scratch/linked"
    asked "1 1" "with tracking for debuggers" OMP_OMPD=on "$scratch/linked"
else
    report "a program that is linked to the hooks" "$(cat "$scratch/build")."
fi
if build exported -rdynamic "$lib/libompd-hooks.so" -Wl,-rpath,"$lib"; then
    asked "1 1" "a program that exports all its symbols" "$scratch/exported"
fi

cat >"$scratch/control.f90" <<'END'
program control
  use omp_lib
  external ompt_control
  call omp_set_num_threads(omp_get_max_threads())
  call ompt_control(65_8, 4294967297_8)
end program
END
cat >"$scratch/tool.c" <<'END'
#include <ompt-2/ompt.h>
#include <stdio.h>
static void on_control(uint64_t command, uint64_t modifier)
{
    printf("%llu %llu\n", (unsigned long long)command, (unsigned long long)modifier);
    fflush(stdout);
}
static void initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned version)
{
    ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_event_control,
                                                       (ompt_callback_t)on_control);
}
ompt_initialize_fn_t ompt_tool(void) { return initialize; }
END
if [ -z "$FC" ] || ! $FC -fopenmp "$scratch/control.f90" -o "$scratch/control" \
    "$lib/libompd-hooks.so" -Wl,-rpath,"$lib" 2>"$scratch/build"; then
    skip "ompt_control from Fortran" "no Fortran compiler"
else
    $CC -w -fPIC -shared -I"$stage/include" "$scratch/tool.c" -o "$scratch/tool.so"
    said=$(timeout 60 env LD_PRELOAD="$scratch/tool.so" "$scratch/control")
    same "ompt_control from Fortran" "$said" "65 4294967297"
fi
cat >"$scratch/cxx.cc" <<'END'
#include <ompt-2/ompt.h>
#include <omp_collector_api.h>
ompt_event_t first = ompt_event_parallel_begin;
int start(void *batch) { return __omp_collector_api(batch); }
END
if ${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
    -I"$stage/include" "$scratch/cxx.cc" 2>"$scratch/build"; then
    result ok "the headers are C++ as well"
else
    report "the headers are C++ as well" "$(cat "$scratch/build")."
fi

reason=$(no_32_bit)
if [ -n "$reason" ]; then
    skip "32 bits" "$reason"
elif build 32-bit -m32 "$lib/32/libompd-hooks.so" -Wl,-rpath,"$lib/32"; then
    checks 32-bit
else
    report "32-bit builds" "$(cat "$scratch/build")."
fi
finish
