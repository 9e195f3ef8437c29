# SPDX-License-Identifier: MIT
"""Tests of this directory with programs of clang, on LLVM's runtime, in place of gcc's.

--all runs all that are not about gcc or libgomp alone ("make check-clang"), without it those that
take little time are run. What differs is in the tests, by harness.CLANG."""

import os
import re
import shlex
import subprocess
import sys

import harness

CHEAP = ("tasks", "waits", "readme", "locations", "catch", "step")
OTHERS = ("nested", "graph", "notes", "basics", "debugging", "terminal", "trust",
          "mi_frames", "busy", "teams", "why", "backtrace", "backtrace_stacks", "thread_names", "cut", "ordinary_processes",
          "ordinary_steps", "nonstop", "inferiors", "hostile", "print", "locals",
          "icvs", "deep", "depends", "folds", "stuck", "stack_locks", "history", "lock_orders", "witnesses",
          "situations",
          "stripped", "loops", "step_languages", "mi", "mi_stops", "closes", "created",
          "catch_languages", "charset", "dead", "cores", "interrupt",
          "width", "backtrace_languages", "remote", "watched")
COMPILERS = {"CC": harness.clang_of(".c"), "CXX": harness.clang_of(".cc")}


def run(tap, name):
    """Each case of a test of this directory is one of TAP's."""
    here = os.path.dirname(os.path.abspath(__file__))
    compilers = {name: shlex.join(words) for name, words in COMPILERS.items()}
    done = subprocess.run([sys.executable, os.path.join(here, name + ".py")], text=True,
                          env=dict(os.environ, **compilers), stdout=subprocess.PIPE, check=False)
    found = re.findall(r"^(not ok|ok) \d+ - (.*)", done.stdout, re.M)
    skipped = re.search(r"^1\.\.0 # SKIP (.*)", done.stdout, re.M | re.I)
    if skipped:
        tap.skip(name, skipped.group(1))
        return
    for verdict, case in found:
        tap.ok(verdict == "ok", "%s: %s" % (name, case))
    whole = ("1..%d" % len(found)) in done.stdout.splitlines()
    tap.ok(found and whole, name + " comes to its end")
    if done.returncode or not whole:
        for line in done.stdout.splitlines():
            tap.note(line)


def main():
    harness.need_clang()
    tap = harness.Tap()
    for name in CHEAP + OTHERS * (sys.argv[1:] == ["--all"]):
        run(tap, name)
    tap.end()


main()
