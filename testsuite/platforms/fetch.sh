#!/bin/bash
# SPDX-License-Identifier: MIT
#
# fetch.sh [--depends | --source] SUITE ARCHITECTURE DIRECTORY PACKAGE...
#
# Unpacks packages of a Debian or Ubuntu suite into DIRECTORY/root, without installing
# anything and without root: apt downloads and checks signatures under DIRECTORY/apt. What is
# there already is not fetched again; delete DIRECTORY for newer packages. Versions are left in
# DIRECTORY/packages. With --depends also the packages that these depend on; with --source
# only the archives that the packages' sources consist of, as they are.
set -euo pipefail
how=download type=deb
case $1 in
--depends) how=depends; shift ;;
--source) how=source type=deb-src; shift ;;
esac
suite=$1 architecture=$2 directory=$3
shift 3
[ "$(cat "$directory/complete" 2>/dev/null)" != "$*" ] || exit 0
keys=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=http://deb.debian.org/debian
components=main
case $suite in
jammy | noble | questing | resolute)
    # Ubuntu's keys come from a package that Debian has signed.
    "$0" trixie "$(dpkg --print-architecture)" "$directory/keys" ubuntu-keyring
    keys=$directory/keys/root/usr/share/keyrings/ubuntu-archive-keyring.gpg
    mirror=http://archive.ubuntu.com/ubuntu
    components="main universe"
    [ "$architecture" = amd64 ] || mirror=http://ports.ubuntu.com/ubuntu-ports
    ;;
esac

apt=$directory/apt
rm -rf "$directory/root" "$directory/complete" "$apt/debs"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
: >"$apt/status"
echo "$type [arch=$architecture signed-by=$keys] $mirror $suite $components" >"$apt/sources.list"
options=(-q
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status"
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=
    -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture"
    -o Acquire::Languages=none -o APT::Update::Error-Mode=any)
apt-get "${options[@]}" update >"$apt/log" 2>&1 || { tail -n 3 "$apt/log" >&2; exit 1; }
get() {
    case $how in
    download) apt-get "${options[@]}" download "$@" ;;
    source) apt-get "${options[@]}" --download-only source "$@" ;;
    depends)
        apt-get "${options[@]}" -y --no-install-recommends --download-only install "$@" &&
            mv "$apt/cache/archives"/*.deb .
        ;;
    esac
}
(cd "$apt/debs" && get "$@") >"$apt/log" 2>&1 || { tail -n 3 "$apt/log" >&2; exit 1; }

# One tree whether or not the suite has merged /usr.
root=$directory/root
if [ $how = source ]; then
    mv "$apt/debs" "$root"
    rm -rf "$apt"
    printf '%s\n' "$*" >"$directory/complete"
    exit 0
fi
mkdir -p "$root/usr/lib" "$root/usr/lib64"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"
for package in "$apt/debs"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
        tar -x --keep-directory-symlink --no-same-owner -C "$root"
done
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
    ln -sfn "$root$(readlink "$link")" "$link"
done
(cd "$apt/debs" && printf '%s\n' *.deb) | sed 's/\.deb$//; s/%3a/:/' >"$directory/packages"
rm -rf "$apt"
printf '%s\n' "$*" >"$directory/complete"
