#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints what the shell, gdb and lldb have to be told of this directory, which may be moved first. Byte code
# for each Python that is here, by which commands start fast, is all that it writes.
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1
packages=$here/share/ompd/python
written=
for python in /usr/bin/python3 /usr/bin/python3.? /usr/bin/python3.?? python3; do
    command -v "$python" >/dev/null && "$python" -IS \
        "$packages/openmp_inspect/gen-code-archive.py" "$packages" "$here/share/ompd/gdb" 2>/dev/null &&
        written=yes
done
[ -n "$written" ] || echo "install.sh: no byte code was written: this needs Python 3.8, and the right to \
write here; commands start slower without" >&2
printf "export PATH='%s/bin':\"\$PATH\"   # in ~/.profile\n" "$here"
printf 'source %s/share/ompd/gdb/ompd-gdb.py   # in ~/.gdbinit\n' "$here"
printf 'command script import "%s/share/ompd/lldb/ompd_lldb.py"   # in ~/.lldbinit\n' "$here"
