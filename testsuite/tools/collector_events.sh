# SPDX-License-Identifier: MIT
# A collector that listens to all events of its program; see collector_events.c.
unset OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC
LD_PRELOAD=$stage/lib/libompd-hooks.so exec "$top_builddir/testsuite/tools/collector-events"
