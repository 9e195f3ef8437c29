# SPDX-License-Identifier: MIT
"""Threads in taskwait, taskgroup, ordered and the implicit barriers of a region and a loop."""

import harness

t = harness.begin(__file__, program="tasks.c")

t.run("ompd on")
t.stop_at("child_runs")
printed = t.noted("ompd threads")
rows = {r["OMP"]: r for r in harness.table(printed)}
t.equal((rows["0/4"]["State"], rows["0/4"]["Waits for"], rows["0/4"]["Where"]),
        ("wait taskwait", "child tasks", "waits_for_children () at " + t.mark("taskwait")),
        "the taskwait")
t.equal((rows["1/4"]["State"], rows["1/4"]["Waits for"]),
        ("wait taskgroup", "tasks of its group"), "the taskgroup")
t.like(rows["1/4"]["Where"], r"^waits_for_group \(\) at tasks\.c:\d+$", "and its place")
working = [r for p, r in rows.items() if p in ("2/4", "3/4")]
t.equal(sorted(r["State"] for r in working), ["work", "~in usleep"], "tasks are run by the others")
t.ok(any(r["Where"] == "child () at " + t.mark("child_runs") for r in working),
     "in their bodies", printed)

t.stop_at("in_ordered", "continue")
states = {r["OMP"]: (r["State"], r["Waits for"]) for r in t.threads()}
t.equal(states.get("0/2"), ("work", "-"), "inside the ordered region")
t.equal(states.get("1/2"), ("wait ordered", "its turn, ~held by 1 (0/2)"),
        "waiting for it")

# gcc's call of a barrier says nothing of its construct.
LOOP = "end of for " + t.mark("loop") if harness.CLANG else "implicit"
t.stop_at("late", "continue")
rows = {r["OMP"]: r for r in t.threads()}
for number in ("0/3", "2/3"):
    t.equal([rows[number][c] for c in ("State", "Waits for", "Where")],
            ["wait barrier", "implicit, 2 of 3 arrived", "end () at " + t.mark("region")],
            "thread %s waits at the end of the region" % number)
t.equal(rows["1/3"]["Where"], "end () at " + t.mark("late"), "the late one works")

t.stop_at("in_loop", "continue")
rows = {r["OMP"]: r for r in t.threads()}
for number in ("0/3", "1/3"):
    t.equal((rows[number]["State"], rows[number]["Waits for"]),
            ("wait barrier", LOOP + ", 2 of 3 arrived"), "thread %s waits for the loop" % number)
    place, line = rows[number]["Where"].split(":")
    t.ok(place == "end () at tasks.c" and t.line("second") <= int(line) <= t.line("loop_end"),
         "in the body of the region", rows[number])
t.ends("the program ends as it should")
t.done()
