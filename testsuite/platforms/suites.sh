# SPDX-License-Identifier: MIT
#
# For other scripts: programs and hooks that run on the C library and libgomp of a suite, which
# fetch.sh has unpacked.

# The newest GCC whose runtime the suite has: its static libgomp comes with that compiler.
version_of() {
    case $1 in
    bullseye) echo 10 ;;
    jammy | bookworm) echo 12 ;;
    trixie | noble) echo 14 ;;
    questing) echo 15 ;;
    *) echo 16 ;;
    esac
}

# make_compiler TREE VERSION: $tree/cc, $CC as a compiler for programs of the suite,
# with that suite's headers, libraries and dynamic linker. $tree/cxx and $tree/fc are the same
# for C++ and Fortran, where the suite's libraries of these are there.
make_compiler() {
    local root=$1/root libraries=$1/root/usr/lib/x86_64-linux-gnu version=$2 archive
    mkdir -p "$1/link"
    ln -sf "$libraries/libgomp.so.1" "$1/link/libgomp.so"
    ln -sf "$libraries/libstdc++.so.6" "$1/link/libstdc++.so"
    ln -sf "$libraries/libgfortran.so.5" "$1/link/libgfortran.so"
    for archive in libgomp libgcc libgcc_eh; do
        ln -sf "$root/usr/lib/gcc/x86_64-linux-gnu/$version/$archive.a" "$1/link/$archive.a"
    done
    write_compiler "$1" cc "$CC"
    write_compiler "$1" cxx "${CXX-g++}"
    write_compiler "$1" fc "${FC-gfortran}"
}

# A library has no path of its own: it takes what the program has that it is loaded into, which
# may be one of this system's. A static program that may lie anywhere has no dynamic linker, and
# GCC 10 forgets what libgomp needs for it.
write_compiler() {
    local root=$1/root libraries=$1/root/usr/lib/x86_64-linux-gnu
    cat >"$1/$2" <<END
#!/bin/sh
runtime=
case " \$* " in
*" -shared "*) path= ;;
*" -static-pie "*) path= runtime=-lgomp ;;
*) path="-Wl,-rpath,$libraries -Wl,--dynamic-linker=$libraries/ld-linux-x86-64.so.2" ;;
esac
exec $3 --sysroot=$root -B$libraries -L$1/link -L$libraries \\
    -Wl,--disable-new-dtags \$path "\$@" \$runtime -pthread -ldl
END
    chmod +x "$1/$2"
}

# make_stage TREE: $tree/stage, this build's product with hooks of the suite.
make_stage() {
    rm -rf "$1/stage"
    cp -a "$stage" "$1/stage"
    rm -rf "$1/stage/lib/32"
    make_hooks "$1" "$1/stage/lib/libompd-hooks.so"
}

make_hooks() { # TREE FILE
    # shellcheck disable=SC2086
    (cd "$top_builddir" && "$1/cc" $HOOKS_FLAGS -fPIC -shared \
        -Wl,-soname,libompd-hooks.so -o "$2" $HOOKS_SOURCES)
}
