#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check-recipes.sh RELEASE
#
# Has Debian's rpmbuild and makepkg make packages by ompd-linux.spec and PKGBUILD of what ./bootstrap release has
# left in RELEASE, and the words of the Dockerfile and of Apptainer's definition done as their engines would, each
# in a bare root of Debian 12: recipes-tried.sh.
set -uo pipefail
: "${top_srcdir:?}" "${cache:?}"
. "$top_srcdir/testsuite/platforms/roots.sh"
release=$(realpath "$1")
packaging=$top_srcdir/packaging
why=$(why_no_root)
[ -n "$why" ] || [ -e "$release/SHA256SUMS" ] || why="./bootstrap release comes first"
[ -z "$why" ] || { echo "1..0 # SKIP $why"; exit 0; }
mkdir -p "$cache"
make_root bookworm "$cache/bookworm.bare" "$cache/root.log" || { tail -n 1 "$cache/root.log"; exit 1; }

take() { # ROOT ARCHIVE: unpacks what lies beside the recipe
    tar -x -C "$1/opt" -f "$release/$2"
}

# Each line of a Dockerfile but FROM, LABEL and CMD: ROOT FILE.
docker_build() {
    local word rest
    while read -r word rest; do
        case $word in
        ADD) take "$1" "${rest%% *}" ;;
        RUN) in_root "$1" sh -c "$rest" </dev/null ;;
        ENV) echo "export $rest" >>"$1/environment" ;;
        esac || return
    done < <(sed -e ':again' -e '/\\$/{N;s/\\\n//;b again' -e '}' "$2")
}

section() { sed -n "/^%$2/,/^%/{/^%/d;p}" "$1"; } # FILE NAME
apptainer_build() { # ROOT FILE
    local file place
    while read -r file place; do
        [ -z "$file" ] || cp "$release/$file" "$1$place" || return
    done < <(section "$2" files)
    section "$2" environment >"$1/environment"
    in_root "$1" sh -e -c "$(section "$2" post)" </dev/null
}

status=0
for what in rpm arch docker apptainer; do
    root=$cache/recipe-$what log=$cache/recipe-$what.log
    rm -rf "$root"
    cp -a "$cache/bookworm.bare" "$root"
    mkdir "$root/src"
    cp "$release"/ompd-linux-*.[0-9].tar.xz "$packaging/arch/PKGBUILD" \
        "$top_srcdir"/testsuite/platforms/{recipes-tried,tried}.sh "$root/src"
    {
        case $what in
        docker) docker_build "$root" "$packaging/container/Dockerfile" ;;
        apptainer) apptainer_build "$root" "$packaging/container/ompd.def" ;;
        esac && in_root "$root" bash /src/recipes-tried.sh $what
    } >"$log" 2>&1 || status=1
    printf '%-9s %s (%s)\n' $what "$(tail -n 1 "$log")" "$log"
done
exit $status
