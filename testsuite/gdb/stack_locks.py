# SPDX-License-Identifier: MIT
"""Locks that are variables of functions have names, whoever says what a thread waits for; and two
threads that wait in one call for different locks each have their own."""

import harness

t = harness.begin(__file__, program="stack_locks.c")
import re  # noqa: E402

import gdb  # noqa: E402

for prepared in ("unprepared", "recorded"):
    if prepared == "recorded":
        t.run("ompd on")
    t.stop_at("here")
    t.equal([re.sub(", .*|0x[0-9a-f]+", "", row["Waits for"]) for row in t.threads()
             if row.get("OMP", "0/6") != "0/6"], ["s.lock", "nest", "s.mutex", "own[1]",
                                          "((struct table *) )->lock"],
            prepared + ": members, variables, mutexes, elements of arrays, and on the heap")
    t.like(t.run("ompd tasks -all"), r"in lock .*own\[1\]", prepared + ": of tasks, too")
    t.run("kill")

if harness.CLANG:
    t.skip("two locks in one call", "clang does not make one call of two here")
else:
    joined = t.build("joined.c", flags="-O1")
    gdb.execute("file " + joined)
    with t.attached(joined, threads=2, settings={"OMP_WAIT_POLICY": "passive"}):
        t.equal({row["OMP"]: row["Waits for"] for row in t.threads() if "OMP" in row},
                {"0/2": "first", "1/2": "second"}, "two locks in one call")
t.done()
