# SPDX-License-Identifier: MIT
"""What a program that records is known to do, against the same program that nobody prepared:
never less. Members that have not begun, a team that hangs at two barriers, a target region
on the host, and the child of a fork; live and as a core."""

import json
import os
import re
import signal
import subprocess

import harness

t = harness.begin(__file__, program="witnesses.c", timeout=180)
import gdb  # noqa: E402

HOST = os.path.join(os.environ["top_builddir"], "testsuite/host/ompd-host")
RUN = os.path.join(os.environ["stage"], "bin", "ompd-run")


def rows():
    return {r["OMP"]: r for r in harness.table(t.run("ompd threads")) if "OMP" in r}


def both(argument, look, forks=False):
    """Calls LOOK(kind, whether it is recorded) on a process, or its child, and on its core,
    twice."""
    for command, recorded in (([RUN, t.program, argument], True),
                              ([t.program, argument], False)):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        pid = int(process.stdout.readline()) if forks else process.pid
        harness.comes_to_rest(pid, 1 if forks else 2)
        t.run("attach %d" % pid)
        for where in t.live_and_core():
            look("%s, %s%s" % (argument, "recorded" if recorded else "unprepared", where), recorded)
        os.kill(pid, signal.SIGKILL)
        process.kill()
        process.communicate()


def at_barriers(kind, recorded):
    found = rows()
    t.equal(sorted(found), ["%d/4" % i for i in range(4)], kind + ": the team")
    for number in range(4):
        row = found["%d/4" % number]
        t.equal(row["State"].lstrip("~"), "wait barrier", "%s: %d waits" % (kind, number))
        # Of a primary thread that does not sleep LLVM's runtime does not show the arrival: where
        # all others of its team have arrived it is inferred.
        count = ", 2 of 4 arrived" if recorded or not harness.CLANG else "(, ~?2 of 4 arrived)?"
        t.like(row["Waits for"], ("explicit" if number < 2 else "implicit") + count + "$",
               "%s: %d in its own barrier" % (kind, number))
        if recorded:
            t.like(row["Where"], t.mark("barrier" if number < 2 else "region"),
                   "%s: %d where" % (kind, number))


def in_target(kind, _recorded):
    printed = [r["OMP"] for r in harness.table(t.run("ompd threads"))]
    t.equal(sorted(printed), ["0/2", "0/2", "1/2"], kind + ": levels begin anew")
    t.equal(len([line for line in t.run("ompd parallel").splitlines() if "region" in line]), 2,
            kind + ": two regions, none in the other")


def in_child(number, size, at, tasks):
    """A LOOK at the only thread of a child, THREAD_NUM of a team of SIZE."""
    def look(kind, _recorded):
        row, = harness.table(t.run("ompd threads"))[:1]
        t.equal(row["OMP"], "%d/%d" % (number, size), kind + ": the number")
        t.ok(row["State"] not in ("idle", "not OpenMP"), kind + ": the state", row)
        regions = [line for line in t.run("ompd parallel").splitlines()
                   if line.startswith("region")]
        t.equal(len(regions), 1, kind + ": one region")
        t.like(regions[0], r" %d threads: 1  encountered by thread %s$" % (
            size, "1" if number == 0 else r"LWP \d+"), kind + ": its team, and who opened it")
        if at:
            t.like(row["Where"], re.escape(t.mark(at)), kind + ": where")
        printed = t.noted("ompd tasks")
        t.equal(len([line for line in printed.splitlines() if re.match(r"\d", line)]), tasks,
                kind + ": explicit tasks")
        t.ok("just ended" not in printed, kind + ": none that is gone")
    return look


def core_of_crash(recorded):
    """Of the kernel, or of gdb where that writes none."""
    environment = {"LD_PRELOAD": t.hooks, "OMP_OMPD": "on"} if recorded else {}
    core, reason = t.kernel_core("crash", **environment)
    if core is None:
        t.note("not a core of the kernel: " + reason)
        core = os.path.join(t.scratch, "core")
        t.run("ompd " + ("on" if recorded else "off"))
        t.run("run crash")
        t.run("generate-core-file " + core)
        t.run("kill")
    return core


def crashed(attempt, recorded):
    core = core_of_crash(recorded)
    kind = "crash %d, %s" % (attempt, "recorded" if recorded else "unprepared")
    t.run("core-file " + core)
    found = [row for row in harness.table(t.run("ompd threads")) if "OMP" in row]
    t.equal(sorted(row["OMP"] for row in found), ["%d/8" % i for i in range(8)],
            kind + ": all members")
    t.ok(not {"idle", "not OpenMP"} & {row["State"] for row in found}, kind + ": all states", found)
    t.run("core-file")
    if recorded:
        printed = json.loads(subprocess.run(
            [HOST, "--lib", t.stage + "/lib/libompd-2.so", core],
            stdout=subprocess.PIPE, text=True, check=False).stdout)
        sizes = {region["id"]: region["size"] for region in printed["regions"]}
        t.equal(sorted("%s/%s" % (thread["num"], sizes.get(thread["region"]))
                       for thread in printed["threads"] if thread["openmp"]),
                ["%d/8" % i for i in range(8)], kind + ": all members by the 2.000 interface")
    os.remove(core)


gdb.execute("file " + t.program)
t.run("ompd on")
stop = gdb.Breakpoint(t.mark("first"))
for attempt in range(8):
    t.run("run")
    numbers = sorted(rows())
    t.equal(numbers, ["%d/8" % i for i in range(8)], "first stop %d: all members" % attempt)
    t.run("kill")
stop.delete()
t.run("ompd off")
both("barriers", at_barriers)
if not harness.CLANG:  # whose target regions nest on the host; its runtime begins anew in a child
    both("target", in_target)
    both("child", in_child(0, 4, None, 0), forks=True)
    both("member", in_child(1, 3, "member", 0), forks=True)
    both("task", in_child(1, 2, "task", 1), forks=True)
for attempt in range(4):
    for recorded in (True, False):
        crashed(attempt, recorded)
t.done()
