#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gpu.sh DIRECTORY
#
# Tries "devices", "mappings", "threads", "stacks" and "why" on a GPU of NVIDIA, in less than 8 minutes: programs of
# gcc, with code for nvptx, and of clang, for nvptx64. What that takes is first made in DIRECTORY: programs,
# runtimes, the product and these tests. On a machine that has a GPU, Python, bash and no compiler,
# DIRECTORY/gpu.sh DIRECTORY does the same. GPU_ARCH: what clang compiles for (sm_80).
#
# Never run on a GPU so far: gpu.py. That all is made, that programs execute target regions on the host
# where there is no GPU, and what is said then, has been tried.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
directory=$(readlink -m "$1")

libraries_of() { # FILE...: those that they need but the C library's, by their paths
    ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | grep -vE '/(libc|libm|libdl|librt|libpthread)\.so' | sort -u
}

of_gcc() {
    local version tree=$cache/offload-nvptx root prefix
    version=$(gcc -dumpversion)
    "$top_srcdir/testsuite/platforms/fetch.sh" "$(. /etc/os-release && echo "$VERSION_CODENAME")" amd64 "$tree" \
        "gcc-$version-offload-nvptx" nvptx-tools libgomp-plugin-nvptx1 || return
    root=$tree/root
    prefix=$root/usr/lib/gcc/x86_64-linux-gnu/$version
    mkdir -p "$directory/lib-gcc"
    cp "$root"/usr/lib/x86_64-linux-gnu/libgomp-plugin-nvptx.so.1 "$(gcc -print-file-name=libgomp.so.1)" "$directory/lib-gcc"
    PATH=$root/usr/bin:$PATH COMPILER_PATH=$prefix gcc -g -O1 -fopenmp -foffload=nvptx-none -B"$prefix/" \
        -foffload-options=nvptx-none=-Wa,--no-verify -DPAUSE= "$top_srcdir/testsuite/command/devices.c" \
        -o "$directory/of-gcc" 2>"$directory/of-gcc.log"
}

of_clang() {
    local libraries
    libraries=$(dirname "$(readlink -f "$(command -v clang)")")/../lib
    mkdir -p "$directory/lib-clang"
    clang -g -O1 -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda -Xopenmp-target -march="${GPU_ARCH:-sm_80}" -DPAUSE= \
        "$top_srcdir/testsuite/command/devices.c" -o "$directory/of-clang" 2>"$directory/of-clang.log" || return
    set -- "$libraries"/libomp.so.5 "$libraries"/libomptarget.so "$libraries"/libomptarget.rtl.cuda.so
    libraries_of "$@" | xargs cp -Lt "$directory/lib-clang" "$@"
}

if [ "$here" != "$directory" ]; then
    : "${top_srcdir:?}" "${stage:?}" "${cache:?}"
    rm -rf "$directory"/{stage,testsuite,lib,lib-gcc,lib-clang,of-gcc,of-clang}
    mkdir -p "$directory/testsuite" "$directory/lib"
    for compiler in gcc clang; do
        of_$compiler || echo "# no program of $compiler: $(tail -n 1 "$directory/of-$compiler.log" 2>/dev/null)"
    done
    libraries_of "$(ldconfig -p | sed -n 's/.*libdw\.so\.1 .*x86-64.* => //p')" | xargs cp -Lt "$directory/lib" \
        "$(ldconfig -p | sed -n 's/.*libdw\.so\.1 .*x86-64.* => //p')"
    cp -a "$stage" "$directory/stage"
    cp -a "$top_srcdir"/testsuite/{command,common,devices,gdb} "$directory/testsuite"
    cp "$here/gpu.sh" "$directory"
fi
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    echo "There is no GPU of NVIDIA here: $directory has all that a machine with one needs."
    exit 77
fi
export stage=$directory/stage GDB= LD_LIBRARY_PATH=$directory/lib
exec timeout 480 python3 "$directory/testsuite/devices/gpu.py" "$directory"
