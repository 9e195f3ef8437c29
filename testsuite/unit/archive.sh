#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The archive of a release and the command as one file, made of what is staged: two makes give the same bytes,
# each works where it is put, and nothing compiled needs a C library younger than packaging/archive.md says.
. "${top_srcdir:?}/testsuite/common/tap.sh"
for tool in xz objdump; do
    command -v "$tool" >/dev/null || skip_all "there is no $tool"
done
export SOURCE_DATE_EPOCH=1000000000 XZ_OPT=-0 PYTHON

# Of functions that moved into libc.so.6 an older one has an older version, in another library; what is
# weak may be missing.
floor=$(sed -n 's/.*glibc \([0-9.]*\) or later.*/\1/p' "$top_srcdir/packaging/archive.md")
moved='dl(open|sym|info|addr1?|error|close)|pthread_(create|detach|key_create|setspecific|sigmask)|stat|__isoc23_[a-z]*|__libc_start_main'
for file in libompd.so libompd-2.so libompd-hooks.so 32/libompd-hooks.so ../bin/ompd-run; do
    [ -e "$stage/lib/$file" ] || continue
    report "$file: no symbol from after glibc $floor" "$(objdump -T "$stage/lib/$file" |
        awk -v floor="${floor#2.}" -v moved="^($moved)\$" '
            /\*UND\*/ && $2 != "w" && match($0, /GLIBC_2\.[0-9]+/) &&
            substr($0, RSTART + 8, RLENGTH - 8) + 0 > floor && $NF !~ moved')"
done

mkdir other
cp -r "$stage" other/tree
find other -exec touch -d @1 {} +
report "it is made" "$("$top_srcdir/packaging/pack.sh" "$stage" x86_64 one 2>&1)"
(umask 077 && "$top_srcdir/packaging/pack.sh" other/tree x86_64 two)
report "the same tree gives the same bytes" "$(diff -r one two 2>&1)"
report "the sums are right" "$(cd one && sha256sum -c --quiet SHA256SUMS 2>&1)"

mkdir "a place"
tar -x -C "a place" -f one/*.tar.xz
here=$(echo "$scratch/a place"/*)
same "install.sh" "$("$here/install.sh" 2>&1)" "export PATH='$here/bin':\"\$PATH\"   # in ~/.profile
source $here/share/ompd/gdb/ompd-gdb.py   # in ~/.gdbinit
command script import \"$here/share/ompd/lldb/ompd_lldb.py\"   # in ~/.lldbinit"
report "it has written byte code" "$(ls "$here"/share/ompd/python/code.* "$here"/share/ompd/gdb/code.* 2>&1 >/dev/null)"
same "the line for gdb" "$($GDB -nx -batch -ex "source $here/share/ompd/gdb/ompd-gdb.py" \
    -ex 'help ompd why' 2>&1 | head -n 1)" "$($GDB -nx -batch \
    -ex "source $stage/share/ompd/gdb/ompd-gdb.py" -ex 'help ompd why' 2>&1 | head -n 1)"
like "an old gdb" "$($GDB -nx -batch -ex 'python gdb.VERSION = "Fedora 8.2-1"' \
    -ex "source $here/share/ompd/gdb/ompd-gdb.py" -ex 'help ompd' 2>&1)" \
    "The commands for OpenMP need gdb 10.1 or later, *; this is gdb Fedora 8.2-1, with Python 3.*
Undefined*"

# As a process of the shell's: waits until both threads sleep.
cp "$top_srcdir/examples/transfer.c" .
$CC -g -fopenmp transfer.c -o transfer || exit 1
"$here/bin/ompd-run" ./transfer hang &
pid=$!
trap 'kill -9 $pid; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do
    sleep 0.1
    [ "$(cut -d' ' -f3 /proc/$pid/task/*/stat | tr -d '\n')" != SS ] || break
done
answer='*deadlock: 2 threads hold what the other waits for*certain*'
like "the directory: why" "$("$here/bin/ompd" why $pid 2>&1)" "$answer"
mkdir "$here/lib/elfutils"
echo none >"$here/lib/elfutils/libdw.so.1"
like "a libdw beside it, which is none: the system's" "$(OMPD_DEBUG=1 "$here/bin/ompd" why $pid 2>&1)" \
    "*elfutils/libdw.so.1*$answer"
export XDG_CACHE_HOME=$scratch/cache

# What README has people type who have no root, where another machine is a directory.
mkdir hour hour/bin hour/node
cp one/* hour
echo 'cp "$1" node/' >hour/bin/scp
echo 'cd "$1" && shift && exec sh -c "$*"' >hour/bin/ssh
chmod +x hour/bin/*
lines=$(sed -n '/^\*\*No root/,/^\*\*Another/s/^    //p' "$top_srcdir/README.md")
lines=${lines//uname -m/echo x86_64}
like "README: no root" "$(cd hour && PATH=$PWD/bin:$PATH sh -c "${lines/PID/$pid}" 2>&1)" \
    "export PATH='$scratch/hour/ompd-linux-*$answer"
rm -r cache
like "one file: why" "$(one/ompd why $pid 2>&1)" "$answer"
same "one file: one directory, for the user alone" "$(stat -c '%a %n' cache/ompd cache/ompd/*)" \
    "700 cache/ompd
700 $(echo cache/ompd/*)"
before=$(find cache -printf '%p %T@\n')
like "one file, once more" "$(one/ompd why $pid 2>&1)" "$answer"
same "it was not unpacked again" "$(find cache -printf '%p %T@\n')" "$before"
same "one file: ompd run" "$(one/ompd run ./transfer 2>&1; echo $?)" "$(./transfer; echo $?)"

# Which directories may have programs that this user will run.
private() { # DIRECTORY
    "$PYTHON" - "$top_srcdir/packaging/one_file_main.py" "$1" <<'END'
import sys
with open(sys.argv[1]) as stream:
    exec(stream.read().rsplit("main()", 1)[0])
print(is_private(sys.argv[2]))
END
}
real=$(readlink -f .)
mkdir -m 700 -p "open/below" "own"
same "the user's own" "$(private "$real/own")" True
for mode in 757 775; do
    chmod $mode open
    same "below one that others may write to, $mode" "$(private "$real/open/below")" False
done
chmod 1777 open
same "unless they may not rename what is there" "$(private "$real/open/below")" True
ln -s own link
same "a link" "$(private "$real/link")" False

# A Python that is too old says so, and a newer one that is there is taken; the test has no old one.
sed 's/(3, 8)/(4, 0)/; s|/usr/bin/python3\.|/nowhere/python3.|' "$here/bin/ompd" >"$here/bin/old"
like "an old Python" "$("$PYTHON" -IS "$here/bin/old" 2>&1)" "ompd: it needs Python 3.8 or later, and this is 3.*"
finish
