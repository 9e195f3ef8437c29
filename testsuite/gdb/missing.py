# SPDX-License-Identifier: MIT
"""Who is missing at the end of a region that nobody recorded, when those who wait for it
have no frame in the program any more: attached and as a core, with frames that optimised
code has left and without."""

import os
import subprocess

import harness

t = harness.begin(__file__, program="missing.c", timeout=120)
import gdb  # noqa: E402

DOT = " \u00b7 "


def look(kind, stays, wanted, regions):
    """WANTED: the other rows, by OMP number; REGIONS: the lines of "ompd parallel"."""
    printed = t.run("ompd threads")
    t.note("%s:\n%s" % (kind, printed))
    rows = {r["OMP"]: r for r in harness.table(printed) if r["State"] != "idle"}
    missing = rows.pop(stays, {})
    t.equal((missing.get("State"), missing.get("Waits for")), ("work", "-"),
            kind + ": the missing one works")
    t.like(missing.get("Where", ""), r"^(stay|\w*nanosleep) \(\)", kind + ": and where")
    t.equal({number: (r["State"], r["Waits for"], r["Where"]) for number, r in rows.items()},
            {number: ("~wait barrier", waits, where) for number, (waits, where) in
             wanted.items()}, kind + ": the others wait for it")
    if len(wanted) == 3 and "-O0" in kind:
        t.like(t.run("ompd stacks"), r" 3  (.*\u2192 )?<end of #pragma omp parallel %s>  1-2 4$" %
               wanted["1/4"][1].split(" ")[-1], kind + ": they stand in one place")
    printed = t.run("ompd parallel")
    for region in regions:
        t.like(printed, region, kind + ": the region")


def each(kind, arguments, *wanted):
    process = subprocess.Popen([t.program] + arguments, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE)
    t.equal(process.stdout.readline(), b"stays\n", kind + ": one stays")
    t.run("attach %d" % process.pid)
    look(kind + ", attached", *wanted)
    t.equal(t.run("ompd apply all -q output $_omp_state()").count("work"), 1,
            kind + ": $_omp_state() says work of one")
    core = os.path.join(t.scratch, "core")
    t.run("gcore " + core)
    t.run("detach")
    t.run("core-file " + core)
    look(kind + ", core", *wanted)
    t.run("core-file")
    process.kill()
    process.wait()


for flags in ("-O0", "-O2", "-O2 -static"):
    t.program = t.build("missing.c", "missing" + flags.replace(" ", ""), flags)
    gdb.execute("file " + t.program)
    region = "main () at " + t.mark("region")
    three = "implicit, 3 of 4 arrived", region
    each(flags, [], "2/4", {"0/4": three, "1/4": three, "3/4": three},
         [r"^region +~main \(\) at %s +4 threads" % t.mark("region")])
    if flags == "-O0":
        one = "implicit, 1 of 2 arrived"
        each("nested", ["nested"], "1/2" + DOT + "1/2",
             {"0/2": (one, "main () at " + t.mark("outer")),
              "1/2" + DOT + "0/2": (one, "inner () at " + t.mark("inner"))},
             [r"^region +~main \(\) at %s +2 threads" % t.mark("outer"),
              r"\u2500 region +~inner \(\) at %s +2 threads" % t.mark("inner")])
        t.run("set args task")
        stop = gdb.Breakpoint("sleep")
        t.run("run")
        t.like(t.run("ompd bt"), r"\u2500 run at the end of #pragma omp parallel, thread \d of 2 "
               "\u2500\u2500 %s$" % t.mark("leaves"), "a task at the end: of which region")
        t.note(t.run("ompd threads"))
        t.equal(sorted(r["State"] for r in t.threads()), ["work", "~wait barrier"],
                "the other thread waits there")
        stop.delete()
        t.run("kill")
t.done()
