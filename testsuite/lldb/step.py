#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ompd step, next and finish through the constructs of gdb/step.c, with programs of gcc and clang,
unprepared and recorded: where each ends, what it says, and that no breakpoint is left."""

import json
import os
import re
import subprocess
import tempfile

from lldb_runs import ENVIRONMENT, STAGE, need_lldb, python_errors, session, version
from harness import marks
from tap import Tap, skip_all

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(os.path.dirname(HERE), "gdb", "step.c")
GDB = os.environ.get("GDB", "gdb")
HOOKS = os.path.join(STAGE, "lib/libompd-hooks.so")
tap = Tap()
LINES = marks(SOURCE)
with open(SOURCE, encoding="utf-8") as text:
    DIRECTIVES = [number for number, line in enumerate(text, 1) if line.startswith("#pragma")]


def at(mark, more=""):
    return "breakpoint set -o true -f step.c -l %d%s" % (LINES[mark], more)


def enters(name, words):
    """Commands that go into the body of a construct."""
    return [(at(name + "_before"), None, None), ("continue", name + "_before", None),
            ("ompd step", name + "_first", r"^\[entering #pragma omp %s at step\.c:\d+" % words)]


def through(name, words):
    return enters(name, words) + [("ompd next", name + "_after",
                                   r"^\[leaving #pragma omp %s at step\.c:\d+\]$" % words)]


RUN = [(at("plain_before"), None, None), ("run", "plain_before", None)]
STEP = ("ompd step", "plain_first", r"^\[entering #pragma omp parallel at step\.c:\d+, thread 0 of 3\]$")
WALKS = {
    "regions": RUN + [
        STEP, ("ompd next", "plain_last", None), ("ompd step", "work", None), ("finish", None, None),
        ("ompd next", "plain_after", r"^\[leaving #pragma omp parallel at step\.c:\d+\]$"),
        *enters("static", "parallel for"), ("ompd step", "static_last", None),
        ("ompd step", "static_first", None), ("ompd step", "static_last", None),
        ("ompd step", "static_after", r"^\[leaving "),
        *through("sections", "parallel sections"), *through("serialized", "parallel")],
    "over": RUN + [
        (at("dynamic_before"), None, None), ("continue", "dynamic_before", None),
        ("ompd next", "dynamic_after", None)],
    "finish": RUN + [STEP, ("ompd finish", "plain_after", r"^\[leaving #pragma omp parallel ")],
    "tasks": RUN + enters("undeferred", "task") + [
        ("ompd next", "undeferred_last", None),
        ("ompd finish", "undeferred_after", r"^\[leaving #pragma omp task at step\.c:\d+\]$")],
    "deferred": RUN + enters("deferred", "task"),
    "worker": RUN + [
        (at("plain_last", " -x 3"), None, None), ("continue", "plain_last", None),
        ("ompd finish", "", r"^\[leaving #pragma omp parallel at step\.c:\d+; thread 1 goes on\]$")],
    "nested": RUN + [
        *enters("nested", "parallel"), ("ompd step", "inner_first",
         r"^\[entering #pragma omp parallel at step\.c:\d+, thread 0 of 2\]$"),
        ("ompd finish", "outer_last", r"^\[leaving #pragma omp parallel at step\.c:\d+\]$")],
    "catch": RUN + [
        ("ompd catch parallel", None, None), ("continue", None, None),
        ("ompd step", "plain_first", r"^\[entering #pragma omp parallel ")],
}


def walked(scratch, program, recorded):
    """{name: [{place and words} of each command]} of the walks, and what lldb printed."""
    path = os.path.join(scratch, "job")
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"directives": DIRECTIVES, "walks": list(WALKS.values())}, stream)
    ENVIRONMENT["OMPD_JOB"] = path
    printed = session(
        "settings set target.env-vars OMP_MAX_ACTIVE_LEVELS=2",
        *["settings append target.env-vars LD_PRELOAD=" + HOOKS] * recorded,
        "command script import " + os.path.join(HERE, "step_look.py"),
        "script step_look.walk(lldb.debugger)", arguments=(program,))
    found = {name: [] for name in WALKS}
    for piece in re.split(r"(?m)^@@ (?=\d+\.\d+$)", printed)[1:]:
        answer = re.search(r"(?m)^@@ = (.*)$", piece)
        name = list(WALKS)[int(piece.split(".")[0])]
        found[name].append(dict(json.loads(answer.group(1)) if answer else {}, words="\n".join(
            line for line in piece.splitlines() if line.startswith("["))))
    return found, printed


def compared(found, printed, how):
    tap.case(python_errors(printed), how + ": no Python error")
    for name, walk in WALKS.items():
        for (command, mark, words), one in zip(walk, found[name]):
            case = "%s, %s: %s %s" % (how, name, command, mark or "")
            if mark:
                tap.equal((one.get("file"), one.get("line")), ("step.c", LINES[mark]), case)
            if command.startswith("ompd"):
                tap.like(one.get("words", ""), words or r"\A\Z", case + ", what it says")
        tap.equal(len(found[name]), len(walk), "%s, %s: all of it" % (how, name))
        tap.ok(found[name] and len(found[name][-1].get("points", "xx")) <= 1,
               "%s, %s: no breakpoint is left" % (how, name), found[name][-1:])


def refused(scratch, program):
    """Where there is nothing to step in."""
    main = ("breakpoint set -n main", "run", "ompd finish")
    tap.like(session(*main, arguments=(program,)),
             r'(?m)^error: This thread is in no parallel region or task: use "finish" to run ',
             "finish outside of bodies")
    core = os.path.join(scratch, "core")
    subprocess.run([GDB, "-batch", "-nx", "-ex", "break main", "-ex", "run", "-ex", "gcore " + core,
                    program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    tap.like(session("target create %s -c %s" % (program, core), "ompd step"),
             r"(?m)^error: A core cannot be run\.$", "a core")


def main():
    need_lldb()
    if version() >= 20:
        skip_all("lldb %d does not ask scripted thread plans as older ones do" % version())
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        for compiler in ("gcc", "clang"):
            program = os.path.join(scratch, compiler)
            done = subprocess.run([compiler, "-g", "-O0", "-fopenmp", SOURCE, "-o", program],
                                  stderr=subprocess.PIPE, check=False)
            if done.returncode:
                tap.skip(compiler, "it, or its runtime, is not installed")
                continue
            for recorded in (False, True):
                compared(*walked(scratch, program, recorded),
                         "%s, %s" % (compiler, "recorded" if recorded else "unprepared"))
        refused(scratch, os.path.join(scratch, "gcc"))
    tap.end()


main()
