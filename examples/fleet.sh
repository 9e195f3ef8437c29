#!/bin/sh
# SPDX-License-Identifier: MIT
#
# fleet.sh HOSTS PAGE [OPTION...]
#
# For a site's cron: one look at each process with OpenMP on all HOSTS, which is a file with a name in each line, or
# a partition of Slurm, of which those with jobs are meant. What they do is one PAGE. Where something hangs, or a
# host has not answered within 10 seconds, it is printed, which cron sends. Root looks at the processes of all
# users. OPTIONs are for "ompd why", as -all heat; the exit status is its own.
[ $# -ge 2 ] || { sed -n 's/^# \(fleet.sh\)/Usage: \1/p' "$0" >&2; exit 64; }
hosts=$1 page=$2
shift 2
umask 077
exec 9>>"$page.lock" || exit 73
flock -n 9 || { echo "fleet.sh: last night's look has not ended." >&2; exit 75; }
if [ ! -f "$hosts" ]; then
    sinfo -h -N -p "$hosts" -t alloc,mix -o %N | sort -u >"$page.hosts"
    hosts=$page.hosts
fi
ompd why -hosts "$hosts" -limit 5 -html "$page" "$@" >"$page.txt" 2>&1
status=$?
case $status in
0 | 10) ;; # nothing, or what is only possible
*) cat "$page.txt" ;;
esac
exit $status
