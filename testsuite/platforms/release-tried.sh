#!/bin/bash
# SPDX-License-Identifier: MIT
#
# In a bare root: tries the archive of /src, and the command as one file, with Python and gdb as the suite has
# them. Programs were compiled elsewhere.
set -uo pipefail
. /src/tried.sh

quietly apt-get update -q && quietly apt-get install -y -q --no-install-recommends python3 libgomp1 || exit 1
cd /tmp && python3 -c 'import tarfile, sys; tarfile.open(sys.argv[1]).extractall()' /src/ompd-linux-*-*.tar.xz ||
    exit 1
here=$(echo /tmp/ompd-linux-*)
ompd=$here/bin/ompd run=$here/bin/ompd-run
is_recorded() { grep -q libompd-hooks "/proc/$pid/maps"; }
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))'; then
    hang /src/transfer
    holds "why, without byte code" says '^stuck: 2 threads wait for locks' "$ompd" why "$pid"
    holds "its exit status" ends 12 "$ompd" why "$pid"
    holds "install.sh prints three lines" ends 3 sh -c 'exit $("$0" 2>&1 | wc -l)' "$here/install.sh"
    holds "why, with byte code" says '^stuck: 2 threads wait for locks' "$ompd" why "$pid"
    holds "one file" says '^stuck: 2 threads wait for locks' /src/ompd why "$pid"
    kill -9 "$pid"
    hang "$run" /src/transfer
    holds "recorded" says '^deadlock: 2 threads hold' "$ompd" why "$pid"
    kill -9 "$pid"
    hang /src/ompd run /src/transfer
    holds "recorded by one file" says '^deadlock: 2 threads hold' /src/ompd why "$pid"
    kill -9 "$pid"
else
    holds "an old Python" says '^ompd: it needs Python 3.8 or later, and this is 3' "$ompd" why 1
    holds "an old Python, one file" says '^ompd: it needs Python 3.8 or later, and this is 3' /src/ompd why 1
    hang "$run" /src/transfer
    holds "recorded" is_recorded
    kill -9 "$pid"
fi
holds "a static program runs" says 'is linked statically' "$run" /src/static
holds "and so does one of 32 bits, or the kernel says why not" ends 127 "$run" /src/small
if quietly apt-get install -y -q --no-install-recommends musl; then
    holds "one of musl runs" ends 127 "$run" /src/musl
    holds "and it is said that it is not recorded" says '^ompd-run: ' "$run" /src/musl
fi

# Hooks as they are linked on a newer system: the program runs.
mkdir -p newer/bin newer/lib
cp "$run" newer/bin
cp /src/newer.so newer/lib/libompd-hooks.so
holds "newer hooks: the program's own status" ends "$(/src/transfer >/dev/null; echo $?)" \
    newer/bin/ompd-run /src/transfer

if quietly apt-get install -y -q --no-install-recommends gdb; then
    hang "$run" /src/transfer
    wanted='^deadlock: 2 threads hold'
    case $(gdb --version | sed -n '1s/.* //p') in
    [78].*) wanted='^The commands for OpenMP need gdb 10.1 or later' ;;
    esac
    holds "in gdb, by the line" says "$wanted" gdb -nx -batch \
        -ex "source $here/share/ompd/gdb/ompd-gdb.py" -p "$pid" -ex 'ompd why'
    kill -9 "$pid"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
