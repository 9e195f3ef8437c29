#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd regions` and `ompd locks -sums` of programs that measure themselves, of gcc and clang: work, waits,
and how long a section was held, within three points; what is said of them, and that nothing is of healthy
twins. Live and of a snapshot; of a program that keeps no sums. Then what
ompd-run --summary says."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from ompd_runs import STAGE, SUITE, Running, need_libdw, ompd, says
from tap import Tap

RUN = os.path.join(STAGE, "bin/ompd-run")
SECONDS = 3
POINTS = 0.03
TAP = Tap()
# Program, what is said of it; what LLVM's runtime, which does not report releases, leaves.
CASES = (("uneven", {"uneven"}, {"uneven"}), ("even", set(), set()), ("held", {"held"}, {"wanted"}),
         ("free", set(), set()), ("tasks", set(), set()), ("regions", {"short"}, {"short"}),
         ("small", {"small"}, {"small"}), ("sizes", {"made"}, set()))
MEASURED = ("uneven", "even", "held", "free", "tasks")


def looked(of, name, kind, wanted, truth):
    """OF: a process or a snapshot."""
    said, locks = ompd("regions", "-json", of), ompd("locks", "-sums", "-json", of)
    found = said.json
    if not isinstance(found, dict):
        TAP.ok(False, name, said.out, said.err)
        return
    # A team that is made while others run takes long to begin: that is no region, and no work.
    TAP.equal({one["id"] for one in found["findings"]} - ({"short"} if kind == "sizes" else set()), wanted,
              name + ": what is said")
    work, held = truth
    regions = found["regions"]
    if kind in MEASURED:
        did = sum(sum(one["work"].values()) for one in regions) / found["seconds"] / 2
        TAP.ok(abs(did - work) <= POINTS, name + ": share of work", did, "wanted: %s" % work)
    if kind in ("uneven", "even"):
        one, = regions
        lazy = 2 * one["seconds"] - one["late_seconds"] - sum(one["work"].values())
        TAP.ok(abs(one["waited_seconds"] - lazy) <= POINTS * 2 * one["seconds"] and
               one["threads"] == 2 * one["count"],
               name + ": what is no work is waited for", one)
    if kind in ("held", "free"):
        lock, = locks.json
        TAP.ok(lock["kind"] == "critical" and lock["name"] == "update" and lock["line"] and
               lock["count"] > 20, name + ": the section", lock)
        if lock["held_share"] is not None:
            TAP.ok(abs(lock["held_share"] - held) <= POINTS, name + ": for how long", lock, held)
            TAP.ok(lock["contended"] > (lock["count"] / 4 if kind == "held" else 0) and
                   lock["holder"]["line"] == lock["line"], name + ": contended", lock)
    if kind == "tasks":
        task, = found["tasks"]
        TAP.ok(sum(task["created"].values()) == task["count"] == 6 * regions[0]["count"] and
               abs(task["seconds"] / found["seconds"] / 2 - work) <= POINTS, name + ": tasks", task)


def program(path, name, wanted, kind, directory):
    with Running(path, kind, str(SECONDS), hangs=False, before=(RUN, "--sums")) as one:
        truth = list(map(float, next(one.lines()).split()))
        looked(one.pid, name, kind, wanted, truth)
        if kind == "uneven":
            core = os.path.join(directory, "sums.core")
            ompd("snapshot", "-o", core, one.pid)
            looked(core, name + ", a snapshot", kind, wanted, truth)
            said = ompd("regions", "-by", "wait", one.pid)
            TAP.ok("end of parallel at top.c:" in said.out and "the others wait" in said.out and
                   not said.fault(), name + ": in words", said.out, said.err)
            said = ompd("doctor", one.pid)
            TAP.ok("end of parallel at top.c:" in said.out, name + ": doctor says it, too", said.out)
            said = ompd("regions", "-by", "name", one.pid)
            says(TAP, said, 78, '.*-by takes "time" or "wait".', name + ": by something else")
        elif kind == "held":
            said = ompd("locks", "-sums", one.pid)
            TAP.ok("critical (update)" in said.out and not said.fault(), name + ": in words", said.out)


def summary(path):
    """What ompd-run says as a program ends: output and status are as without. The imbalance of "uneven" is
    too small to be reported where other programs take the processors."""
    for words, wanted in (((path, "lopsided"), "thread 1 of the team has"), ((path, "even"), None),
                          (("sh", "-c", "%s lopsided; exit 7" % path), "thread 1 of the team has"),
                          (("sh", "-c", "exec %s even" % path), None)):
        with subprocess.Popen([RUN, "--summary", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as one:
            time.sleep(2)
            out, err = one.communicate(timeout=60)
        name = "--summary: " + " ".join(words).replace(path, "top")
        lines = err.splitlines()
        TAP.ok(one.returncode == (7 if "exit 7" in name else 0) and len(out.split()) == 2, name, one.returncode,
               out, err)
        TAP.ok(1 < len(lines) <= 15 and "where the time went" in lines[0] and "loop () at top.c:" in err and
               ((wanted or "of the team has") in err) == bool(wanted), name + ": what is said", err)
    for words, status in (("sh -c 'kill -9 $$'", -9), ("sh -c 'exit 3'", 3), ("/nowhere", 127)):
        done = subprocess.run([RUN, "--summary", *shlex.split(words)], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        TAP.ok(done.returncode == status and "time went" not in done.stderr, "--summary: " + words, done)


def main():
    need_libdw()
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(SUITE, "command/top.c")
        for compiler in filter(shutil.which, (os.environ["CC"].split()[0], "clang")):
            path = os.path.join(directory, "of-" + os.path.basename(compiler))
            subprocess.run([compiler, "-g", "-O1", "-fopenmp", source, "-o", path], check=True)
            for kind, of_gcc, of_clang in CASES:
                program(path, "%s, %s" % (kind, os.path.basename(compiler)),
                        of_clang if "clang" in compiler else of_gcc, kind, directory)
        with Running(path, "even", "0.1", hangs=False, before=(RUN,)) as one:
            next(one.lines())
            says(TAP, ompd("regions", one.pid), 78, "ompd: .*No sums are kept of this program: .*", "no sums")
            says(TAP, ompd("locks", "-sums", one.pid), 78, "ompd: .*No sums are kept of this program: .*",
                 "no sums of locks")
        summary(path)
    TAP.end()


if __name__ == "__main__":
    sys.exit(main())
