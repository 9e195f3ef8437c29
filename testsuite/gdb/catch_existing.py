# SPDX-License-Identifier: MIT
"""ompd catch, typed when what it is about exists: tasks that wait for a thread, bodies and calls
that have begun; with hooks and without."""

import harness

t = harness.begin(__file__, program="catch_existing.c", timeout=240)
import re  # noqa: E402

import gdb  # noqa: E402

from openmp_inspect.model import objects  # noqa: E402
from gdb_openmp.ui import catchpoints  # noqa: E402


def stops(words, at, until=None):
    """What "ompd catch WORDS" prints at the mark AT, and what is said at each stop from there to
    the mark UNTIL or the end."""
    t.stop_at(at)
    made = t.run("ompd catch " + words)
    gdb.Breakpoint(t.mark(until) if until else "_exit")
    found = []
    for _ in range(20):
        said = [line for line in re.findall(r"^\[(.*)\]$", t.run("continue"), re.M)
                if line.startswith(("thread ", "the whole"))]
        if not said:
            break
        found += said
    t.run("delete")
    t.run("kill")
    catchpoints.sweep()
    return made, found


def each(words, at, wanted, pattern, until=None):
    made, found = stops(words, at, until)
    t.like(made, r"\ACatchpoint \d+ \([a-z ]+\)\n\Z", how + words + ": nothing is missed")
    t.equal(len(found), wanted, "%s%s at %s: that many stops" % (how, words, at))
    t.ok(all(re.search(pattern, said) for said in found), how + words + ": each says what it is",
         found)


def place(mark, words="task"):
    return re.escape("#pragma omp %s at %s" % (words, t.mark(mark)))


for hooks in (False, True):
    how = "hooked, " if hooks else "bare, "
    t.run("ompd on" if hooks else "info line")
    each("task begin", "created", 4, r"\d\) begins %s$" % place("task"), "next")
    each("task end", "created", 5, r"\d\): (%s|%s) has ended$" % (place("first"), place("task")),
         "next")
    each("task begin", "parted", 1, "begins %s$" % place("untied"))
    each("parallel end", "created", 1, "^thread 1: %s has ended$" % place("region", "parallel"))
    each("barrier exit", "alone", 2, r"\d\) leaves barrier", "in_single")
    each("barrier all", "alone", 1, "^the whole team is at the barrier at " + t.mark("barrier"),
         "in_single")
    each("single end", "in_single", 1, "ends single")

    if hooks:
        t.run("ompd off")

# Optimised, the function that opens the region leaves its frame to the runtime's.
t.use("catch_existing.c", "-O2")
how = "optimised, "
for at in ("main", "alone"):
    each("parallel end", at, 1, "^thread 1: %s has ended$" % place("region", "parallel"))
how = "bare, "
gdb.execute("file " + t.program)

# What cannot be caught is said.
function = objects.Task.function
objects.Task.function = property(lambda task: None)
made, _ = stops("task begin", "created")
t.like(made, r"\n4 tasks will not be caught: where their bodies begin is not known\.\n\Z",
       "bodies that are not known")
objects.Task.function = function
t.stop_at("created")
t.become_core()
t.like(t.run("ompd catch task"), r"\ACatchpoint \d+ \(task begin\)\n\Z", "a core is not run on")
t.run("core-file")
t.done()
