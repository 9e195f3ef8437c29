# SPDX-License-Identifier: MIT
"""Locks that are variables of functions have names, whoever says what a thread waits for."""

import harness

t = harness.begin(__file__, program="stack_locks.c")
import re  # noqa: E402

for prepared in ("unprepared", "recorded"):
    if prepared == "recorded":
        t.run("ompd on")
    t.stop_at("here")
    printed = t.run("ompd threads")
    t.note(printed)
    t.equal([re.sub(", .*", "", row["Waits for"]) for row in harness.table(printed)
             if row.get("OMP", "0/5") != "0/5"], ["s.lock", "nest", "s.mutex", "own[1]"],
            prepared + ": members, variables, mutexes and elements of arrays")
    t.like(t.run("ompd tasks -all"), r"in lock .*own\[1\]", prepared + ": of tasks, too")
    t.run("kill")
t.done()
