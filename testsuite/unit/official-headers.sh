#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Our omp-tools.h and ompd-types.h against copies that others have installed: the same
# source, compiled with each, prints every value, size, offset and signature that the two
# must have in common. Other copies are looked for where compilers keep theirs, and in
# $OMPD_OFFICIAL_HEADERS, a list of directories separated by blanks.
top=${top_srcdir:?}
stage=${stage:?}
cc=${CC:-cc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

list() { # NAME COMPILER-FLAGS...
    name=$1
    shift
    $cc -std=gnu11 "$@" -o "$work/$name" "$top/testsuite/unit/official-headers.c" \
        2>"$work/$name.err" && "$work/$name" >"$work/$name.txt"
}

others=
for header in $(realpath -e /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h \
    /usr/lib/clang/*/include/omp-tools.h /usr/lib/gcc/*/*/include/omp-tools.h 2>/dev/null | sort -u); do
    grep -q ompd_rc_t "$header" && others="$others $(dirname "$header")"
done
for folder in $OMPD_OFFICIAL_HEADERS; do
    others="$others $folder"
done

number=0
report() { # NAME FILE-WITH-PROBLEM
    number=$((number + 1))
    if [ -s "$2" ]; then
        echo "not ok $number - $1"
        sed 's/^/# /' "$2" | head -40
    else
        echo "ok $number - $1"
    fi
}

if ! list ours -I"$stage/include/ompd" -DOURS; then
    report "our headers compile" "$work/ours.err"
    echo "1..$number"
    exit
fi
report "our headers compile" /dev/null
# As C++, by their public names, and after one another.
cat >"$work/cxx.cc" <<'END'
#include <ompd/ompd-types.h>
#include <ompd/omp-tools.h>
#include <ompd/ompd-ext.h>
ompd_rc_t ask(ompd_word_t *version) { return ompd_ext_get_version(version); }
END
${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$stage/include" \
    "$work/cxx.cc" 2>"$work/cxx.err" && : >"$work/cxx.err"
report "our headers are C++ as well" "$work/cxx.err"

# What the two know of OMPT: enumerators and sizes as numbers; pointers to functions by being
# declared once more after theirs.
compare_ompt() { # FOLDER
    ompt="$stage/include/ompd/omp-tools-ompt.h"
    records="$stage/include/ompd/omp-tools-records.h"
    {
        echo '#include <stdio.h>'
        echo '#include <stddef.h>'
        echo '#include <stdint.h>'
        echo '#include HEADER'
        printf '%s\n' '#define VALUE(name) printf("%s %lld\n", #name, (long long)(name));'
        printf '%s\n' '#define SIZE(type) printf("%s %d\n", #type, (int)sizeof(type));'
        echo 'int main(void) {'
        awk '/^ +ompt_[a-z_0-9]+ = /{ print $1 }' "$ompt" | while read -r name; do
            grep -qw "$name" "$1/omp-tools.h" &&
                echo "VALUE($name)"
        done
        cat "$ompt" "$records" | awk '/^} ompt_[a-z_0-9]+;/{ sub(/;/, "", $2); print $2 }' |
            while read -r name; do
                grep -qw "$name" "$1/omp-tools.h" &&
                    echo "SIZE($name)"
            done
        echo 'return 0; }'
    } >"$work/ompt.c"
    : >"$work/difference"
    $cc -std=gnu11 -w -I"$stage/include" -DHEADER='<ompd/omp-tools.h>' "$work/ompt.c" \
        -o "$work/ompt" 2>>"$work/difference" && "$work/ompt" >"$work/a"
    $cc -std=gnu11 -w -DHEADER="\"$1/omp-tools.h\"" "$work/ompt.c" -o "$work/ompt" \
        2>>"$work/difference" && "$work/ompt" >"$work/b"
    diff "$work/a" "$work/b" >>"$work/difference"
    [ "$(wc -l <"$work/a")" -gt 150 ] || echo "fewer than 150 facts" >>"$work/difference"
    report "$1: values and sizes of OMPT" "$work/difference"

    {
        echo "#include \"$1/omp-tools.h\""
        awk '/^typedef .*\(\*ompt_/ { on = 1; text = "" }
            on { text = text " " $0 }
            on && /;/ { on = 0; print text }' "$ompt" | while read -r line; do
            name=$(printf '%s\n' "$line" | sed 's/.*(\*\(ompt_[a-z_0-9]*\)).*/\1/')
            grep -qw "$name" "$1/omp-tools.h" && printf '%s\n' "$line"
        done
    } >"$work/both.c"
    : >"$work/difference"
    [ "$(wc -l <"$work/both.c")" -gt 60 ] || echo "too few signatures" >>"$work/difference"
    $cc -std=gnu11 -Werror -w -fsyntax-only -include stdint.h -include stddef.h \
        "$work/both.c" >>"$work/difference" 2>&1
    report "$1: signatures of OMPT" "$work/difference"
}

if [ -z "$others" ]; then
    number=$((number + 1))
    echo "ok $number - official headers # SKIP no other omp-tools.h with OMPD is installed" \
        "(Debian: libomp-dev)"
fi
for folder in $others; do
    # Its compiler may be another one; GCC takes the header by its full path.
    newer=
    grep -q ompd_rc_callback_error "$folder/omp-tools.h" &&
        grep -q ompt_state_wait_barrier_teams "$folder/omp-tools.h" && newer=-DHAVE_5_1
    grep -q ompd_rc_incompatible_handle "$folder/omp-tools.h" && newer="$newer -DHAVE_6_0"
    if ! list other $newer -DTOOLS="\"$folder/omp-tools.h\""; then
        number=$((number + 1))
        echo "ok $number - $folder # SKIP it does not compile here:" \
            "$(grep -m1 error "$work/other.err" | tr '#' ' ')"
        continue
    fi
    # What an older copy does not know is no difference.
    sort "$work/ours.txt" >"$work/a"
    sort "$work/other.txt" >"$work/b"
    comm -13 "$work/a" "$work/b" | sed 's/^/theirs: /' >"$work/difference"
    [ "$(wc -l <"$work/b")" -gt 60 ] || echo "fewer than 60 facts" >>"$work/difference"
    report "$folder: values, sizes and offsets" "$work/difference"
    # Theirs, and then our declarations once more: the compiler takes a second declaration
    # only when it is of the same type.
    {
        echo "#include \"$folder/omp-tools.h\""
        awk '/^(ompd_rc_t( ompd_|$)|typedef ompd_rc_t)/ { on = 1 }
            on { line = $0; sub(/;.*/, ";", line); print line }
            /;/ { on = 0 }' "$stage/include/ompd/omp-tools-ompd.h"
    } >"$work/both.c"
    [ "$(grep -c '^ompd_rc_t\|^typedef' "$work/both.c")" -ge 45 ] ||
        echo "our declarations were not found" >"$work/both.err"
    $cc -std=gnu11 -Wall -Werror -fsyntax-only -include stdint.h -include stddef.h \
        "$work/both.c" >"$work/both.out" 2>&1 || cat "$work/both.out" >>"$work/both.err"
    [ -f "$work/both.err" ] || : >"$work/both.err"
    report "$folder: signatures of routines and callbacks" "$work/both.err"
    rm -f "$work/both.err"
    compare_ompt "$folder"
done
echo "1..$number"
