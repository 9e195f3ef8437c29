# SPDX-License-Identifier: MIT
"""A thread that creates a task: what it does, and that all commands have it on the line of the
directive, optimised or not."""

import re

import harness

t = harness.begin(__file__, program="creates.c")
import gdb  # noqa: E402

CREATES = ("GOMP_task", "__kmpc_omp_task", "__kmpc_omp_task_with_deps")
OTHERS = ("GOMP_taskloop", "__kmpc_taskloop", "__kmpc_omp_task_begin_if0")
with open(t.source, encoding="utf-8") as source:
    LINES = {number: found.group(1) for number, found in enumerate(
        (re.match(r"#pragma omp (task|taskloop)\b", text) for text in source), 1) if found}


def look(kind):
    """Stops wherever a task or taskloop is created in one run."""
    points = [gdb.Breakpoint(name) for name in CREATES + OTHERS]
    t.run("run")
    lines, states = set(), {}
    while gdb.selected_inferior().pid:
        name = gdb.newest_frame().name()
        row = next(row for row in t.json("threads") if row["selected"])
        rows = t.json("bt")[0]["rows"]
        frame = next(row for row in rows if row.get("line") and "label" not in row)
        t.equal(row["line"], frame["line"], "%s: %s: threads and bt say the same" % (kind, name))
        lines.add(row["line"])
        states.setdefault(name in CREATES, set()).add(row["state"])
        t.run("continue")
    # GCC 10 gives a taskloop's body the line of another directive.
    t.ok({line for line in LINES if LINES[line] == "task"} <= lines <= set(LINES),
         kind + ": each is at its directive", lines, LINES)
    t.equal(states[True], {"creating_task"}, kind + ": creates a task")
    t.ok("creating_task" not in states[False], kind + ": but not where it may wait for it", states)
    for point in points:
        point.delete()


for level in ("-O0", "-O1", "-O2"):
    gdb.execute("file " + t.build("creates.c", "creates" + level, level))
    for hooks in (False, True):
        t.run("ompd on" if hooks else "info line")
        look("%s, %s" % (level, "hooks" if hooks else "stock"))
    t.run("ompd off")
point = gdb.Breakpoint(CREATES[1 if harness.CLANG else 0])
t.run("run")
t.like(t.run("ompd threads"), r"(?m)^\* .* ~creating task +- ", "in words")
t.done()
