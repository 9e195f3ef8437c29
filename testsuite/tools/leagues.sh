# SPDX-License-Identifier: MIT
# Leagues of teams that the host runs; see leagues.c.
unset OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_DYNAMIC OMP_TOOL OMP_TOOL_LIBRARIES
unset OMP_NUM_TEAMS OMP_TEAMS_THREAD_LIMIT OMP_TARGET_OFFLOAD
LD_PRELOAD=$stage/lib/libompd-hooks.so exec "$top_builddir/testsuite/tools/leagues"
