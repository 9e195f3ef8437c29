#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ompd catch: each event once, whatever thread it is of, with programs of gcc and clang, unprepared
and recorded; the user's frame is selected, and lldb has it as a breakpoint of its own."""

import collections
import os
import re
import subprocess
import tempfile

from lldb_runs import STAGE, answered, need_lldb, python_errors, session
from harness import compile_program, marks, version_of
from tap import Tap

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "../gdb/catch.c")
HOOKS = os.path.join(STAGE, "lib/libompd-hooks.so")
# How often each happens in catch.c; the end of a loop and of `single` is a barrier, which gcc
# leaves out where the region ends.
COUNTS = {"parallel begin": 3, "parallel end": 3, "task begin": 3, "task end": 3,
          "barrier enter": 15, "barrier exit": 15, "critical enter": 6, "critical exit": 6,
          "lock enter": 6, "lock exit": 6, "single begin": 3, "single end": 2,
          "ordered enter": 2, "ordered exit": 2, "taskwait enter": 1, "taskwait exit": 1}
OF_CLANG = {"barrier enter": 17, "barrier exit": 17, "single end": 3}
TEAMS = {"gcc": 5, "clang": 6}  # teams that are all at a barrier
WORDS = {"enter": "enters", "exit": "leaves", "begin": "begins", "end": "has ended"}
VERBS = {"lock enter": "sets", "lock exit": "unsets", "single end": "ends"}
SAID = re.compile(r"^\[thread (\d+)(?: \(\d/\d\))?:? (.*)\]$", re.M)
LINES = marks(SOURCE)
tap = Tap()


def kind_of(said):
    """Which event a line is about."""
    for event in COUNTS:
        kind, moment = event.split()
        noun = {"parallel": "#pragma omp parallel", "task": "#pragma omp task "}.get(kind, kind)
        if event == "parallel end" and "the region at " in said:
            return event
        verb = VERBS.get(event, WORDS[moment])
        if verb in said.split() + [said[-len(verb):]] and noun in said:
            return event
    return said


def events(program, recorded, kinds=COUNTS, more=()):
    """({event: how often}, what lldb printed) of these KINDS."""
    before = ["settings set target.env-vars LD_PRELOAD=" + HOOKS] if recorded else []
    printed = session(*before, *["ompd catch " + event for event in kinds], "breakpoint list",
                      " ".join(("run", *more)), *["continue"] * (sum(COUNTS.values()) + 6),
                      arguments=(program,))
    return collections.Counter(kind_of(one[1]) for one in SAID.findall(printed)), printed


def counted(program, name):
    for recorded in (False, True):
        found, printed = events(program, recorded)
        how = "%s, %s" % (name, "recorded" if recorded else "unprepared")
        tap.case(python_errors(printed), how + ": no Python error")
        tap.equal(dict(found), dict(COUNTS, **OF_CLANG if name == "clang" else {}),
                  how + ": each event is caught once")
        tap.case([one for one in SAID.findall(printed) if "the region at " in one[1]],
                 how + ": the end of a region by its construct",
                 "that of a combined construct which is recorded is \"the region at\" the line "
                 "before it" if recorded and name == "gcc" else None)
        tap.like(printed, r"exited with status = 0 ", how + ": the program ends well")
        found, printed = events(program, recorded, ("task begin", "task end"), ("parts",))
        tap.equal(dict(found), {"task begin": 6, "task end": 6},
                  how + ": of untied and undeferred tasks, too")


def teams(program, name):
    """Explicit barriers, and those behind loops and behind single."""
    printed = session("ompd catch barrier all", "run", *["continue"] * 7, arguments=(program,))
    found = re.findall(r"(?m)^\[the whole team is at the barrier at catch\.c:(\d+), thread \d+ "
                       r"\(\d/[23]\) came last\]$", printed)
    tap.ok(len(found) == TEAMS[name], name + ": each barrier once for its team", printed)
    tap.like(printed, r"exited with status = 0 ", name + ": and no other stop")


