# SPDX-License-Identifier: MIT
# What the hooks' records say in each construct; see hooks_state.c.
exec "$stage/bin/ompd-run" "$top_builddir/testsuite/unit/hooks-state"
