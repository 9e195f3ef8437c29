# SPDX-License-Identifier: MIT
"""Programs without debug information and without symbols, and optimised ones."""

import re

import harness

t = harness.begin(__file__, program="../../examples/heat.c")
import gdb  # noqa: E402


def rows(flags):
    """The rows, by OMP number, of heat.c at the moment it would die."""
    if gdb.selected_inferior().pid:
        t.run("kill")
    t.use("../../examples/heat.c", flags, "bare")
    gdb.Breakpoint("abort", temporary=True)
    t.run("run")
    return {r["OMP"]: (r["State"], r["Waits for"], r["Where"])
            for r in t.threads()}


def line(text, nth=1):
    with open(t.source, encoding="utf-8") as source:
        return "heat.c:%d" % [n for n, read in enumerate(source, 1) if text in read][nth - 1]


t.run("ompd on")
t.run("set args die")
t.equal(rows("-g0"), {
    "0/4": ("wait barrier", "1 of 4 arrived", "compute ()"),  # of which kind, the source tells
    "1/4": ("work", "-", "relax ()"),
    "2/4": ("wait critical", '"update", held by 2 (1/4)', "add ()"),
    "3/4": ("wait lock", "rod_lock, held by 3 (2/4)", "store ()"),
}, "without debug information functions are known")
t.like(t.run("ompd parallel"), r"^region \d+ +compute \(\) +4 threads: 1-4 ", "and regions")

found = rows("-s")
t.like(found["2/4"][1], r"^0x[0-9a-f]+, held by 2 \(1/4\)$", "stripped: a critical section by address")
t.like(found["3/4"][1], r"^0x[0-9a-f]+, held by 3 \(2/4\)$", "stripped: a lock by address")
t.ok(all(re.match(r"bare\w*\+0x[0-9a-f]+$", found[n][2]) for n in ("0/4", "2/4", "3/4")),
     "stripped: places by file and offset", found)

found = rows("-O2")
t.equal({n: f[:2] for n, f in found.items()}, {
    "0/4": ("wait barrier", "explicit, 1 of 4 arrived"), "1/4": ("work", "-"),
    "2/4": ("wait critical", '"update", held by 2 (1/4) since ' + line("critical(update)", 2)),
    "3/4": ("wait lock", "rod_lock, held by 3 (2/4) since " + line("omp_set_lock")),
}, "optimised: all is known")
t.ok(all(" () at heat.c:" in f[2] for f in found.values()), "optimised: and where", found)

# The master's way to the construct is not where it waits.
t.run("kill")
t.use("many.c", "-O2")
gdb.execute("set args 3")
t.stop_at("here")
t.equal({r["OMP"]: r["Where"] for r in t.threads()},
        {"0/3": "main () at " + t.mark("region"), "1/3": "main () at " + t.mark("region"),
         "2/3": "main () at " + t.mark("here")}, "a tail call leaves the construct, the master's, too")
t.done()