def one(program):
    printed = session(
        "ompd catch critical", "run", "frame info", "ompd thread", "down", "frame info",
        "breakpoint disable ompd_catch_critical_enter", "ompd catch task", "ompd catch lock",
        "continue", "frame info", "breakpoint delete 2 3", "continue", arguments=(program,))
    tap.like(printed, r"(?m)^Breakpoint 1 \(critical enter\), pending until the OpenMP runtime is "
             r"loaded$", "what is made is said")
    tap.like(printed, r'(?m)^\[thread \d+ \(\d/3\) enters critical "update" at catch\.c:%d\]$' %
             LINES["named"], "the stop is said")
    user = r"\nframe #1: .* at catch\.c:%d:" % LINES["named"]
    runtime = r"\nframe #0: .*GOMP_critical"
    tap.like(printed, r"\(lldb\) frame info" + user, "which frame is selected")
    tap.like(printed, r"\(lldb\) down" + runtime, "the runtime's is below the user's")
    tap.like(printed, r"(?s)\[thread \d+ \(\d/3\) sets lock `?grid_lock`? at catch\.c:%d\].*"
             r"\(lldb\) frame info\nframe #\d: .*at catch\.c:%d:" % (LINES["lock"], LINES["lock"]),
             "a lock by name; it is disabled by its name")
    tap.like(printed, r"exited with status = 0 ", "and deleted as any breakpoint")


def conditions(program, name):
    def said(printed):
        return [one[1] for one in SAID.findall(printed)]

    # GCC 16 gives the call the line before the loop, and no variable of it.
    printed = session("ompd catch ordered", "run", "frame variable i", arguments=(program,))
    if name == "gcc" and version_of("gcc") >= 16 and not re.search(r"(?m)^\(int\) i = \d", printed):
        tap.skip(name + ": conditions of iterations", "the compiler has no i at #pragma omp ordered")
    else:
        printed = session("ompd catch ordered if i == 1", "run", "continue", "continue",
                          arguments=(program,))
        tap.equal(len(said(printed)), 1, name + ": one iteration of two")
        tap.like(printed, r"exited with status = 0 ", name + ": and no other stop")
        tap.equal(said(session("ompd catch ordered if i < -1", "run", arguments=(program,))), [],
                  name + ": a condition that never holds, with a dash in it")
    printed = session("breakpoint set -n main", "run", "ompd catch critical if nosuch > 1",
                      "continue", arguments=(program,))
    tap.like(printed, r"(?m)^The condition means nothing here: .*nosuch.* Where that is so at an "
             r"event, the program stops\.$", name + ": what it means nothing")
    tap.ok(said(printed), name + ": the program stops there", printed)


ERRORS = (
    ("ompd catch lock if", 'The condition after "if" is missing.'),
    ("ompd catch", "What to catch is missing: one of barrier, "),
    ("ompd catch luck", '"luck" cannot be caught, but barrier, '),
    ("ompd catch lock begins", 'The moments of "lock" are enter and exit.'))


def errors(scratch, program):
    found, _ = answered(scratch, {"program": program, "say": [command for command, _ in ERRORS]})
    for command, sentence in ERRORS:
        tap.ok(found[command]["error"].startswith("error: " + sentence), "error: " + command,
               found[command]["error"])
    tap.like(session("ompd catch lock"), "error: There is no program: ", "error: no program")


def main():
    need_lldb()
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        program = os.path.join(scratch, "catch")
        compile_program(SOURCE, program)
        counted(program, "gcc")
        conditions(program, "gcc")
        teams(program, "gcc")
        one(program)
        errors(scratch, program)
        other = os.path.join(scratch, "catch-clang")
        done = subprocess.run(["clang", "-g", "-fopenmp", SOURCE, "-o", other],
                              stderr=subprocess.PIPE, check=False)
        if done.returncode:
            tap.skip("clang", "clang, or its runtime, is not installed")
        else:
            counted(other, "clang")
            conditions(other, "clang")
            teams(other, "clang")
    tap.end()


main()
