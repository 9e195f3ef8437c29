#!/bin/sh
# SPDX-License-Identifier: MIT
#
# MAINTAINER="NAME <ADDRESS>" VCS=URL debian/itp.sh
#
# Makes this Debian source package MAINTAINER's, with its git repository at VCS, and prints the intent to package it
# as a mail for submit@bugs.debian.org: "reportbug wnpp" asks for the same.
set -eu
: "${MAINTAINER:?}" "${VCS:?}"
cd "$(dirname "$0")"
sed -i -e '/^Vcs-/d; /^Homepage:/d' -e "s#^Maintainer: .*#Maintainer: $MAINTAINER\\
Homepage: $VCS\\
Vcs-Git: $VCS\\
Vcs-Browser: $VCS#" control
sed -i "1,/^ -- /s#^ -- .*>  # -- $MAINTAINER  #" changelog
version=$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' changelog)
summary=$(sed -n 's/^Description: //p;T;q' control)
cat <<END
From: $MAINTAINER
To: submit@bugs.debian.org
Subject: ITP: ompd-linux -- $summary

Package: wnpp
Severity: wishlist
Owner: $MAINTAINER
X-Debbugs-Cc: debian-devel@lists.debian.org

* Package name    : ompd-linux
  Version         : $version
  URL             : $VCS
* License         : Expat
  Programming Lang: C, Python
  Description     : $summary

$(awk '/^Description:/ { on = 1; next } !on { next } !/^ / { exit } { sub(/^ \.?/, ""); print }' control)

Binary packages are ompd-tools, gdb-openmp, lldb-openmp and libompd-dev. No package of
Debian has a debugger know what GCC's OpenMP runtime does. ompd-tools needs libdw1 and Python.
END
