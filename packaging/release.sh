#!/bin/bash
# SPDX-License-Identifier: MIT
#
# release.sh DIST WORK OUT
#
# Of DIST, the archive of the sources, makes what pack.sh says in OUT for each of MACHINES, with DIST and the
# sources of elfutils beside it. It is compiled by this system's compiler, for another machine by that of Debian
# 12, against the C library of Debian FLOOR, for its old versions of symbols; fetch.sh has apt fetch these, and
# elfutils from ELFUTILS, into WORK. No root is needed.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
dist=$(realpath "$1") work=$(realpath -m "$2") out=$(realpath -m "$3")
: "${SOURCE_DATE_EPOCH:?}" "${FLOOR:=bullseye}" "${ELFUTILS:=trixie}" "${JOBS:=$(nproc)}"
: "${MACHINES:=x86_64 aarch64}"
fetch=$top/testsuite/platforms/fetch.sh
mkdir -p "$work"
"$fetch" --source "$ELFUTILS" amd64 "$work/elfutils" elfutils

# Runs a step quietly; its output is shown only when it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }; }
# Unpacks ARCHIVE and configures it in there, for /opt/ompd.
configure() { # DIRECTORY ARCHIVE OPTION...
    rm -rf "$at/$1"
    mkdir "$at/$1"
    tar -x --strip-components=1 -C "$at/$1" -f "$2"
    (cd "$at/$1" && ./configure -q --prefix=/opt/ompd --build=x86_64-linux-gnu --host=$machine-linux-gnu \
        CC="$at/cc" CFLAGS= "${@:3}")
}

# Writes $at/cc, the compiler, and fetches what it needs.
make_compiler() {
    local libraries=$root/usr/lib/$machine-linux-gnu compiler=gcc architecture packages
    packages=(libc6 libc6-dev linux-libc-dev libcrypt-dev libgcc-s1 zlib1g zlib1g-dev libzstd-dev)
    case $machine in
    x86_64)
        architecture=amd64
        packages+=(libc6-i386 libc6-dev-i386 lib32gcc-s1)
        ;;
    aarch64)
        architecture=arm64
        "$fetch" bookworm amd64 "$at/cross" {gcc-12,cpp-12,binutils}-aarch64-linux-gnu libgcc-12-dev-arm64-cross
        export PATH=$at/cross/root/usr/bin:$PATH LD_LIBRARY_PATH=$at/cross/root/usr/lib/x86_64-linux-gnu
        compiler="env LD_LIBRARY_PATH=$LD_LIBRARY_PATH $at/cross/root/usr/bin/aarch64-linux-gnu-gcc-12"
        ;;
    esac
    "$fetch" "$FLOOR" "$architecture" "$at/floor" "${packages[@]}"
    rm -f "$libraries/libzstd.so" # its archive is for libdw: not every system has it
    cat >"$at/cc" <<END
#!/bin/sh
libraries=$libraries
case " \$* " in *" -m32 "*) libraries=$root/usr/lib32 ;; esac
exec $compiler --sysroot=$root -idirafter $root/usr/include/$machine-linux-gnu -idirafter $root/usr/include \
    -B\$libraries -L\$libraries -O2 -ffile-prefix-map=$at=. "\$@"
END
    chmod +x "$at/cc"
}

# Of elfutils the libraries alone, and of these what reads ELF and DWARF; they stay for the next time. They have
# no run path, in which the dynamic linker would look for each library that they need: ompd opens both.
make_libdw() {
    [ ! -e "$at/libdw/libdw/libdw.so.1" ] || return 0
    quietly configure libdw "$work"/elfutils/root/elfutils_*.orig.tar.* --disable-debuginfod \
        --disable-libdebuginfod --disable-demangler --disable-nls --without-bzlib --without-lzma \
        LDFLAGS=-Wl,-s
    for part in lib libelf libcpu backends libebl libdwelf libdwfl libdwfl_stacktrace libdw; do
        [ ! -d "$at/libdw/$part" ] || quietly make -C "$at/libdw/$part" -j"$JOBS"
    done
}

make_tree() {
    local inside=$at/root/opt/ompd/lib/elfutils
    quietly configure sources "$dist" --disable-tests LDFLAGS=-Wl,-s
    quietly make -C "$at/sources" -j"$JOBS"
    rm -rf "$at/root"
    quietly make -C "$at/sources" install DESTDIR="$at/root" auto_load_scripts=
    mkdir "$inside"
    cp "$at/libdw/libdw/libdw.so.1" "$at/libdw/libelf/libelf.so.1" "$at"/libdw/COPYING* "$inside"
    cp "$root/usr/share/doc/libzstd-dev/copyright" "$inside/COPYING-zstd"
}

rm -rf "$out"
mkdir -p "$out"
cp "$dist" "$work"/elfutils/root/*.orig.tar.* "$out"
for machine in $MACHINES; do
    at=$work/$machine root=$work/$machine/floor/root
    mkdir -p "$at"
    (
        make_compiler
        make_libdw
        make_tree
        "$top/packaging/pack.sh" "$at/root/opt/ompd" "$machine" "$out"
    )
done
