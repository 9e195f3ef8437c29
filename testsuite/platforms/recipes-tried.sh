#!/bin/bash
# SPDX-License-Identifier: MIT
#
# recipes-tried.sh rpm|arch|docker|apptainer
#
# In a bare root: makes a package of what is in /src, and installs it; then, or where an image was made of the
# root, its commands are there, and run.
set -uo pipefail
. /src/tried.sh
unset BUILDDIR # in_root's; makepkg has one, too
install() { quietly apt-get install -y -q --no-install-recommends "$@"; }
as_nobody() { HOME=$PWD setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

case $1 in
rpm)
    quietly apt-get update -q && install rpm gcc libc6-dev make python3 xz-utils libdw1 || exit 1
    # Of what Debian's packages have rpm knows nothing.
    holds "rpmbuild" quietly rpmbuild -ta --nodeps /src/ompd-linux-*.tar.xz
    holds "rpm -i" quietly rpm -i --nodeps /root/rpmbuild/RPMS/*/*.rpm
    holds "its files are as they were packed" quietly rpm -V --nodeps {gdb,lldb}-openmp ompd-tools libompd-devel
    holds "what it needs" says '^libdw\.so\.1' rpm -q --requires ompd-tools
    ;;
arch)
    quietly apt-get update -q && install makepkg pacman-package-manager gcc libc6-dev make python3 xz-utils libdw1 \
        fakeroot libarchive-tools || exit 1
    mkdir /var/lib/pacman
    cd "$(mktemp -d)" && cp /src/PKGBUILD /src/ompd-linux-*.tar.xz . && chown -R 65534 . || exit 1
    holds "makepkg" quietly as_nobody makepkg -d
    tar -x -C / --exclude=.* -f ompd-linux-*.pkg.tar*
    ;;
*) . /environment ;;
esac
holds "ompd" says '^ompd [0-9]' ompd --version
holds "ompd-run" ends 7 ompd-run sh -c 'exit 7'
if command -v gdb >/dev/null; then
    holds "gdb" says '^Usage: ompd why' gdb -batch -ex 'help ompd why'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
