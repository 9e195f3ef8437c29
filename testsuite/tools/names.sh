#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A tool that uses every name of OMPT (names.c), compiled with our header and with those that
# others have installed, or that stand in the folders of $OMPD_OFFICIAL_HEADERS: the source
# is the same, and so is what it says under our hooks.
stage=${stage:?}
source=${top_srcdir:?}/testsuite/tools
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset OMP_TOOL OMP_TOOL_LIBRARIES
number=0

try() { # TEXT FOLDER
    number=$((number + 1))
    if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fPIC -shared -include stdint.h \
        -include stddef.h -I"$2" "$source/names.c" -o "$work/libnames.so" 2>"$work/error"; then
        [ "$2" = "$stage/include/ompd" ] || {
            echo "ok $number - $1 # SKIP it is older: $(grep -m1 error "$work/error" |
                sed 's/.*error: //' | tr -d '#')"
            return
        }
        echo "not ok $number - $1"
        sed 's/^/# /' "$work/error" | head -20
        return
    fi
    OMP_TOOL_LIBRARIES=$work/libnames.so timeout 30 "$stage/bin/ompd-run" "$work/program" \
        >"$work/said" 2>&1
    if grep -q '^names: 2[0-9][0-9] values, 1[0-9][0-9] types, 0 callbacks are unknown$' \
        "$work/said" && grep -q '^names: over$' "$work/said"; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        sed 's/^/# /' "$work/said"
    fi
}

printf 'int main(void)\n{\n#pragma omp parallel\n    ;\n    return 0;\n}\n' >"$work/program.c"
${CC:-cc} -fopenmp "$work/program.c" -o "$work/program" || exit 1
try "every name, with our header" "$stage/include/ompd"
for header in $(realpath -e /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h \
    /usr/lib/clang/*/include/omp-tools.h 2>/dev/null | sort -u); do
    # Only the one file: the compiler's own headers beside it are another's.
    mkdir -p "$work/llvm"
    cp "$header" "$work/llvm/omp-tools.h"
    try "with $header" "$work/llvm"
done
for folder in $OMPD_OFFICIAL_HEADERS; do
    try "with $folder/omp-tools.h" "$folder"
done
echo "1..$number"
