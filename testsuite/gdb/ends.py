# SPDX-License-Identifier: MIT
"""Where threads are when they wait at the end of a region or of a loop."""

import harness

t = harness.begin(__file__, program="ends.c")

# gcc's call of a barrier says nothing of its construct.
LOOP = "end of for " + t.mark("loop") if harness.CLANG else "implicit"
t.run("ompd on")
t.stop_at("late")
rows = {r["OMP"]: r for r in t.threads()}
for number in ("0/3", "2/3"):
    t.equal([rows[number][c] for c in ("State", "Waits for", "Where")],
            ["wait barrier", "implicit, 2 of 3 arrived", "main () at " + t.mark("region")],
            "thread %s waits at the end of the region" % number)
t.equal(rows["1/3"]["Where"], "main () at " + t.mark("late"), "the late one works")

t.stop_at("in_loop", "continue")
rows = {r["OMP"]: r for r in t.threads()}
for number in ("0/3", "1/3"):
    t.equal((rows[number]["State"], rows[number]["Waits for"]),
            ("wait barrier", LOOP + ", 2 of 3 arrived"), "thread %s waits for the loop" % number)
    t.like(rows[number]["Where"], r"^main \(\) at ends\.c:2\d$", "in the body of the region")
t.ends("the program ends as it should")
t.done()
