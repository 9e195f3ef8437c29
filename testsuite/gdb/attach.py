# SPDX-License-Identifier: MIT
"""A process started by ompd-run, found later by attaching to it."""

import harness

t = harness.begin(__file__, program="waits.c")

with t.attached(t.stage + "/bin/ompd-run", t.program, "hold", says=b"holding") as program:
    printed = t.noted("ompd threads")
    rows = {r["OMP"]: r for r in harness.table(printed)}
    t.equal(sorted(rows), ["-", "0/6", "1/6", "2/6", "3/6", "4/6", "5/6"], "every thread is known")
    t.equal(rows["1/6"]["Waits for"], '"update", held by 1 (0/6) since waits.c:68',
            "by what it waits for")
    t.equal(rows["3/6"]["Waits for"], "grid_lock, held by 1 (0/6) since waits.c:66", "by name")
    t.like(t.run("ompd parallel"), r"encountered by thread 1$", "its region is known")
    t.like(t.run("ompd status"), r"^tracking +on$", "it records")

    # Which number gdb gives to a thread that is there already depends on its release.
    second = next(row["Id"].strip("* ") for row in t.threads() if row["OMP"] == "1/6")
    t.like(t.run("ompd tasks -all"), r"^\d+ +in critical +%s +1 +compute \(\) at %s +\"update\", "
           r"held by 1$" % (second, t.mark("region")), "its tasks")
    t.like(t.run("ompd icvs " + second), r"^thread-num-var +1 ", "its control variables")
    t.like(t.run("ompd env"), r"^OMP_OMPD = on$", "its environment")
    t.run("detach")
    t.equal(t.error("ompd threads"), harness.NO_PROCESS, "after detach there is nothing to tell")
    t.equal(program.poll(), None, "the program lives on")
    t.run("attach %d" % program.pid)
    t.equal(t.threads(), harness.table(printed), "attached again, it tells the same")

with t.attached(t.program, "hold", says=b"holding"):
    printed = t.noted("ompd threads")
    rows = harness.table(printed)
    t.equal(len(rows), 7, "all threads are listed")
    t.equal({r["OMP"]: r["State"] for r in rows}["1/6"], "~wait critical",
            "states are told from stacks")
    t.like(t.run("ompd status"), r"^tracking +off: ", "the status says why no more is known")
    t.equal(t.run("ompd tasks"), "There is no explicit task.\n", "it has no explicit task")
    t.like(t.run("ompd icvs 3"), r"^thread-num-var +\d ", "its control variables")
    t.ok(any(r.get("Where") == "add_up () at " + t.mark("critical") for r in rows),
         "where they are is known", printed)
    said = t.run("ompd on")
    t.like(said, r"\AThe next run preloads .*\nThis process was started without the hooks and is not "
           r"recorded\.\n\Z", "ompd on cannot help a process that runs, and is no error")
    t.equal(t.run("ompd on"), said, "typed again it says the same")
t.done()
