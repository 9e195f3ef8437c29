# SPDX-License-Identifier: MIT
"""Stops at what "ompd catch" catches, through whole runs of a program."""

import re

import gdb

from gdb_openmp.ui import catchpoints


def left(t):
    """Hidden breakpoints; those of a deleted catch go at the next prompt."""
    catchpoints.sweep()
    return [b.number for b in gdb.breakpoints() if b.number < 0] + [
        row for row in t.run("maint info breakpoints").splitlines()
        if re.match(r"-\d+ +breakpoint ", row)]


def stops(t, how, words, change=None):
    """(what is said, the function and the line that are selected) of each stop of one run with
    "ompd catch WORDS", up to its end. CHANGE: a condition that is given to the catch afterwards, in
    Fortran."""
    number = re.search(r"^Catchpoint (\d+)", t.run("ompd catch " + words)).group(1)
    if change:
        t.run("set language fortran")
        t.run("condition %s %s" % (number, change))
        t.run("set language auto")
    end = gdb.Breakpoint("_exit")
    found, command = [], "run"
    for _ in range(40):
        printed = t.run(command)
        command = "continue"
        frame = gdb.selected_frame()
        if (frame.name() or "").endswith("_exit"):
            break
        said = [line for line in re.findall(r"^\[(.*)\]$", printed, re.M)
                if not re.match(r"New Thread|Switching to|Thread", line)]
        found.append((said[0] if len(said) == 1 else said, frame.name(), frame.find_sal().line))
    else:
        t.ok(False, how + words + ": ends")
    end.delete()
    t.run("delete " + number)
    t.run("kill")
    t.equal(left(t), [], how + words + ": deleted, it leaves nothing behind")
    return found


def counts(t, how, words, wanted, pattern, change=None):
    """The same, of which there are so many, and each says what it is."""
    found = stops(t, how, words, change)
    t.equal(len(found), wanted, "%s%s%s: that many stops" % (how, words, change or ""))
    t.ok(all(isinstance(said, str) and re.search(pattern, said) for said, _, _ in found),
         how + words + ": each says what it is", found)
    return found
