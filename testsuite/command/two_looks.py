#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd why -watch`: what gdb says of the programs of why/ after two looks it says, too, and these run
on; a core, and a process that ends meanwhile, are a sentence.

Usage: two_looks.py [--long]: all such programs, not one of each kind
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import ompd_runs

sys.path.insert(1, os.path.join(ompd_runs.SUITE, "why"))
import cases  # noqa: E402  pylint: disable=wrong-import-position
from tap import Tap

LONG = "--long" in sys.argv
SHORT = ("endless", "reads", "matrix", "mpi")
TAP = Tap()


def watched(path, case):
    """The first verdict of a program, and that it still runs."""
    with ompd_runs.Running(path, case.how, hangs=False, **case.settings) as one:
        ompd_runs.comes_to_rest(one.pid, 2)
        said = ompd_runs.ompd("why", "-json", "-watch", case.watch, one.pid, timeout=100)
        first = said.json["verdicts"][0] if isinstance(said.json, dict) else {}
        wanted = case.bare[0], case.bare[1] if case.bare[1] != "none" else None
        TAP.ok((first.get("id"), first.get("certainty")) == wanted and not said.fault(),
               "%s %s" % (case.source, case.how), first, said.err, "wanted: %s %s" % wanted)
        TAP.ok(one.state in "RS" and one.field("TracerPid") == "0", case.how + " runs on", one.state)


def let_go(command, one):
    """Whether a process runs on while a COMMAND sleeps between its looks at it."""
    until = time.monotonic() + ompd_runs.LIMIT
    children = "/proc/%d/task/%d/children" % (command.pid, command.pid)
    while time.monotonic() < until:
        with open(children, encoding="ascii") as stream:
            looking = stream.read().split()
        if looking and ompd_runs.comes_to_rest(int(looking[0]), 1):
            return one.state == "S" and one.field("TracerPid") == "0"
        time.sleep(0.01)
    return False


def listens():
    """Who has started this may ignore SIGINT, as a shell does for what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def sentences(directory, path):
    with ompd_runs.Running(path, "reads") as one:
        core = os.path.join(directory, "core")
        ompd_runs.gdb_core(one.pid, core)
        said = ompd_runs.ompd("why", "-watch", "1", core)
        TAP.equal((said.status, said.out, said.err),
                  (78, "", 'ompd: "ompd why -watch" needs a live process of this machine.\n'),
                  "a core")
        for word in ("0", "-1", "nan", "1e9", "soon"):
            said = ompd_runs.ompd("why", "-watch=" + word, one.pid)
            TAP.ok(said.status == 64 and "takes a number of seconds" in said.err,
                   "-watch %s" % word, said.status, said.err)
        with subprocess.Popen([ompd_runs.OMPD, "why", "-watch", "600", str(one.pid)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=listens, start_new_session=True) as command:
            TAP.ok(let_go(command, one), "between the looks it runs", one.state, one.field("TracerPid"))
            os.killpg(command.pid, signal.SIGINT)
            began = time.monotonic()
            TAP.equal((command.wait(20), command.stderr.read()), (130, b""), "Ctrl-C ends it")
            TAP.ok(time.monotonic() - began < 5, "at once", time.monotonic() - began)
            TAP.equal((one.state, one.field("TracerPid")), ("S", "0"), "and the program runs on")
        with subprocess.Popen([ompd_runs.OMPD, "why", "-watch", "20", str(one.pid)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
            let_go(command, one)
            os.kill(one.pid, signal.SIGKILL)
            out, err = command.communicate(timeout=60)
            TAP.ok(command.returncode == 66 and not out and "has ended" in err, "one that ends",
                   command.returncode, out, err)


def churns(path):
    """Threads that are made anew: libgomp ends those that a smaller team has no use for."""
    for how, begin in ("resizes", True), ("barriers", False):
        with ompd_runs.Running(path, how, hangs=False) as one:
            said = ompd_runs.ompd("why", "-watch", "0.5", one.pid)
            TAP.ok((" have begun meanwhile" in said.out) == begin, how + ": threads that begin",
                   said.out, said.err)


def hangs_in_runtime(directory):
    """A program of clang that is well, where its runtime is not; unprepared and recorded."""
    path = os.path.join(directory, "detached_first")
    source = os.path.join(ompd_runs.SUITE, "why/detached_first.c")
    if shutil.which("clang") is None or subprocess.run(
            ["clang", "-g", "-O1", "-fopenmp", source, "-o", path], check=False).returncode:
        TAP.skip("a runtime that hangs", "no clang")
        return
    for before in (), (os.path.join(ompd_runs.STAGE, "bin/ompd-run"),):
        with ompd_runs.Running(path, hangs=False, before=before) as one:
            time.sleep(1)
            if one.state not in "RS":
                TAP.skip("a runtime that hangs", "this one does not")
                return
            said = ompd_runs.ompd("why", "-watch", "1", one.pid)
            TAP.ok("all 3 threads of a team stay inside the OpenMP runtime" in said.out and
                   "[likely]" in said.out and re.search(r"runtime +LLVM libomp \d", said.out),
                   "a runtime that hangs", said.out, said.err)


def main():
    ompd_runs.need_libdw()
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        made = {}
        for case in cases.CASES:
            if not case.watch or not LONG and case.how not in SHORT:
                continue
            if case.source not in made:
                made[case.source] = ompd_runs.compiled(directory, "why/" + case.source,
                                                       case.source[:-2], "-O0")
            watched(made[case.source], case)
        sentences(directory, made["barriers.c"])
        hangs_in_runtime(directory)
        churns(ompd_runs.compiled(directory, "why/healthy.c", "healthy"))
    TAP.end()


main()
