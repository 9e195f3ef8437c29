#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What live-tasks.c is doing, as the 5.x interface and the extension of the installed libompd.so
tell it of a live program with hooks, and what its environment says."""

import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, build, host_json, stage

PROGRAM = os.path.join(build, "testsuite/host/live-tasks")
ENVIRONMENT = dict(os.environ, OMP_DEBUG="enabled", OMP_NUM_THREADS="5,3", OMP_PROC_BIND="false",
                   OMP_AFFINITY_FORMAT="here %L",
                   LD_PRELOAD=os.path.join(stage, "lib/libompd-hooks.so"))
WAIT_CRITICAL = 0x42


def threads_of(said):
    return sorted(said["extension"]["threads"], key=lambda t: t["num"])


def settled(pid):
    """What is said when the first thread has come from the line that it printed to the critical
    section."""
    for _ in range(100):
        said, faults = host_json(pid, 5)
        if not said:
            raise RuntimeError(faults)
        threads = threads_of(said)
        if threads and threads[0]["state"] == WAIT_CRITICAL:
            break
        time.sleep(0.02)
    return said


def threads(tap, said, pid):
    found = threads_of(said)
    tap.ok([t["num"] for t in found] == [0, 1] and all(t["team"] == 2 for t in found),
           "two threads", found)
    lwps = set(os.listdir("/proc/%d/task" % pid))
    tap.ok({str(t["lwp"]) for t in found} == lwps, "kernel ids", lwps)
    tap.ok(found[0]["state"] == WAIT_CRITICAL and found[0]["wait_id"],
           "one waits for a critical section", found[0])


def tasks(tap, said):
    waiter, holder = threads_of(said)
    extension = said["extension"]
    found = sorted((t for t in extension["tasks"] if t["kind"] == "explicit"),
                   key=lambda t: t["serial"])
    states = [t["state"] for t in found]
    tap.ok(states == ["running", "waiting", "waiting", "waiting", "ready"],
           "running, three waiting, ready", states)
    tap.ok(all(t["function"] and "live-tasks.c:" in t["place"] for t in found),
           "tasks have functions and places", found)
    tap.ok(found[0]["thread"] == holder["lwp"], "the running one knows its thread", found[0])
    ids = [t["id"] for t in found]
    edges = sorted((ids.index(d["predecessor"]), ids.index(d["successor"]))
                   for d in extension["dependences"])
    tap.ok(edges == [(0, 1), (0, 2), (1, 3), (2, 3)], "dependences", edges)
    held = [lock for lock in extension["locks"] if lock["count"]]
    tap.ok(len(held) == 1, "one lock is held", held)
    tap.ok([(lock["owner"], lock["address"], lock["waiters"]) for lock in held] ==
           [(holder["lwp"], waiter["wait_id"], [waiter["lwp"]])], "owner and waiter", held)


def icvs(tap, said):
    """Of the first thread, its region and its task."""
    thread = threads_of(said)[0]
    objects = (("process", 0), ("thread", thread["lwp"]), ("region", thread["region"]),
               ("task", thread["task"]))
    words = {name: value["text"] for kind, key in objects
             for name, value in said["icvs"][kind][str(key)].items()}
    for icv, expected in (("run-sched-var", "guided,7"), ("levels-var", "1"),
                          ("team-size-var", "2"), ("thread-num-var", "0"),
                          ("implicit-task-var", "true"), ("affinity-format-var", "here %L"),
                          ("debug-var", "enabled"), ("nthreads-var", "3"),
                          ("num-procs-var", str(len(os.sched_getaffinity(0)))),
                          ("bind-var", "false"), ("dyn-var", "false")):
        tap.ok(words.get(icv) == expected, icv, words.get(icv))
    tap.ok("OMP_NUM_THREADS=5,3" in said["settings"], "display control variables",
           said["settings"])


def version(tap, said):
    """What the runtime itself shows is what it claims."""
    claimed = None
    with subprocess.Popen([PROGRAM], env=dict(ENVIRONMENT, OMP_DISPLAY_ENV="true"), text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as shown:
        for line in shown.stderr:
            claimed = claimed or re.search(r"_OPENMP = '(\d+)'", line)
            if "ENVIRONMENT END" in line:
                break
        shown.kill()
    extension = said["extension"]
    tap.ok(claimed and extension["omp_version"] == int(claimed.group(1)), "version of OpenMP",
           extension["omp_version"], claimed)
    tap.ok(extension["omp_name"].startswith("OpenMP "), "its name", extension["omp_name"])


def main():
    tap = Tap()
    with subprocess.Popen([PROGRAM], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as program:
        try:
            program.stdout.readline()
            said = settled(program.pid)
            threads(tap, said, program.pid)
            tasks(tap, said)
            icvs(tap, said)
            version(tap, said)
        finally:
            program.kill()
    tap.end()


main()
