# SPDX-License-Identifier: MIT
# The Collector inside a region and on threads that are being made; see collector_late.c.
unset OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC OMP_TOOL
program=$top_builddir/testsuite/tools/collector-late
for scene in start births; do
    LD_PRELOAD=$stage/lib/libompd-hooks.so timeout 60 "$program" $scene
done | awk -v OFS= '
    /^ok|^not ok/ { number++; sub(/ok [0-9]+/, "ok " number); print; next }
    /^1\.\./ { plans++; next }
    { print }
    END { if (plans < 2) print "not ok ", ++number, " - both scenes came to their end"
          print "1..", number }'
