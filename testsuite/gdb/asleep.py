# SPDX-License-Identifier: MIT
"""Threads that sleep in the C++ library, of a program of clang; and columns of wide cells. What else is
said of such threads is in asleep.rows."""

import harness

t = harness.begin(__file__, program="asleep.cc")

program = t.by_clang("asleep.cc", "asleep-clang", "-O2")
t.run("file")
if program is None:
    t.skip("clang++: where they wait", "it is not installed")
else:
    with t.attached(program, "lock", says=b"asleep"):
        printed = t.noted("ompd threads") + t.noted("ompd parallel")
        t.equal([row["Where"] for row in harness.table(printed) if "/2" in row.get("OMP", "")],
                ["lock () at " + t.mark("lock")] * 2, "clang++: they wait for a mutex in lock()")
        t.like(printed, r"region .* ~?lock \(\) at %s " % t.mark("region"),
               "clang++: the region is lock()'s, whatever is inlined at its beginning")
    t.run("file")
with t.attached(t.program, says=b"asleep"):
    t.run("set width 80")
    lines = t.run("ompd threads").splitlines()
    t.equal({line.index("-  ") for line in lines if "cond_wait" in line},
            {lines[0].index("Waits for")}, "a column of wide cells is as wide as they are")
t.done()
