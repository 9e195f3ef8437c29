# SPDX-License-Identifier: MIT
"""Programs without debug information and without symbols, and optimised ones."""

import re

import harness

t = harness.begin(__file__, program="demo.c")
import gdb  # noqa: E402


def rows(flags):
    """The rows, by OMP number, of the demo's program at the moment it would die."""
    if gdb.selected_inferior().pid:
        t.run("kill")
    gdb.execute("file " + t.build("demo.c", "bare", flags))
    gdb.Breakpoint("abort", temporary=True)
    t.run("run")
    printed = t.run("ompd threads")
    t.note(printed)
    return {r["OMP"]: (r["State"], r["Waits for"], r["Where"])
            for r in harness.table(printed)}


t.run("ompd on")
t.run("set environment HEAT_DIES = 1")
t.equal(rows("-g0"), {
    "0/4": ("work", "-", "relax ()"),
    "1/4": ("wait critical", '"update", held by 1 (0/4)', "exchange ()"),
    "2/4": ("wait lock", "grid_lock, held by 1 (0/4)", "store ()"),
    "3/4": ("wait barrier", "1 of 4 arrived", "compute ()"),  # of which kind, the source tells
}, "without debug information functions are known")
t.like(t.run("ompd parallel"), r"^region \d+ +compute \(\) +4 threads: 1-4 ", "and regions")

found = rows("-s")
t.like(found["1/4"][1], r"^0x[0-9a-f]+, held by 1 \(0/4\)$", "stripped: a critical section by address")
t.like(found["2/4"][1], r"^0x[0-9a-f]+, held by 1 \(0/4\)$", "stripped: a lock by address")
t.ok(all(re.match(r"bare\w*\+0x[0-9a-f]+$", place[2]) for place in list(found.values())[1:]),
     "stripped: places by file and offset", found)

found = rows("-O2")
t.equal({n: f[:2] for n, f in found.items()}, {
    "0/4": ("work", "-"), "1/4": ("wait critical", '"update", held by 1 (0/4) since demo.c:54'),
    "2/4": ("wait lock", "grid_lock, held by 1 (0/4) since demo.c:53"),
    "3/4": ("wait barrier", "1 of 4 arrived"),
}, "optimised: all is known")
t.ok(all(" () at demo.c:" in f[2] for f in found.values()), "optimised: and where", found)
t.like(found["3/4"][2], r"^compute \(\) at demo\.c:", "a tail call leaves the construct")

# The master's way to the construct is not where it waits.
t.run("kill")
gdb.execute("file " + t.build("many.c", "many", "-O2"))
gdb.execute("set args 3")
t.source = t.source.replace("demo.c", "many.c")
t.stop_at("here")
printed = t.run("ompd threads")
t.note(printed)
t.equal({r["OMP"]: r["Where"] for r in harness.table(printed)},
        {"0/3": "main () at " + t.mark("region"), "1/3": "main () at " + t.mark("region"),
         "2/3": "main () at " + t.mark("here")}, "a tail call of the master does so, too")
t.done()
