# SPDX-License-Identifier: MIT
# Batches of requests to the Collector, before there is a runtime; see collector_requests.c.
LD_PRELOAD=$stage/lib/libompd-hooks.so exec "$top_builddir/testsuite/tools/collector-requests"
