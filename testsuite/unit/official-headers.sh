#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Our omp-tools.h and ompd-types.h against copies that others have installed: a source that is
# made of ours, compiled with each, prints every value, size, offset and signature of which
# theirs has the name, too. Other copies are looked for where compilers keep theirs, and in
# $OMPD_OFFICIAL_HEADERS, a list of directories separated by blanks.
top=${top_srcdir:?}
. "$top_srcdir/testsuite/common/tap.sh"
cc=${CC:-cc}

# What a header says, a fact a line: enumerators, sizes of types, offsets of members. Statements end
# with a semicolon; a structure has several.
facts='
!/^(#|extern|[}]$)/ { text = text " " $0 }
END {
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
    statements = split(text, statement, ";")
    for (i = 1; i <= statements; i++) {
        depth += gsub(/[{]/, " { ", statement[i]) - gsub(/[}]/, " } ", statement[i])
        words = split(statement[i], word, /[ ,*]+/)
        name = word[words]
        for (w = 1; w < words; w++)
            if (word[w + 1] == "=")
                print "VALUE(" word[w] ")"
        if (statement[i] ~ /[(]/)
            continue
        if (depth == 1 && name ~ /^[a-z_]+$/ && statement[i] !~ /[}]/)
            member[++members] = name
        else if (statement[i] ~ /^ *typedef (u?int64_t|enum)/)
            print "SIZE(" name ")"
        else if (depth == 0 && statement[i] ~ /[}]/) {
            print "STRUCT(" name ")"
            for (m = 1; m <= members; m++)
                print "MEMBER(" name ", " member[m] ")"
        }
        if (depth == 0)
            members = 0
    }
}'

# compare TEXT LEAST FOLDER HEADER...: at least so many facts of our headers are those of theirs.
compare() {
    text=$1 least=$2 theirs=$3/omp-tools.h
    shift 3
    {
        cat <<'END'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include HEADER
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name));
#define SIZE(type) printf("%s size_%zu signed_%d\n", #type, sizeof(type), (type)-1 < (type)1);
#define STRUCT(type) printf("%s size_%zu\n", #type, sizeof(type));
#define MEMBER(type, member) \
    printf("%s.%s offset_%zu size_%zu\n", #type, #member, offsetof(type, member), \
           sizeof(((type *)0)->member));
int main(void)
{
END
        {
            echo 'VALUE(ompd_segment_none)'
            for header in "$@"; do
                awk "$facts" "$stage/include/ompd/$header"
            done
        } | while read -r fact; do
            name=${fact#*(} member=${fact##* }
            grep -qw "${name%%[,)]*}" "$theirs" || continue
            case $fact in
            MEMBER"("ompt_*) # some were renamed
                grep -qw "${member%?}" "$theirs" || continue ;;
            esac
            echo "$fact"
        done
        echo 'return 0; }'
    } >"$scratch/facts.c"
    : >"$scratch/difference"
    for side in ours theirs; do
        header=$theirs
        [ $side = theirs ] || header=$stage/include/ompd/omp-tools.h
        $cc -std=gnu11 -w -DHEADER="\"$header\"" "$scratch/facts.c" -o "$scratch/facts" \
            2>>"$scratch/difference" && "$scratch/facts" >"$scratch/$side"
    done
    diff "$scratch/ours" "$scratch/theirs" >>"$scratch/difference"
    [ "$(wc -l <"$scratch/ours")" -gt "$least" ] ||
        echo "no more than $least facts" >>"$scratch/difference"
    reports "$text" "$scratch/difference"
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

echo '#include "ompd-types.h"' >"$scratch/ours.c"
$cc -std=gnu11 -fsyntax-only -I"$stage/include/ompd" "$scratch/ours.c" 2>"$scratch/ours.err"
reports "our headers compile" "$scratch/ours.err"
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

# Pointers to functions of OMPT by being declared once more after theirs.
signatures_of_ompt() { # FOLDER
    ompt="$stage/include/ompd/omp-tools-ompt.h"
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
    if ! $cc -std=gnu11 -w -fsyntax-only -include stdint.h -include stddef.h "$folder/omp-tools.h" \
        2>"$scratch/other.err"; then
        skip "$folder" "it does not compile here: $(grep -m1 error other.err | tr '#' ' ')"
        continue
    fi
    compare "$folder: values, sizes and offsets" 60 "$folder" omp-tools-ompd.h omp-tools-states.h
    compare "$folder: values, sizes and offsets of OMPT" 150 "$folder" omp-tools-ompt.h \
        omp-tools-records.h
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
    signatures_of_ompt "$folder"
done
finish
