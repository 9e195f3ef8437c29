#!/bin/bash
# SPDX-License-Identifier: MIT
#
# bootstrap says where no tree can be built or installed, and a copy of a build tree is built in
# its own place. configure and make are stand-ins, and nothing is installed.
. "${top_srcdir:?}/testsuite/common/tap.sh"

mkdir bin
printf '#!/bin/sh\necho installed\n' >bin/dpkg-query
printf '#!/bin/sh\necho "$@" >>%s/made\n' "$scratch" >bin/make
chmod +x bin/*
PATH=$scratch/bin:$PATH
unset BUILDDIR # which may be that of these tests

checkout() { # DIRECTORY
    mkdir -p "$1"
    touch "$1/configure.ac" "$1/Makefile.am" "$1/Makefile.in"
    cp "$top_srcdir/bootstrap" "$1"
    cat >"$1/configure" <<'END'
#!/bin/sh
echo "abs_top_builddir = $PWD" >Makefile
printf '#!/bin/sh\n' >config.status
chmod +x config.status
END
    chmod +x "$1/configure"
}

plain=$scratch/plain
checkout "$plain"
for odd in "a tree" a:tree; do
    path=$scratch/$odd
    checkout "$path"
    same "$odd: a sentence, and no more" "$("$path/bootstrap" build 2>&1; echo $?)" \
        "bootstrap: automake takes no path with a blank or a colon, as \"$path\" is
1"
    like "$odd: no build directory" "$(BUILDDIR=$path "$plain/bootstrap" build 2>&1; echo $?)" \
        "bootstrap: automake takes no path *, as \"$path\" is
1"
    like "$odd: no installation" "$("$plain/bootstrap" install "$path/i" 2>&1; echo $?)" \
        "bootstrap: libtool takes no path *, as \"$path/i\" is: install elsewhere, and move *
1"
done
report "none of these was begun" "$(ls made 2>/dev/null)"

"$plain/bootstrap" build 2>/dev/null
same "the first build" "$(cat made)" "-C $plain/build -j$(nproc) stage"
same "its place" "$(cat "$plain/build/Makefile")" "abs_top_builddir = $plain/build"
cp -a "$plain" copy
rm made
copy/bootstrap build 2>/dev/null
same "a copy has its own place" "$(cat copy/build/Makefile)" \
    "abs_top_builddir = $scratch/copy/build"
same "and is made anew" "$(cat made)" "-C $scratch/copy/build clean
-C $scratch/copy/build -j$(nproc) stage"
rm made
copy/bootstrap build 2>/dev/null
same "once" "$(cat made)" "-C $scratch/copy/build -j$(nproc) stage"
finish
