# SPDX-License-Identifier: MIT
"""Where explicit tasks come from: by the frames of their creators, or where these are gone by
who that was."""

import os
import re

import harness

t = harness.begin(__file__, program="created.c")
import gdb  # noqa: E402

LINE = int(t.mark("orphan").split(":")[1])


def creator(kind):
    """What "ompd bt" and "bt" say between the task and the next runtime frames, and the same
    as objects."""
    story, plain = t.run("ompd bt"), t.run("bt")
    t.note(story + plain)
    found = re.findall(r"^ +\S\S (created \w+.*?) \S\S$", story, re.M)
    short = re.findall(r"^ +\S\S (created \w+ .*?)$", plain, re.M)
    labels = [row for row in t.json("bt")[0]["rows"] if row.get("label", "").startswith("created")]
    t.equal([len(short), len(labels)], [len(found)] * 2, kind + ": in all forms alike")
    return (found + [None])[0], (short + [None])[0], (labels + [None])[0]


def look(kind, hooks):
    thread = next(row["Id"] for row in t.threads() if row["Where"] == "leaf () at " +
                  t.mark("leaf"))
    t.run("thread " + thread.strip("* "))
    selected = gdb.selected_thread().num
    said, short, label = creator(kind)
    number = int(gdb.newest_frame().read_var("number"))  # gdb 10: of the last core before "bt"
    ids = {int(row["id"]): row for row in t.json("tasks -all")}
    other = str(3 - selected)
    # LLVM's runtime uses the memory of a creator that has ended again, and no number leads there.
    if number == 1 and hooks and not harness.CLANG:
        found = re.match(r"created by task (\d+), which has ended$", said or "")
        t.ok(found, kind + ": a creator that has ended", said)
        t.ok(found and int(found.group(1)) not in ids, kind + ": is no task any more", ids)
        t.equal(label and label["task"], found and int(found.group(1)), kind + ": its number")
        rows = [row for row in ids.values() if row["line"] == LINE]
        t.equal([row["creator"] for row in rows], [label and label["task"]],
                kind + ": which the list of tasks has, too")
        t.like(t.run("ompd tasks"), r"^\d+ +running +%d +\(%d\) +parent \(\) at " % (
            selected, label["task"] if label else -1), kind + ": in parentheses")
        t.like(short or "", r"^created by \(task=\d+\)$", kind + ": in gdb's words")
    elif number == 1:
        t.equal(said, None, kind + ": nothing is known of a creator that has ended")
    elif number == 2 and hooks:
        found = re.match(r"created by task (\d+) of thread %s$" % other, said or "")
        t.ok(found, kind + ": a creator whose thread is elsewhere", said)
        t.equal(found and ids[int(found.group(1))]["kind"], "implicit", kind + ": is a task")
    elif number == 2:
        t.equal(said, "created by a task of thread " + other,
                kind + ": a creator without a number, whose thread is elsewhere")
    else:
        t.equal(said, "created in thread " + other, kind + ": a creator at work by its frames")
        t.like(t.run("ompd bt"), r"^#\d+ +works \(\) at " + t.mark("serving"),
               kind + ": and these are shown")
    t.equal(gdb.selected_thread().num, selected, kind + ": the thread stays selected")


for hooks, kind in t.both_ways():
    for number in (1, 2, 3):
        t.stop_at("leaf", "run" if number == 1 else "continue")
        t.equal(int(gdb.parse_and_eval("number")), number, kind + ": the next task")
        look("%s, %d" % (kind, number), hooks)
        core = os.path.join(t.scratch, "%s.%d" % (kind, number))
        t.run("generate-core-file " + core)
    t.run("kill")
    for number in (1, 2, 3):
        t.run("core-file %s.%d" % (os.path.join(t.scratch, kind), number))
        look("%s, core %d" % (kind, number), hooks)
        t.run("core-file")
t.done()
