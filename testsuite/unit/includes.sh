#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The layers of libompd and of the hooks, held by their #include lines: each may include
# itself and those below it. In libompd the core knows no interface, and the two interfaces
# do not know each other; in the hooks neither do wrappers and consumers.
top=${top_srcdir:?}
. "$top_srcdir/testsuite/common/tap.sh"

part=libompd
# allowed LAYER PATTERN: files of that layer of $part include only what matches.
allowed() {
    files=$(find "$top/$part" -path "$top/$part/$1*" -type f \( -name '*.[ch]' -o -name '*.def' \))
    bad=$(printf '%s\n' "$files" | xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
        sed "s|$top/||" | grep -vE "\"($2)\"")
    [ -n "$files" ] || bad="no such layer"
    report "$part/$1" "$bad"
}

core='libompd/core\.h|libompd/array\.h'
tables='libompd/tables/[a-z]*\.def'
target='libompd/target/[a-z-]*\.h'
runtime='libompd/runtime/[a-z-]*\.h|runtime-hooks/records/layout\.h|runtime-hooks/records/records\.def|libompd/runtime/gomp-fields\.def|libompd/runtime/gomp-layouts/gcc-[0-9]*\.def|libompd/runtime/kmp-fields\.def|libompd/runtime/kmp-layouts/[a-z0-9-]*\.def'
handle='libompd/handle/[a-z-]*\.h'

allowed core.h "$tables"
allowed array "$core"
allowed tables/ "none"
allowed target/ "$core|$target"
allowed runtime/ "$core|$tables|$target|$runtime"
allowed handle/ "$core|$tables|$target|libompd/runtime/reader\\.h|$handle"
allowed abi-2/ "config\\.h|$core|$tables|$handle|libompd/abi-2/[a-z-]*\\.h"
abi5='libompd/abi-5/[a-z0-9-]*\.h|omp[a-z-]*\.h'
survey='libompd/survey/[a-z]*\.h'
allowed survey/ "$core|$handle|libompd/runtime/reader\\.h|$survey"
why='libompd/why/[a-z]*\.(h|def)'
allowed why/ "$core|$why"
allowed abi-5/ "config\\.h|$core|$tables|$handle|$abi5"
allowed ext/ "$core|$handle|$survey|$why|$abi5|libompd/ext/[a-z-]*\\.h"

part=runtime-hooks
core='functions\.def|core/[a-z-]*\.h'
records='records/[a-z-]*\.(h|def)|layout\.h|records\.def'
state='omp-ompd\.h|state/[a-z-]*\.(h|def)'
allowed core/ "$core"
allowed records/ "$core|$records"
allowed state/ "$core|$records|$state"
allowed wrappers/ "$core|$records|$state|wrappers/[a-z-]*\.h"
allowed ompt-source/ "$core|$records|$state|ompt-source/[a-z-]*\.(h|def)|omp-tools-[a-z]*\.h"
consumers='consumers/[a-z0-9_/-]*\.(h|def)|ompt-[a-z]*\.h|omp-tools-[a-z]*\.h'
allowed consumers/ "config\.h|$core|$records|$state|$consumers"
allowed loader/ "$core|$records|$state|$consumers|loader/[a-z-]*\.h"
allowed run/ "loader/mark\\.h|run/[a-z-]*\\.h"

# What is not quoted is the C library's; the headers that allocate or print stay out. What
# stands in tools/ is no part of the library.
bad=$(find "$top/libompd" -name '*.[ch]' ! -path '*/tools/*' | xargs grep -nE '#[[:space:]]*include[[:space:]]*<' |
    grep -vE '<(stdalign|stdbool|stddef|stdint|limits|string)\.h>' | sed "s|$top/||")
report "headers of the C library" "$bad"
finish
