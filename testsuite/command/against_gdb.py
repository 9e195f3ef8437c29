#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The command and gdb say the same of the programs of testsuite/why, in the same state: live, of
gdb's core, of a snapshot by the command (recorded: by gdb) and of the kernel's core, unprepared and
recorded. Of a snapshot the command says what it has said of the process.

Usage: against_gdb.py [--short] [--only WORD] [--level N] [--recorded 0|1]

--short takes a program of each kind, in one mode, and no core of the kernel's.
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(SUITE, name) for name in ("common", "gdb", "why")]
import cases  # noqa: E402
import gdb_jobs  # noqa: E402
from harness import CLANG  # noqa: E402
from one_state import asleep, contradictions  # noqa: E402
from rest import comes_to_rest, states  # noqa: E402
from run import Bench, ended  # noqa: E402
from same_facts import differences, normal  # noqa: E402
from tap import skip_all  # noqa: E402

COMMANDS = ("why", "threads", "stacks", "locks")
SHORT = (("barriers.c", "mismatch"), ("locks.c", "mixed"), ("tasks.c", "detached"),
         ("signals.c", "handler"))


def asked(bench, *target):
    """What the command answers of a process or core, as gdb_look.py does."""
    found = {}
    for command in COMMANDS:
        done = subprocess.run([os.path.join(bench.stage, "bin/ompd"), command, "-json", *target],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)
        try:
            found[command] = json.loads(done.stdout)
        except ValueError:
            found[command] = {"error": done.stderr.strip(), "status": done.returncode}
    return found


def asked_gdb(bench, job, arguments):
    """What gdb_look.py answers, and what gdb printed."""
    found, printed = gdb_jobs.done(bench.scratch, os.path.join(HERE, "gdb_look.py"),
                                   dict(job, commands=COMMANDS), arguments)
    return found or {}, printed


@contextlib.contextmanager
def hung(bench, case, program, recorded):
    """(what was started, the id of the process to look at, at rest; None: it has crashed, and left a
    core); both are ended afterwards. Cores from before are gone."""
    for name in ("gcore", "snapshot", "core"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(bench.scratch, name))
    process, pid = bench.start(program, case.how, recorded, case.settings), None
    try:
        if case.crash:
            process.wait(60)
        else:
            pid = int(process.stdout.readline()) if case.child else process.pid
            comes_to_rest(pid, 1 if case.child else 2)
            if "R" in states(pid).values():  # which is elsewhere whenever somebody looks
                os.kill(pid, signal.SIGSTOP)
        yield process, pid
    finally:
        ended(process, pid)


def looked(bench, case, program, recorded, with_kernel):
    """(answers of gdb, of the command, both by "live", "core", "snapshot", "kernel"; what gdb
    printed)"""
    paths = {name: os.path.join(bench.scratch, name) for name in ("gcore", "snapshot", "core")}
    job = {"program": bench.executable(program), "kernel": paths["core"] if with_kernel else None}
    mine, arguments = {}, [program]
    with hung(bench, case, program, recorded) as (_, pid):
        if pid is not None:
            mine["live"] = asked(bench, str(pid))
            mine["asleep"] = list(asleep(pid, mine["live"]["threads"]))
            if not recorded:  # else gdb makes it
                subprocess.run([os.path.join(bench.stage, "bin/ompd"), "snapshot", str(pid),
                                "-o", paths["snapshot"]], stdout=subprocess.DEVNULL, check=True)
            job.update(pid=pid, core=paths["gcore"], snapshot=paths["snapshot"])
            arguments = ["-p", str(pid)]
        theirs, printed = asked_gdb(bench, job, arguments)
    for kind, path in (("core", paths["gcore"]), ("snapshot", paths["snapshot"]),
                       ("kernel", paths["core"])):
        if os.path.exists(path):
            mine[kind] = asked(bench, path)
    return theirs, mine, printed


def name_of(case, level, recorded):
    return "%s %s%s, %s -O%d" % (case.source, case.how, case.flags,
                                 "recorded" if recorded else "unprepared", level)


def keep(name, found):
    """For who looks into a difference: what was FOUND, in $OMPD_KEEP."""
    if os.environ.get("OMPD_KEEP"):
        path = os.path.join(os.environ["OMPD_KEEP"], name.replace("/", "-") + ".json")
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(found, stream)


def compare(bench, case, level, recorded, with_kernel):
    name = name_of(case, level, recorded)
    program = bench.compiled(case.source, level, case.flags)
    if program is None:
        bench.tap.skip(name, "no compiler, or no library")
        return
    theirs, mine, printed = looked(bench, case, program, recorded, with_kernel)
    kinds = ("kernel",) if case.crash else ("live", "core", "snapshot", "kernel")[
        :4 if with_kernel else 3]
    for kind in kinds:
        if kind not in theirs or kind not in mine:
            if kind == "kernel":
                bench.tap.skip("%s, %s" % (name, kind), "the kernel wrote no core")
            else:
                bench.tap.ok(False, "%s, %s" % (name, kind), printed)
            continue
        keep("%s %s" % (name, kind), [theirs[kind], mine[kind]])
        bench.tap.case([*differences(normal(theirs[kind]), normal(mine[kind])),
                        *contradictions(theirs[kind]), *contradictions(mine[kind]),
                        *(mine["asleep"] if kind == "live" else ())],
                       "%s, %s" % (name, kind))
    if "snapshot" in mine:
        mine["snapshot"]["why"]["core"] = None
        bench.tap.case(differences(normal(mine["live"]), normal(mine["snapshot"]),
                                   names=("live", "snapshot")), name + ", live and its snapshot")


def arguments():
    """A parser of those that say which programs are looked at."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--level", type=int)
    parser.add_argument("--recorded", type=int)
    return parser


def each(given):
    """(case, level, whether it is recorded) of what is asked for."""
    for number, case in enumerate(chosen(given)):
        levels = case.levels[:1] if given.short else case.levels
        for level in levels if given.level is None else (given.level,):
            for recorded in (number % 2 == 1,) if given.short else (False, True):
                if given.recorded in (None, recorded):
                    yield case, level, recorded


def chosen(given):
    """The cases, each once: how long somebody looks makes no other program."""
    seen = set()
    for case in filter(None, map(cases.of_clang, cases.CASES)) if CLANG else cases.CASES:
        key = case.source, case.how, case.flags
        if "-fno-openmp" in case.flags:  # most commands have nothing to say, each in its own words
            continue
        if key in seen or given.only and given.only not in case.source + " " + case.how or \
                given.short and key[:2] not in SHORT:
            continue
        seen.add(key)
        yield case


def main():
    given = arguments().parse_args()
    if not shutil.which(os.environ.get("GDB") or "gdb"):
        skip_all("gdb is not installed")
    resource.setrlimit(resource.RLIMIT_CORE,
                       (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    with tempfile.TemporaryDirectory(prefix="ompd-command-") as scratch:
        bench = Bench(scratch, 0)
        for one in each(given):
            compare(bench, *one, not given.short)
    bench.tap.end()


if __name__ == "__main__":
    main()
