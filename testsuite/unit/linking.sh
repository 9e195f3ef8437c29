# SPDX-License-Identifier: MIT
# Programs that are linked to the hooks, by the one line that the README gives.
. "$top_srcdir/testsuite/common/tap.sh"
command -v pkg-config >/dev/null || {
    echo "1..0 # SKIP there is no pkg-config"
    exit 0
}
PKG_CONFIG_PATH=$stage/lib/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs ompd-hooks)
unset LD_LIBRARY_PATH

cat >prog.c <<'END'
#ifdef OMP_FIRST
#include <omp.h>
#endif
#include <omp-ompd.h>
#ifdef OMP_LAST
#include <omp.h>
#endif
#include <stdio.h>
int main(void)
{
    int n = 0;
    omp_ompd_enable();
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    printf("%d threads, %s\n", n,
           omp_control_tool(omp_control_tool_start, 0, NULL) == omp_control_tool_notool
               ? "no tool" : "a tool");
    return 0;
}
END
cp prog.c prog.cc
cat >prog.f90 <<'END'
program prog
    implicit none
    integer :: n
    interface
        integer(4) function omp_control_tool(command, modifier, arg)
            integer(4) :: command, modifier
            integer(8) :: arg
        end function
        subroutine omp_ompd_enable() bind(c)
        end subroutine
    end interface
    integer(8) :: arg = 0
    n = 0
    call omp_ompd_enable()
    !$omp parallel num_threads(2) reduction(+:n)
    n = n + 1
    !$omp end parallel
    if (omp_control_tool(1, 0, arg) == -2) print '(i1,a)', n, ' threads, no tool'
end program
END

# links NAME COMPILER ARGUMENT...: the program runs, hooks before libgomp, both there.
links() {
    what=$1
    shift
    # shellcheck disable=SC2086
    if ! "$@" $flags -o prog >log 2>&1; then
        result "not ok" "$what: it links"
        sed 's/^/# /' log
        return
    fi
    same "$what: it runs" "$(./prog 2>&1)" "2 threads, no tool"
    same "$what: what is loaded" \
        "$(readelf -d prog | sed -n 's/.*(NEEDED).*\[\(libompd[^]]*\|libgomp[^]]*\)\]/\1/p')" \
        "libompd-hooks.so
libgomp.so.1"
}
for mode in "" "-Wl,--as-needed" "-Wl,--no-as-needed"; do
    # shellcheck disable=SC2086
    links "C $mode" $CC $mode -Wall -Werror -fopenmp prog.c
    # shellcheck disable=SC2086
    links "C++ $mode" $CXX $mode -Wall -Werror -fopenmp prog.cc
    if command -v "$FC" >/dev/null; then
        # shellcheck disable=SC2086
        links "Fortran $mode" "$FC" $mode -fopenmp prog.f90
    else
        skip "Fortran $mode" "no Fortran compiler"
    fi
done
links "C, omp.h first" "$CC" -Wall -Werror -DOMP_FIRST -fopenmp prog.c
links "C, omp.h last" "$CC" -Wall -Werror -DOMP_LAST -fopenmp prog.c

# Compilers whose omp.h has the names: LLVM's, and a GCC to come.
compiles() { # NAME COMMAND...
    what=$1
    shift
    if "$@" -c -o /dev/null >log 2>&1; then
        result ok "$what"
    else
        result "not ok" "$what"
        sed 's/^/# /' log
    fi
}
include=-I$stage/include
for order in -DOMP_NONE -DOMP_FIRST -DOMP_LAST; do
    if echo '#include <omp.h>' | clang -fopenmp -xc -c - -o /dev/null 2>/dev/null; then
        compiles "clang, C, $order" clang -fopenmp "$include" $order prog.c
        compiles "clang, C++, $order" clang++ -fopenmp "$include" $order prog.cc
    else
        skip "clang, $order" "no clang with an omp.h"
    fi
    mkdir -p newer
    cat >newer/omp.h <<'END'
#ifndef _OMP_H
#define _OMP_H 1
typedef enum omp_control_tool_t { omp_control_tool_start = 1 } omp_control_tool_t;
typedef enum omp_control_tool_result_t { omp_control_tool_notool = -2 } omp_control_tool_result_t;
#ifdef __cplusplus
extern "C"
#endif
int omp_control_tool(int, int, void *);
#endif
END
    compiles "a newer omp.h, C, $order" "$CC" -w -fopenmp -U_OPENMP -D_OPENMP=201811 -Inewer \
        "$include" $order prog.c
    compiles "a newer omp.h, C++, $order" "$CXX" -w -fopenmp -U_OPENMP -D_OPENMP=201811 -Inewer \
        "$include" $order prog.cc
done

# A tool in the program is found without -rdynamic.
cat >tool.c <<'END'
#include <ompd/omp-tools.h>
#include <stdio.h>
ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    printf("asked\n");
    return version && runtime ? NULL : NULL;
}
END
# shellcheck disable=SC2086
$CC -fopenmp prog.c tool.c $flags -o prog >log 2>&1
same "a tool in the program" "$(./prog 2>&1)" "asked
2 threads, no tool"

# What "make install" was told, not what configure was.
same "the file names its directories" \
    "$(realpath "$(pkg-config --variable=libdir ompd-hooks)")" "$(realpath "$stage/lib")"

# An installation that was moved: its own headers and hooks.
mkdir moved
cp -a "$stage/lib" "$stage/include" moved
PKG_CONFIG_PATH=$PWD/moved/lib/pkgconfig
same "the headers of a moved installation" \
    "$(realpath "$(pkg-config --variable=includedir ompd-hooks)")" "$(realpath moved/include)"
# shellcheck disable=SC2046
$CC -fopenmp prog.c $(pkg-config --cflags --libs ompd-hooks) -o prog >log 2>&1
same "the hooks of a moved installation" \
    "$(realpath "$(ldd ./prog | sed -n 's/.*libompd-hooks[^ ]* => \(.*\) (0x.*/\1/p')")" \
    "$(realpath moved/lib/libompd-hooks.so)"
finish
