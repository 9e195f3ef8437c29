# SPDX-License-Identifier: MIT
"""Tasks: their states and what blocks them, as table, tree, graph and JSON; with hooks and
without, live and in a core."""

import os

import harness

t = harness.begin(__file__, program="depends.c")
import gdb  # noqa: E402

NO_DETACH = "this compiler knows no detach clause"


def by_mark(kind):
    """Tasks as JSON by the line of their construct."""
    found = {}
    for task in t.json("tasks"):
        found[task["line"]] = task
    names = ("detached",) * has_detach + ("first", "second", "third", "outer", "inner")
    lines = {name: t.line(name) for name in names}
    t.equal(sorted(found), sorted(lines.values()), kind + ": every task by its line")
    return {name: found.get(line, {}) for name, line in lines.items()}


def hooked(kind):
    tasks = by_mark(kind)
    t.equal({name: task["state"] for name, task in tasks.items()},
            dict(detached, first="running", second="waiting", third="waiting",
                 outer="suspended", inner="running"), kind + ": states")
    t.equal([(b["task"], b["object"], b["kind"]) for b in tasks["second"]["blocked_by"]],
            [(tasks["first"]["id"], "left", "in")], kind + ": what the second waits for")
    t.equal(sorted((b["task"], b["object"]) for b in tasks["third"]["blocked_by"]),
            sorted([(tasks["second"]["id"], "right"), (tasks["first"]["id"], "grid[1]")]),
            kind + ": what the third waits for")
    t.equal(tasks["inner"]["creator"], tasks["outer"]["id"], kind + ": the child's creator")
    t.equal(tasks["outer"]["thread"], tasks["inner"]["thread"], kind + ": one thread for both")
    t.equal(tasks["outer"]["children"], 1, kind + ": and its child")
    if has_detach:
        t.ok(tasks["detached"]["event"], kind + ": the event", tasks["detached"])
    else:
        t.skip(kind + ": the event", NO_DETACH)
    printed = t.noted("ompd tasks")
    t.like(printed, r"^%d +waiting +- +\d+ +main \(\) at %s +task %d \(in left\)$" % (
        tasks["second"]["id"], t.mark("second"), tasks["first"]["id"]), kind + ": the table")
    t.like(printed, r"^%d +suspended .* task %d on its thread$" % (
        tasks["outer"]["id"], tasks["inner"]["id"]), kind + ": what runs instead")
    if has_detach:
        t.like(printed, r"^\d+ +detached .* its event 0x[0-9a-f]+$", kind + ": its event")
    else:
        t.skip(kind + ": its event", NO_DETACH)
    printed = t.noted("ompd tasks -tree")
    t.like(printed, r"^task 1 +initial +thread \d ", kind + ": the tree's root")
    t.like(printed, "^   \u2514\u2500 task %d .*\\n      \u2514\u2500 task %d " % (
        tasks["outer"]["id"], tasks["inner"]["id"]), kind + ": a child below its creator")


def bare(kind):
    tasks = by_mark(kind)
    t.equal({name: task["state"] for name, task in tasks.items()},
            dict(detached, first="running", second="waiting", third="waiting",
                 outer="suspended", inner="running"), kind + ": states")
    t.equal(tasks["inner"]["creator"], tasks["outer"]["id"], kind + ": the child's creator")
    t.equal(sorted(task["id"] for task in tasks.values()),
            sorted(set(task["id"] for task in tasks.values())), kind + ": rows have numbers")
    t.noted("ompd tasks")


for prepared, check in ((True, hooked), (False, bare)):
    word = "hooks" if prepared else "stock"
    t.run("ompd on" if prepared else "ompd off")
    t.stop_at("here")
    has_detach = t.error("print detaches") is None
    detached = {"detached": "detached"} if has_detach else {}
    selected = gdb.selected_thread().num, gdb.selected_frame()
    check(word + ", live")
    t.equal((gdb.selected_thread().num, gdb.selected_frame()), selected,
            word + ": what was selected stays selected")
    if prepared:
        t.equal(len(t.run("ompd tasks -state waiting").splitlines()), 3, "only those that wait")
        t.equal(len(t.run("ompd tasks -region 1").splitlines()), 6 + has_detach,
                "only those of a region")
        t.equal(t.run("ompd tasks -region 77").strip(), "There is no such task.", "of none")
        thread = t.json("tasks -state suspended")[0]["thread"]
        t.equal(len(t.run("ompd tasks -thread %d" % thread).splitlines()), 3,
                "only those of a thread")
        t.ok(len(t.run("ompd tasks -all").splitlines()) > 6 + has_detach, "implicit ones, too")
        t.like(t.error("ompd tasks -state tired") or "", '^There is no state "tired": use one '
               "of created, ", "no such state")
        t.equal(t.error("ompd tasks -region one"), '"-region" takes a number, not "one".',
                "no number")
        t.equal(t.error("ompd tasks -graph"), '"ompd tasks -graph" needs a value.', "no file")
        t.like(t.error("ompd tasks -frob") or "", '^"ompd tasks" has no option "-frob": ',
               "no such option")
        t.equal(t.error("ompd tasks -graph /nonexistent/g.dot"),
                "/nonexistent/g.dot cannot be written: No such file or directory.",
                "a graph that cannot be written")
        graph = os.path.join(t.scratch, "g.dot")
        t.like(t.run("ompd tasks -graph " + graph), "^The graph of %d tasks is in " % (
            5 + has_detach), "a graph")
        with open(graph, encoding="utf-8") as stream:
            text = stream.read()
        t.note(text)
        t.like(text, r't\d+ -> t\d+ \[label="in grid\[1\]"\];', "with its dependences")
        t.equal(gdb.execute("complete ompd tasks -state wa", to_string=True).strip(),
                "ompd tasks -state waiting", "completion of a value")
        t.like(gdb.execute("complete ompd tasks -g", to_string=True), "graph", "of an option")
    t.become_core()
    check(word + ", core")
    t.run("core-file")

# A task without a depend clause waits for no other, whatever was in its memory before.
t.use("ready.c")
for recorded in (False, True):
    t.error("ompd on" if recorded else "ompd off")
    for filling in ("0", "165"):
        kind = "%s, freed memory filled with %s" % ("hooked" if recorded else "stock", filling)
        t.run("set environment MALLOC_PERTURB_ = " + filling)
        t.stop_at("here")
        for where in t.live_and_core():
            found = t.json("tasks")
            t.equal([(task["state"], task["blocked_by"]) for task in found
                     if task["line"] == t.line("ready")], [("ready", [])] * 6,
                    kind + where + ": six are ready")
            t.equal(len({task["id"] for task in found}), len(found),
                    kind + where + ": each is listed once")

# With optimisation the first line of a task may be that of what is inlined there.
t.use("inlined.c", "-O2")
t.run("run")
if gdb.VERSION.startswith("10."):
    t.skip("inlined: its directive's line", "GCC 10 does not say that it is inlined")
else:
    t.equal([task["line"] for task in t.json("tasks")
             if task["state"] == "running" and task["kind"] == "explicit"],
            [t.line("task")], "inlined: its directive's line")
t.done()
