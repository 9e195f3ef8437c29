# SPDX-License-Identifier: MIT
"""Hung programs that nobody prepared, attached and as cores: who holds what others wait for, and who
is missing at a barrier, in which nothing of the user's is left on the stacks of others."""

import harness

t = harness.begin(__file__, program="hung.c", timeout=400)
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.analysis import critical_holder  # noqa: E402


def rows():
    """What is told of each thread, by its number in OpenMP; and gdb's numbers, which it gives
    to threads that are there already in an order of its own."""
    told = {r["OMP"]: r for r in t.threads()}
    ids = {omp: int(row["Id"].strip("* ")) for omp, row in told.items()}
    return {omp: (r["State"], r["Waits for"], r["Where"]) for omp, r in told.items()}, ids


HANGS = "~in usleep", "-"


def check(kind, how):
    found, ids = rows()
    if how == "critical":
        # Optimised, gcc gives the call the line of the function's head.
        t.equal({omp: row[:2] for omp, row in found.items()},
                {"2/3": HANGS,
                 **{"%d/3" % n: ("~wait critical", '"update", ~held by %d (2/3)' % ids["2/3"])
                    for n in (0, 1)}}, kind + ": the source tells who is in the section")
        facts = {row["number"]: row["owner"] for row in t.json("threads")}
        t.equal(facts, {0: ids["2/3"], 1: ids["2/3"], 2: None}, kind + ": as JSON")
        critical_holder.MOST_STACKS = 1
        t.equal(rows()[0], found, kind + ": who waits for it need not be looked at")
        critical_holder.MOST_STACKS = 64
        t.like(t.run("ompd stacks"), r"<inside #pragma omp critical \(update\)>",
               kind + ": stacks name the section")
    else:
        t.equal({omp: row[:2] for omp, row in found.items()},
                {"0/3": ("~wait critical", "unnamed, ~held by %d (1/3)" % ids["1/3"]),
                 "1/3": ("~wait critical", '"update", ~held by %d (0/3)' % ids["0/3"]),
                 "2/3": HANGS},
                kind + ": two threads wait for each other")
        critical_holder.MOST_STACKS = 2
        t.equal({omp: row[1] for omp, row in rows()[0].items()},
                {"0/3": "unnamed", "1/3": '"update"', "2/3": "-"},
                kind + ": nobody is told where not all can be looked at")
        critical_holder.MOST_STACKS = 64


for level in ("-O0", "-O2"):
    program = t.use("hung.c", level)
    for how in ("critical", "crossed"):
        with t.attached(program, how, threads=3):
            selected = gdb.selected_thread().num
            check("%s, %s" % (how, level), how)
            t.equal(gdb.selected_thread().num, selected,
                    "%s, %s: what was selected stays selected" % (how, level))

# Who is missing at the end of a region when those who wait there have no frame in the program
# any more: with frames that optimised code has left and without.
DOT = " \u00b7 "


def look_for_missing(kind, stays, wanted, regions):
    """WANTED: the other rows, by OMP number; REGIONS: the lines of "ompd parallel"."""
    printed = t.run("ompd threads")
    t.note("%s:\n%s" % (kind, printed))
    rows = {r["OMP"]: r for r in harness.table(printed) if r["State"] != "idle"}
    missing = rows.pop(stays, {})
    t.like("%(State)s %(Waits for)s" % missing, r"^~in sleep -$",
           kind + ": the missing one sleeps")
    t.like(missing.get("Where", ""), r"^(stay|sleep) \(\)", kind + ": and where")
    t.equal({number: (r["State"], r["Waits for"], r["Where"]) for number, r in rows.items()},
            {number: ("~wait barrier", waits, where) for number, (waits, where) in
             wanted.items()}, kind + ": the others wait for it")
    if len(wanted) == 3 and "-O0" in kind:
        t.like(t.run("ompd stacks"), r" 3  (.*\u2192 )?<end of #pragma omp parallel %s>  1-2 4$" %
               wanted["1/4"][1].split(" ")[-1], kind + ": they stand in one place")
    if len(wanted) == 3:
        t.like(t.run("ompd stacks"), r" 1  #pragma omp parallel %s \u2192 (main \u2192 stay \u2192 )?"
               "sleep  3$" % wanted["1/4"][1].split(" ")[-1],
               kind + ": and the missing one in the function of libc that was called")
    printed = t.run("ompd parallel")
    for region in regions:
        t.like(printed, region, kind + ": the region")


def stays(kind, how, *wanted):
    with t.attached(t.program, how, says=b"stays"):
        for where in t.live_and_core():
            look_for_missing(kind + ", attached" + where, *wanted)
            if not where:
                t.equal(t.run("ompd apply all -q output $_omp_state()").count("sleep"), 1,
                        kind + ": $_omp_state() says it of one")


for flags in ("-O0", "-O2", "-O2 -static"):
    t.program = t.use("hung.c", flags)
    region = "main () at " + t.mark("stay_region")
    three = "implicit, 3 of 4 arrived", region
    stays(flags, "stays", "2/4", {"0/4": three, "1/4": three, "3/4": three},
          [r"^region +~main \(\) at %s +4 threads" % t.mark("stay_region")])
    if flags == "-O2":
        # The task has left its frame to what it called, so that it is on no stack. The other
        # thread sleeps on the word of the team's barrier; of which one is not known.
        with t.attached(t.program, "stays_in_task", says=b"stays"):
            t.equal(sorted(r["State"] for r in t.threads()), ["~in sleep", "~wait barrier"],
                    "a task without a frame: the other one waits at a barrier")
    if flags == "-O0":
        one = "implicit, 1 of 2 arrived"
        stays("nested", "stays_within", "1/2" + DOT + "1/2",
              {"0/2": (one, "main () at " + t.mark("stay_outer")),
               "1/2" + DOT + "0/2": (one, "stay_within () at " + t.mark("stay_inner"))},
              [r"^region +~main \(\) at %s +2 threads" % t.mark("stay_outer"),
               r"\u2500 region +~stay_within \(\) at %s +2 threads" % t.mark("stay_inner")])
        t.run("set args stays_in_task")
        stop = gdb.Breakpoint("sleep")
        t.run("run")
        t.like(t.run("ompd bt"), r"\u2500 run at the end of #pragma omp parallel, thread \d of 2 "
               "\u2500\u2500 %s$" % t.mark("stay_leaves"), "a task at the end: of which region")
        t.note(t.run("ompd threads"))
        t.equal(sorted(r["State"] for r in t.threads()), ["work", "~wait barrier"],
                "the other thread waits there")
        stop.delete()
        t.run("kill")
t.done()
