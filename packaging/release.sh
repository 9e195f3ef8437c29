#!/bin/bash
# SPDX-License-Identifier: MIT
#
# release.sh DIST WORK OUT
#
# Of DIST, the archive of the sources, makes what pack.sh says in OUT, with DIST and the sources of elfutils
# beside it. It is compiled by this system's compiler against the C library of Debian FLOOR, for its old
# versions of symbols; fetch.sh has apt fetch that, and elfutils from ELFUTILS, into WORK. No root is needed.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
dist=$(realpath "$1") work=$(realpath -m "$2") out=$(realpath -m "$3")
: "${SOURCE_DATE_EPOCH:?}" "${FLOOR:=bullseye}" "${ELFUTILS:=trixie}" "${JOBS:=$(nproc)}"
fetch=$top/testsuite/platforms/fetch.sh
mkdir -p "$work"
"$fetch" "$FLOOR" amd64 "$work/floor" libc6 libc6-dev libc6-i386 libc6-dev-i386 linux-libc-dev \
    libcrypt-dev libgcc-s1 lib32gcc-s1 zlib1g zlib1g-dev libzstd-dev
"$fetch" --source "$ELFUTILS" amd64 "$work/elfutils" elfutils

root=$work/floor/root
rm -f "$root/usr/lib/x86_64-linux-gnu/libzstd.so" # its archive is for libdw: not every system has it
cat >"$work/cc" <<END
#!/bin/sh
libraries=$root/usr/lib/x86_64-linux-gnu
case " \$* " in *" -m32 "*) libraries=$root/usr/lib32 ;; esac
exec gcc --sysroot=$root -idirafter $root/usr/include/x86_64-linux-gnu -B\$libraries -L\$libraries -O2 -ffile-prefix-map=$work=. "\$@"
END
chmod +x "$work/cc"

# Runs a step quietly; its output is shown only when it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }; }
# Unpacks ARCHIVE and configures it in there, for /opt/ompd.
configure() { # DIRECTORY ARCHIVE OPTION...
    rm -rf "$work/$1"
    mkdir "$work/$1"
    tar -x --strip-components=1 -C "$work/$1" -f "$2"
    (cd "$work/$1" && ./configure -q --prefix=/opt/ompd CC="$work/cc" CFLAGS= "${@:3}")
}

# Of elfutils the libraries alone, and of these what reads ELF and DWARF; they stay for the next time.
if [ ! -e "$work/libdw/libdw/libdw.so.1" ]; then
    quietly configure libdw "$work"/elfutils/root/elfutils_*.orig.tar.* --disable-debuginfod \
        --disable-libdebuginfod --disable-demangler --disable-nls --without-bzlib --without-lzma \
        LDFLAGS='-Wl,-rpath,\$$ORIGIN -Wl,-s'
    for part in lib libelf libcpu backends libebl libdwelf libdwfl libdwfl_stacktrace libdw; do
        [ ! -d "$work/libdw/$part" ] || quietly make -C "$work/libdw/$part" -j"$JOBS"
    done
fi
quietly configure sources "$dist" --disable-tests LDFLAGS=-Wl,-s
quietly make -C "$work/sources" -j"$JOBS"
rm -rf "$work/root"
quietly make -C "$work/sources" install DESTDIR="$work/root"
inside=$work/root/opt/ompd/lib/elfutils
mkdir "$inside"
cp "$work/libdw/libdw/libdw.so.1" "$work/libdw/libelf/libelf.so.1" "$work"/libdw/COPYING* "$inside"
cp "$root/usr/share/doc/libzstd-dev/copyright" "$inside/COPYING-zstd"

rm -rf "$out"
mkdir -p "$out"
cp "$dist" "$work"/elfutils/root/*.orig.tar.* "$out"
"$top/packaging/pack.sh" "$work/root/opt/ompd" "$out"
