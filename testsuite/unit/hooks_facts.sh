# SPDX-License-Identifier: MIT
# What the records say of locks and of explicit tasks; see hooks_facts.c.
exec "$stage/bin/ompd-run" "$top_builddir/testsuite/unit/hooks-facts"
