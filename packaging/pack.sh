#!/bin/bash
# SPDX-License-Identifier: MIT
#
# pack.sh TREE MACHINE OUT
#
# Makes of a TREE installed for MACHINE, which may have elfutils in lib/elfutils:
# OUT/ompd-linux-VERSION-MACHINE.tar.xz, which runs where it is unpacked, the command as one file OUT/ompd, for
# another machine than x86_64 OUT/ompd-MACHINE, and OUT/SHA256SUMS of all there. The same TREE and
# SOURCE_DATE_EPOCH give the same bytes.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
tree=$(cd "$1" && pwd) machine=$2 out=$3 file=ompd
[ "$machine" = x86_64 ] || file=ompd-$machine
: "${SOURCE_DATE_EPOCH:?}"
version=$(sed -n 's/^AC_INIT(.*, \[\(.*\)\])/\1/p' "$top/configure.ac")
name=ompd-linux-$version-$machine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
out=$(cd "$out" && pwd)

# What depends on the system that it was made on: scripts that gdb loads by itself, which it warns of unless
# the user trusts the directory, and byte code, which install.sh makes.
cp -a "$tree" "$work/$name"
cd "$work/$name"
rm -rf share/gdb
find . \( -name '*-gdb.py' -path './lib/*' -o -name 'code.*' -o -name __pycache__ \) -prune -exec rm -rf {} +
cp "$top/openmp_inspect/gen-code-archive.py" share/ompd/python/openmp_inspect
cp "$top/LICENSE" "$top/packaging/install.sh" "$top/packaging/modulefile" .
sed "s/@VERSION@/$version/g; s/@MACHINE@/$machine/g" "$top/packaging/archive.md" >README.md
chmod -R u=rwX,go=rX .
cd "$work"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -c "$name" | XZ_OPT=${XZ_OPT--9} xz -T1 >"$out/$name.tar.xz"
"${PYTHON:-python3}" "$top/packaging/one_file.py" "$work/$name" "$name" "$out/$file"
cd "$out"
rm -f SHA256SUMS
sha256sum -- * >"$work/sums"
mv "$work/sums" SHA256SUMS
