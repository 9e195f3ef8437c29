#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The recipes of packaging/: each names the version of configure.ac and no other, and holds the same files to
# be there once it is installed.
. "${top_srcdir:?}/testsuite/common/tap.sh"
cd "$top_srcdir/packaging" || exit 1
version=$(sed -n 's/^AC_INIT(.*, \[\(.*\)\])/\1/p' ../configure.ac)
files="bin/ompd bin/ompd-run libompd.so libompd-hooks.so share/ompd/gdb/ompd-gdb.py
share/ompd/lldb/ompd_lldb.py"
for recipe in */*; do
    same "$recipe: the version" \
        "$( (echo "$recipe"; cat "$recipe") | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | sort -u)" "$version"
    missing=
    for file in $files; do
        grep -qE "(^|[^a-z])${file//./\\.}([^a-z-]|$)" "$recipe" || missing+="$file "
    done
    report "$recipe: the files" "$missing"
done

cp -r ../debian "$scratch"
same "debian/itp.sh: the mail" "$(MAINTAINER="A. Lovelace <ada@example.org>" VCS=https://example.org/ompd.git \
    "$scratch/debian/itp.sh" | grep -E '^(Subject: ITP|Owner|. Package|  Version|They|OMPT)')" \
    "Subject: ITP: ompd-linux -- $(sed -n 's/^Description: //p;T;q' ../debian/control)
Owner: A. Lovelace <ada@example.org>
* Package name    : ompd-linux
  Version         : $version
OMPT."
same "and whose package it is then" "$(diff ../debian "$scratch/debian" | grep -c '^> .*\(Lovelace\|example.org/ompd\)')" 5

python=${PYTHON:-python3}
report "Python parses what is Python" "$("$python" -c 'import ast, sys
[ast.parse(open(name).read(), name) for name in sys.argv[1:]]' spack/package.py easybuild/*.eb 2>&1)"
report "a shell parses what is shell" "$(bash -n arch/PKGBUILD 2>&1; sh -n install.sh 2>&1)"
finish
