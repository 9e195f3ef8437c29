# SPDX-License-Identifier: MIT
"""Tracking that is turned on by the program itself, inside a region."""

import harness

t = harness.begin(__file__, program="late.c")

t.run("set environment LD_PRELOAD = " + t.hooks)
t.run("break main")
t.run("run")
t.like(t.run("ompd status"), r"^tracking +off: ", "off at first")
t.stop_at("enabled", "continue")
t.like(t.run("ompd status"), r"^tracking +on$", "then on")
rows = t.threads()
t.equal(len(rows), 3, "every thread has a row")
t.equal((sorted(row["OMP"] for row in rows), rows[0]["Where"]),
        (["0/3", "1/3", "2/3"], "work () at " + t.mark("enabled")),
        "libgomp itself tells who is in the region that began before")
t.like(t.run("ompd parallel"), r"^region +~work \(\) .*3 threads: 1-3 ", "and which that is")
t.stop_at("enabled", "continue")
t.equal(t.threads()[0]["OMP"], "0/3", "the next region is known")
t.like(t.run("ompd parallel"), r"^region \d+ +work \(\) .*3 threads: 1-3 ", "to both commands")
t.ends("the program ends as it should")
t.done()
