# SPDX-License-Identifier: MIT
# The Collector inside a region and on threads that are being made; see collector_late.c.
. "$top_srcdir/testsuite/common/tap.sh"
program=$top_builddir/testsuite/tools/collector-late
for scene in start births; do
    LD_PRELOAD=$hooks timeout 60 "$program" $scene >out
    relay out $? "$scene"
done
finish
