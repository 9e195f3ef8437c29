#!/bin/bash
# SPDX-License-Identifier: MIT
#
# In a bare root: installs the packages of /debs with apt, has hung programs explained, removes the
# packages, and holds that nothing is left.
set -uo pipefail
. /src/tried.sh
ours=(ompd-tools gdb-openmp lldb-openmp libompd-dev)

# Links of documents to others that lead nowhere: DIRECTORY...
broken() {
    find "$@" -name "*.md*" | while read -r page; do
        grep -o '\]([^):#]*[)#]' "$page" | sed 's/^..//;s/.$//' | while read -r target; do
            [ -e "${page%/*}/$target" ] || echo "$page: $target"
        done
    done
}

# Paths that no installed package has, but for what apt, dpkg, Python and the debuggers keep themselves.
unowned() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /src -o \
        -path /debs -o -path /root -o -path /var/lib/dpkg -o -path /var/lib/apt -o \
        -path /var/cache -o -path /var/log -o -path '/usr/lib/python3*' -o \
        -path /usr/share/gdb/python -o -path '/usr/lib/llvm-*' \) -prune -o -print |
        sort | comm -23 - <(sed 's/^\/\(lib\|bin\|sbin\|lib64\|lib32\)\//\/usr&/p' /var/lib/dpkg/info/*.list | sort -u)
}

quietly apt-get update -q || exit 1
quietly apt-get install -y -q --no-install-recommends gcc libc6-dev libomp5 ||
    quietly apt-get install -y -q --no-install-recommends gcc libc6-dev || exit 1
holds "apt installs them" quietly apt-get install -y -q --no-install-recommends /debs/*.deb
# What they depend on stays, with what it leaves in the file system.
quietly apt-get purge -y -q "${ours[@]}"
unowned >/tmp/before
quietly apt-get install -y -q --no-install-recommends /debs/*.deb
holds "README.md is there" test -s /usr/share/doc/ompd-tools/README.md
holds "links of the documents lead somewhere" ends 1 grep . <(broken "${ours[@]/#//usr/share/doc/}")
cd /tmp || exit 1
gcc -g -fopenmp /src/transfer.c -o transfer || exit 1
look() { gdb -batch "$@" -p "$pid" -ex 'ompd why' </dev/null; }
hang ./transfer
holds "gdb -p, ompd why" says '^stuck: 2 threads wait for locks' look
holds "by gdb's auto-load directory alone" says '^stuck: 2 threads wait for locks' look -nx
holds "ompd why PID" says '^stuck: 2 threads wait for locks' ompd why "$pid"
holds "its exit status" ends 12 ompd why "$pid"
kill -9 "$pid"
hang ompd-run ./transfer
holds "recorded, in gdb" says '^deadlock: 2 threads hold' look
holds "recorded, by the auto-load directory alone" \
    says '^deadlock: 2 threads hold' look -nx
holds "and not a word of auto-load is said" ends 1 grep -i auto-load /tmp/says.log
holds "recorded, in lldb" says '^deadlock: 2 threads hold' lldb -b \
    -o 'command script import /usr/share/ompd/lldb/ompd_lldb.py' -p "$pid" -o 'ompd why'
holds "recorded, ompd" says '^deadlock: 2 threads hold' ompd why "$pid"
kill -9 "$pid"
holds "ompd on before run" says 'tracking +on' gdb -batch -ex 'ompd on' \
    -ex 'break transfer.c:36' -ex run -ex 'ompd status' ./transfer
runtime=$(find /usr/lib -name libomp.so.5 -type f | head -n 1)
if [ -n "$runtime" ]; then
    gcc -g -fopenmp -c /src/transfer.c && gcc transfer.o "$runtime" -o llvm &&
        hang env LD_LIBRARY_PATH="${runtime%/*}" ./llvm
    holds "on LLVM's runtime" says '^stuck: 2 threads wait' look -nx
    kill -9 "$pid"
fi
echo '#include <omp-ompd.h>
#include <ompd/ompd-ext.h>
int main(void) { return omp_ompd_enable != 0 ? 0 : 1; }' >linked.c
plugins=$(dirname "$(dpkg -L ompd-tools | grep '/libompd\.so$')")
holds "headers, and a program linked to the hooks" quietly gcc -I/usr/include/ompd -fopenmp linked.c \
    -L"$plugins" -Wl,-rpath,"$plugins",--no-as-needed -lompd-hooks -lgomp -o linked
holds "that runs" ./linked

quietly apt-get remove -y -q "${ours[@]}"
holds "after remove, gdb starts without a word" ends 1 grep . <(gdb -batch 2>&1)
holds "dpkg purges them" quietly dpkg --purge "${ours[@]}"
unowned >/tmp/after
holds "nothing is left" diff /tmp/before /tmp/after
holds "nor by the first removal" ends 1 grep -iE 'ompd|openmp' /tmp/after
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
