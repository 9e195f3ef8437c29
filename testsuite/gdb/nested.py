# SPDX-License-Identifier: MIT
"""Regions inside regions, a region of one thread, and workers between regions."""

import harness

t = harness.begin(__file__, program="nested.c")
import re  # noqa: E402

t.run("ompd on")
t.stop_at("deep")
rows = {r["OMP"]: r for r in t.threads()}
dot = " \u00b7 "
t.equal(sorted(rows), ["0/3" + dot + "0/1", "1/3" + dot + "0/2", "1/3" + dot + "1/2",
                       "2/3" + dot + "0/2", "2/3" + dot + "1/2"],
        "each thread has its path through the teams")
t.equal({r["level"] for r in t.json("threads")}, {2}, "all are two regions deep")
t.ok(rows.get("2/3" + dot + "1/2", {"Id": ""})["Id"].startswith("*"),
     "the thread that stopped is the one that was meant to")
t.equal(rows["2/3" + dot + "1/2"]["Where"], "relax () at " + t.mark("deep"),
        "the outlined body goes by the name of its function")

printed = t.noted("ompd parallel")
lines = printed.splitlines()
t.equal(len(lines), 4, "four regions")
t.like(lines[0], r"^region \d+ +main \(\) at %s +3 threads: 1-3 +encountered by thread 1$" %
       t.mark("outer"), "the outer region stands first")
t.ok(all(line.startswith("\u251c\u2500 region") for line in lines[1:3]) and
     lines[3].startswith("\u2514\u2500 region"), "the inner ones hang below it", printed)
inner = r"relax \(\) at %s +" % t.mark("inner")
t.equal(len([1 for line in lines[1:] if re.search(inner, line)]), 3,
        "they name the inner construct")
t.like(printed, inner + r"1 thread: 1 +encountered by thread 1$",
       "a serialised region has one thread")
masters = {line.split("encountered by thread ")[1] for line in lines[1:]}
t.equal(masters, {"1", "2", "3"}, "each thread of the outer team met one")
masters_lwp = {r["Id"].lstrip("* "): p for p, r in rows.items()}
for line in lines[1:]:
    master = line.split("encountered by thread ")[1]
    t.ok(masters_lwp[master].endswith("0/2") or masters_lwp[master].endswith("0/1"),
         "thread %s is number 0 of the team it opened" % master, line)

t.stop_at("idle", "continue")
printed = t.noted("ompd threads")
rows = harness.table(printed)
t.equal(rows[0]["State"], "work", "the master works between regions")
t.equal(rows[0]["OMP"], "0/1", "alone")
t.equal(t.json("threads")[0]["level"], 0, "outside any region")
idle = [r for r in rows[1:] if r["State"] == "idle"]
t.ok(len(idle) >= 2, "the workers of the outer team are idle", printed)
t.ok(all(r["OMP"] == "-" and r["Where"] == "-" for r in idle),
     "idle workers have no number and no place", printed)
t.ends("the program ends as it should")
t.done()
