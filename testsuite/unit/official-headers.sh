#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Our omp-tools.h and ompd-types.h against copies that others have installed: the same
# source, compiled with each, prints every value, size, offset and signature that the two
# must have in common. Other copies are looked for where compilers keep theirs, and in
# $OMPD_OFFICIAL_HEADERS, a list of directories separated by blanks.
top=${top_srcdir:?}
. "$top_srcdir/testsuite/common/tap.sh"
cc=${CC:-cc}

list() { # NAME COMPILER-FLAGS...
    name=$1
    shift
    $cc -std=gnu11 "$@" -o "$scratch/$name" "$top/testsuite/unit/official-headers.c" \
        2>"$scratch/$name.err" && "$scratch/$name" >"$scratch/$name.txt"
}

others=
for header in $(realpath -e /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h \
    /usr/lib/clang/*/include/omp-tools.h /usr/lib/gcc/*/*/include/omp-tools.h 2>/dev/null | sort -u); do
    grep -q ompd_rc_t "$header" && others="$others $(dirname "$header")"
done
for folder in $OMPD_OFFICIAL_HEADERS; do
    others="$others $folder"
done

reports() { # NAME FILE-WITH-PROBLEM
    report "$1" "$(head -40 "$2")"
}

if ! list ours -I"$stage/include/ompd" -DOURS; then
    reports "our headers compile" "$scratch/ours.err"
    finish
fi
reports "our headers compile" /dev/null
# As C++, by their public names, and after one another.
cat >"$scratch/cxx.cc" <<'END'
#include <ompd/ompd-types.h>
#include <ompd/omp-tools.h>
#include <ompd/ompd-ext.h>
ompd_rc_t ask(ompd_word_t *version) { return ompd_ext_get_version(version); }
END
${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$stage/include" \
    "$scratch/cxx.cc" 2>"$scratch/cxx.err" && : >"$scratch/cxx.err"
reports "our headers are C++ as well" "$scratch/cxx.err"

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
    } >"$scratch/ompt.c"
    : >"$scratch/difference"
    $cc -std=gnu11 -w -I"$stage/include" -DHEADER='<ompd/omp-tools.h>' "$scratch/ompt.c" \
        -o "$scratch/ompt" 2>>"$scratch/difference" && "$scratch/ompt" >"$scratch/a"
    $cc -std=gnu11 -w -DHEADER="\"$1/omp-tools.h\"" "$scratch/ompt.c" -o "$scratch/ompt" \
        2>>"$scratch/difference" && "$scratch/ompt" >"$scratch/b"
    diff "$scratch/a" "$scratch/b" >>"$scratch/difference"
    [ "$(wc -l <"$scratch/a")" -gt 150 ] || echo "fewer than 150 facts" >>"$scratch/difference"
    reports "$1: values and sizes of OMPT" "$scratch/difference"

    {
        echo "#include \"$1/omp-tools.h\""
        awk '/^typedef .*\(\*ompt_/ { on = 1; text = "" }
            on { text = text " " $0 }
            on && /;/ { on = 0; print text }' "$ompt" | while read -r line; do
            name=$(printf '%s\n' "$line" | sed 's/.*(\*\(ompt_[a-z_0-9]*\)).*/\1/')
            grep -qw "$name" "$1/omp-tools.h" && printf '%s\n' "$line"
        done
    } >"$scratch/both.c"
    : >"$scratch/difference"
    [ "$(wc -l <"$scratch/both.c")" -gt 60 ] || echo "too few signatures" >>"$scratch/difference"
    $cc -std=gnu11 -Werror -w -fsyntax-only -include stdint.h -include stddef.h \
        "$scratch/both.c" >>"$scratch/difference" 2>&1
    reports "$1: signatures of OMPT" "$scratch/difference"
}

if [ -z "$others" ]; then
    skip "official headers" \
        "no other omp-tools.h with OMPD is installed (Debian: libomp-dev)"
fi
for folder in $others; do
    # Its compiler may be another one; GCC takes the header by its full path.
    newer=
    grep -q ompd_rc_callback_error "$folder/omp-tools.h" &&
        grep -q ompt_state_wait_barrier_teams "$folder/omp-tools.h" && newer=-DHAVE_5_1
    grep -q ompd_rc_incompatible_handle "$folder/omp-tools.h" && newer="$newer -DHAVE_6_0"
    if ! list other $newer -DTOOLS="\"$folder/omp-tools.h\""; then
        skip "$folder" "it does not compile here: $(grep -m1 error other.err | tr '#' ' ')"
        continue
    fi
    # What an older copy does not know is no difference.
    sort "$scratch/ours.txt" >"$scratch/a"
    sort "$scratch/other.txt" >"$scratch/b"
    comm -13 "$scratch/a" "$scratch/b" | sed 's/^/theirs: /' >"$scratch/difference"
    [ "$(wc -l <"$scratch/b")" -gt 60 ] || echo "fewer than 60 facts" >>"$scratch/difference"
    reports "$folder: values, sizes and offsets" "$scratch/difference"
    # Theirs, and then our declarations once more: the compiler takes a second declaration
    # only when it is of the same type.
    {
        echo "#include \"$folder/omp-tools.h\""
        awk '/^(ompd_rc_t( ompd_|$)|typedef ompd_rc_t)/ { on = 1 }
            on { line = $0; sub(/;.*/, ";", line); print line }
            /;/ { on = 0 }' "$stage/include/ompd/omp-tools-ompd.h"
    } >"$scratch/both.c"
    [ "$(grep -c '^ompd_rc_t\|^typedef' "$scratch/both.c")" -ge 45 ] ||
        echo "our declarations were not found" >"$scratch/both.err"
    $cc -std=gnu11 -Wall -Werror -fsyntax-only -include stdint.h -include stddef.h \
        "$scratch/both.c" >"$scratch/both.out" 2>&1 || cat "$scratch/both.out" >>"$scratch/both.err"
    [ -f "$scratch/both.err" ] || : >"$scratch/both.err"
    reports "$folder: signatures of routines and callbacks" "$scratch/both.err"
    rm -f "$scratch/both.err"
    compare_ompt "$folder"
done
finish
