# SPDX-License-Identifier: MIT
"""Processes with several runtimes, as our host sees them: copies of libgomp under the names
that Python packages give them, LLVM's, loaded late and closed again, live and as cores, by C
and by Python, unprepared and recorded; and random stops of two that never rest."""

import json
import os
import signal
import subprocess
import sys

import hosttest
import several
from several import COPY, LLVM, Process, output

HOOKS = os.path.join(hosttest.stage, "lib/libompd-hooks.so")

PYTHON = """
import ctypes, sys
names = sys.argv[1:]
found = {name: ctypes.CDLL("./%s.so" % name) for name in names}
for name in names:
    getattr(found[name], name + "_start")()
for name in names[:-1]:
    getattr(found[name], name + "_once")()
print("done", flush=True)
getattr(found[names[-1]], names[-1] + "_park")()
"""


def core_of(process):
    name = os.path.join(process.where, "core.%d" % process.pid())
    output(hosttest.gdb, "-nx", "-batch", "-p", str(process.pid()), "-ex",
           "generate-core-file " + name)
    return name


def ask(target, abi=5):
    done = subprocess.run([hosttest.HOST, "--abi", str(abi), str(target)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)["extension"] if abi == 5 else json.loads(done.stdout)


def names(found):
    return [os.path.basename(r["file"]) for r in found["runtimes"]]


def members(found, runtime):
    """Team sizes and numbers of those in regions of a runtime, as far as is known."""
    regions = {r["id"]: r["runtime"] for r in found["regions"]}
    return sorted((t["num"], t["team"]) for t in found["threads"]
                  if t["region"] and regions.get(t["region"]) == runtime)


def check_parked(found, order, recorded, parked):
    faults = []
    wanted = [COPY if name == "copied" else "libgomp.so.1" for name in order]
    if names(found) != wanted:
        faults.append("runtimes %s" % names(found))
    for one in found["runtimes"]:
        if one["kind"] != "libgomp" or one["threads"] < 2 or not one["first_version"]:
            faults.append("runtime %s" % one)
        if one["recorded"] != ("yes" if recorded else "no hooks"):
            faults.append("recorded: %s" % one["recorded"])
    at = order.index(parked)
    if members(found, at) != [(0, 3), (1, 3), (2, 3)]:
        faults.append("members %s" % members(found, at))
    ids = [t["id"] for t in found["threads"]]
    if len(set(ids)) != len(ids):
        faults.append("ids %s" % ids)
    return faults


def parked(tap, where):
    """One runtime's workers idle, a team of the other one waits."""
    for order in (("copied", "system"), ("system", "copied")):
        for recorded in (False, True):
            for program in ("C", "Python"):
                text = "%s first, by %s, %s" % (order[0], program,
                                                "recorded" if recorded else "unprepared")
                if program == "C":
                    process = Process(where, "./load", hooks=HOOKS if recorded else None)
                    process.does(*("open " + name for name in order),
                                 "call %s once" % order[0], "begin %s park" % order[1])
                    threads = 1 + 1 + 1 + 2
                else:
                    process = Process(where, sys.executable, "-c", PYTHON, *order,
                                      hooks=HOOKS if recorded else None)
                    process.says()
                    threads = 1 + 1 + 2
                with process:
                    process.settled(threads)
                    tap.case(check_parked(ask(process.pid()), order, recorded, order[1]), text)
                    core = core_of(process)
                tap.case(check_parked(ask(core), order, recorded, order[1]), text + ", a core")
                os.unlink(core)


def threads_of(found):
    return sum(r["threads"] for r in found["runtimes"] if r["file"].endswith(COPY))


def late(tap, where):
    """A runtime comes while the process runs, and goes."""
    with Process(where, "./load") as process:
        process.does("open system", "begin system park").settled(4)
        tap.case(names(ask(process.pid())) != ["libgomp.so.1"], "one runtime at first")
        process.does("open copied")
        found = ask(process.pid())
        tap.case([n for n in names(found) if n not in ("libgomp.so.1", COPY)] or
                 len(found["runtimes"]) != 2, "one that came late is there")
        tap.case(threads_of(found) != 1, "one thread has used it")
        process.does("call copied inner")
        tap.case(threads_of(ask(process.pid())) != 2, "then two")
    with Process(where, "./load") as process:
        process.does("open system", "open copied", "begin system park").settled(4)
        process.does("close copied")
        tap.case(names(ask(process.pid())) != ["libgomp.so.1"], "one that was closed is not")
        tap.case(members(ask(process.pid()), 0) != [(0, 3), (1, 3), (2, 3)],
                 "the other one is as before")


def with_llvm(tap, where):
    if not LLVM:
        tap.skip("LLVM's runtime hides no libgomp", "there is none here")
        return
    for lines in (["load " + LLVM[-1], "open system"], ["open system", "load " + LLVM[-1]]):
        with Process(where, "./load") as process:
            found = ask(process.does(*lines, "begin system park").settled(4).pid())
            at = names(found).index("libgomp.so.1")
            kinds = sorted(r["kind"] for r in found["runtimes"])
            tap.case(kinds != ["libgomp", "libomp"] or
                     members(found, found["runtimes"][at]["number"]) !=
                     [(0, 3), (1, 3), (2, 3)], "LLVM's runtime hides no libgomp: " + lines[0])


def check_stops(tap, where, recorded, text, checker, *tables, before=()):
    """Of two runtimes that never rest, by one of our programs."""
    program = os.path.join(hosttest.build, "testsuite/host", checker)
    with Process(where, "./load", hooks=HOOKS if recorded else None) as process:
        process.does(*before, "open copied", "open system", "begin copied run system",
                     "begin system run copied")
        done = subprocess.run([program, str(process.pid()), *tables], capture_output=True,
                              text=True, check=False)
    lines = done.stdout.splitlines()
    for line in lines:
        if not line.startswith("not ok"):
            print("#", line)
    tap.case([line for line in lines if line.startswith("not ok")] or
             (["status %d" % done.returncode] if done.returncode else []),
             "random stops of two runtimes, " + text)


def random_stops(tap, where):
    for recorded in (False, True):
        check_stops(tap, where, recorded, "recorded" if recorded else "unprepared",
                    "runtimes-truth", COPY + "=copied_truths", "libgomp.so.1=system_truths")
    check_stops(tap, where, True, "recorded against unprepared", "runtimes-both")
    check_stops(tap, where, True, "likewise, after one that cannot be read", "runtimes-both",
                before=("load ./libstrange.so",))


def main():
    reason = several.missing() or (None if hosttest.gdb else "gdb is not installed")
    if reason:
        print("1..0 # SKIP " + reason)
        return
    tap = hosttest.Tap()
    with hosttest.scratch() as where:
        several.make(where)
        for part in (parked, late, with_llvm, random_stops):
            part(tap, where)
    tap.end()


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
main()
