#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How sources are laid out: C as clang-format 14 has it by .clang-format, but for the tables of ompd-ext.h and
# programs that tests debug, whose lines count; Python no wider than .editorconfig says.
. "${top_srcdir:?}/testsuite/common/tap.sh"
cd "$top_srcdir" || exit 1
folders="libompd runtime-hooks testsuite/unit testsuite/host testsuite/fuzz testsuite/common"
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" = 14 ]; then
    report "C" "$(find $folders -name '*.[ch]' ! -name ompd-ext.h -exec clang-format --dry-run {} + 2>&1 |
        grep ': warning: ' | cut -d' ' -f1)"
else
    skip "C" "clang-format is ${version:-not installed}, and not 14, which lays out otherwise"
fi
widest=$(sed -n '/\*\.py/,/max_line/s/max_line_length = //p' .editorconfig)
report "Python: at most $widest columns" "$(find gdb-plugin lldb-plugin ompd openmp_inspect \
    -name '*.py' -exec awk -v widest="$widest" 'length($0) > widest { print FILENAME ":" FNR }' {} +)"
finish
