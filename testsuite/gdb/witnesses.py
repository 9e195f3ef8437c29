# SPDX-License-Identifier: MIT
"""What a program that records is known to do, against the same program that nobody prepared:
never less. Members that have not begun, a team that hangs at two barriers, and a target
region on the host; live and as a core."""

import os
import subprocess
import time

import harness

t = harness.begin(__file__, program="witnesses.c", timeout=180)
import gdb  # noqa: E402

RUN = os.path.join(os.environ["stage"], "bin", "ompd-run")


def rows():
    return {r["OMP"]: r for r in harness.table(t.run("ompd threads")) if "OMP" in r}


def wait_until_asleep(pid):
    for _ in range(100):
        states = []
        for lwp in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/stat" % (pid, lwp)) as stat:
                states.append(stat.read().rsplit(")", 1)[1].split()[0])
        if len(states) > 1 and set(states) == {"S"}:
            return
        time.sleep(0.1)


def both(argument, look):
    """Calls LOOK(kind, whether it is recorded) on a process and on its core, twice."""
    for command, recorded in (([RUN, t.program, argument], True),
                              ([t.program, argument], False)):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        time.sleep(0.5)
        wait_until_asleep(process.pid)
        kind = "%s, %s" % (argument, "recorded" if recorded else "unprepared")
        t.run("attach %d" % process.pid)
        look(kind, recorded)
        core = os.path.join(t.scratch, "core")
        t.run("gcore " + core)
        t.run("detach")
        process.kill()
        process.wait()
        t.run("core-file " + core)
        look(kind + ", core", recorded)
        t.run("core-file")


def at_barriers(kind, recorded):
    found = rows()
    t.equal(sorted(found), ["%d/4" % i for i in range(4)], kind + ": the team")
    for number in range(4):
        row = found["%d/4" % number]
        t.equal(row["State"].lstrip("~"), "wait barrier", "%s: %d waits" % (kind, number))
        t.equal(row["Waits for"], "%s, 2 of 4 arrived" % ("explicit" if number < 2 else "implicit"),
                "%s: %d in its own barrier" % (kind, number))
        if recorded:
            t.like(row["Where"], t.mark("barrier" if number < 2 else "region"),
                   "%s: %d where" % (kind, number))


def in_target(kind, _recorded):
    printed = [r["OMP"] for r in harness.table(t.run("ompd threads"))]
    t.equal(sorted(printed), ["0/2", "0/2", "1/2"], kind + ": levels begin anew")
    t.equal(len([line for line in t.run("ompd parallel").splitlines() if "region" in line]), 2,
            kind + ": two regions, none in the other")


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
both("target", in_target)
t.done()
