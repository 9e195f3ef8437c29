#!/bin/sh
# SPDX-License-Identifier: MIT
#
# That the Python sources name nothing that is not there, and import nothing that they do not
# use: gdb finds the former only when it comes to the line.
top=${top_srcdir:?}
. "$top/testsuite/common/tap.sh"

if ! command -v pyflakes3 >/dev/null; then
    skip_all "pyflakes3 is not installed"
fi

# What __init__.py imports is for others.
names() { # DIRECTORY...
    find "$@" -name '*.py' ! -name __init__.py -exec pyflakes3 {} + 2>&1
}

report "names of the Python packages" "$(names "$top/openmp_inspect" "$top/ompd" "$top/gdb-plugin" \
    "$top/lldb-plugin")"
mkdir "$scratch/wrong"
echo 'print(no_such_name)' >"$scratch/wrong/one.py"
like "what is wrong is found" "$(names "$scratch/wrong")" "*undefined name 'no_such_name'*"
finish
