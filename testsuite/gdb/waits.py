# SPDX-License-Identifier: MIT
"""Screens of 80 columns, and what JSON has of a thread that holds what others wait for. What else is
said of the program is in waits.rows."""

import json

import harness

t = harness.begin(__file__, program="waits.c")
import gdb  # noqa: E402

t.run("ompd on")
t.stop_at("all_wait")
holds = next(row["holds"] for row in json.loads(t.run("ompd threads -json")) if row["number"] == 0)
t.equal(sorted((held["kind"], held["object"], held["function"]) for held in holds),
        [("critical", '"update"', "compute"), ("critical", "unnamed", "compute"),
         ("nest", "table.nest[1]", "compute"), ("simple", "grid_lock", "compute")], "what it holds")
body = gdb.newest_frame()
while not body.name().startswith((".omp_outlined", "compute")):
    body = body.older()
# LLVM's runtime does not report in which frame a lock is acquired.
t.equal({held["frame"] for held in holds},
        {None if harness.CLANG else hex(int(body.read_register("sp")))}, "in a frame that is there")
gdb.execute("set width 80")
narrow = t.shown("ompd threads")
t.ok(all(len(line) <= 80 for line in narrow.splitlines()), "eighty columns are enough", narrow)
t.like(narrow, ' "update", held by 1 +', "where owners have one number")
gdb.execute("set width 0")
t.ok("\033" not in t.run("ompd threads"), "no escape sequences where gdb has no terminal")
t.run("kill")
t.done()
