#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A tool that uses every name of OMPT (names.c), compiled with our header and with those that
# others have installed, or that stand in the folders of $OMPD_OFFICIAL_HEADERS: the source
# is the same, and so is what it says under our hooks.
. "$top_srcdir/testsuite/common/tap.sh"
source=${top_srcdir:?}/testsuite/tools

try() { # TEXT FOLDER
    if ! ${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fPIC -shared -include stdint.h \
        -include stddef.h -I"$2" "$source/names.c" -o "$scratch/libnames.so" 2>"$scratch/error"; then
        [ "$2" = "$stage/include/ompd" ] || {
            skip "$1" "it is older: $(grep -m1 error error | sed 's/.*error: //' | tr -d '#')"
            return
        }
        report "$1" "$(head -20 error)."
        return
    fi
    OMP_TOOL_LIBRARIES=$scratch/libnames.so timeout 30 "$stage/bin/ompd-run" "$scratch/program" \
        >"$scratch/said" 2>&1
    if grep -q '^names: 2[0-9][0-9] values, 1[0-9][0-9] types, 0 callbacks are unknown$' \
        "$scratch/said" && grep -q '^names: over$' "$scratch/said"; then
        result ok "$1"
    else
        report "$1" "$(cat said)."
    fi
}

printf 'int main(void)\n{\n#pragma omp parallel\n    ;\n    return 0;\n}\n' >"$scratch/program.c"
${CC:-cc} -fopenmp "$scratch/program.c" -o "$scratch/program" || exit 1
try "every name, with our header" "$stage/include/ompd"
for header in $(realpath -e /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h \
    /usr/lib/clang/*/include/omp-tools.h 2>/dev/null | sort -u); do
    # Only the one file: the compiler's own headers beside it are another's.
    mkdir -p "$scratch/llvm"
    cp "$header" "$scratch/llvm/omp-tools.h"
    try "with $header" "$scratch/llvm"
done
for folder in $OMPD_OFFICIAL_HEADERS; do
    try "with $folder/omp-tools.h" "$folder"
done
finish
