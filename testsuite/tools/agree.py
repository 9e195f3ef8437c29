#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One program at one stop through all interfaces: what its threads were told by the Collector
and by OMPT (2016 and 5.x), and what a debugger is told by both versions of OMPD."""

import json
import os
import select
import shlex
import subprocess
import sys

top = os.environ.get("top_srcdir", ".")
sys.path.insert(0, os.path.join(top, "testsuite/host"))
from hosttest import Tap, build, host_json, scratch, skip_all, stage  # noqa: E402

# The state of OMPD as the Collector calls it, and its number in OMPT of the report.
STATES = {
    "work serial": (6, 0x00), "work parallel": (2, 0x01), "idle": (5, 0x10),
    "wait barrier implicit": (3, 0x41), "wait barrier": (4, 0x40),
    "wait lock": (8, 0x60), "wait critical": (9, 0x62),
}
# As OpenMP 5.x numbers them.
FIVE = {
    "work serial": {0x000}, "work parallel": {0x001}, "idle": {0x100},
    "wait barrier implicit": {0x011, 0x012, 0x013},
    "wait barrier": {0x010}, "wait lock": {0x041}, "wait critical": {0x042},
}


def compile_program(directory):
    program = os.path.join(directory, "agree")
    source = os.path.join(top, "testsuite/tools/agree")
    subprocess.run([*shlex.split(os.environ.get("CC") or "cc"), "-std=gnu11", "-O1", "-g", "-w",
                    "-fopenmp", "-rdynamic", "-D_GNU_SOURCE", "-I" + top,
                    "-I" + os.path.join(stage, "include"), source + ".c", source + "_5.c",
                    "-o", program, "-lpthread", "-ldl"], check=True)
    return program


class Program:
    """It runs until it has printed what its threads were told, and then rests."""

    def __init__(self, program, scene, version):
        environment = dict(os.environ, AGREE=version, GOMP_SPINCOUNT="0",
                           LD_PRELOAD=os.path.join(stage, "lib/libompd-hooks.so"))
        for name in ("OMP_TOOL", "OMP_TOOL_LIBRARIES", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT"):
            environment.pop(name, None)
        self.process = subprocess.Popen([program, scene], stdout=subprocess.PIPE, text=True,
                                        env=environment)
        ready = select.select([self.process.stdout], [], [], 30)[0]
        line = self.process.stdout.readline() if ready else ""
        self.said = json.loads(line) if line else None

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def compare(thread, seen, regions, tasks, abi, faults):
    """One thread: what it was told, and what OMPD says of it."""
    def same(what, told, read):
        if told != read:
            faults.append("thread %d, %s: told %s, OMPD %s reads %s" %
                          (thread["lwp"], what, told, abi, read))

    state, ompt = seen["state"], thread["ompt"]
    if state not in STATES:
        faults.append("thread %d is in state %s" % (thread["lwp"], state))
        return
    waits = state.startswith("wait")
    resting = state in ("idle", "work serial")
    same("Collector's state", thread["state"], STATES[state][0])
    same("expected state", thread["expected"], STATES[state][0])
    same("Collector's region", (thread["code"], thread["region"]),
         (0, 0 if resting else seen["region"]))
    if waits:
        same("Collector's wait id", thread["wait"], seen["wait_id"])
        same("OMPT's wait id", ompt["wait"], seen["wait_id"])
    if "id" not in ompt:
        if ompt["state"] not in FIVE[state]:
            faults.append("thread %d, OMPT's state %#x" % (thread["lwp"], ompt["state"]))
        if not resting:
            same("OMPT's thread number", ompt["num"], seen["num"])
            same("OMPT's team size", ompt["team"], regions[seen["region"]]["size"])
        return
    same("OMPT's state", ompt["state"], STATES[state][1])
    if abi == 2:
        same("OMPT's thread id", str(ompt["id"]), seen["handle"].rsplit("_", 1)[-1])
    if not resting:
        region = regions[seen["region"]]
        outer = region["parent"] if isinstance(region["parent"], int) else 0
        same("OMPT's region", ompt["region"], seen["region"])
        same("OMPT's enclosing region", ompt["outer"], outer)
        same("OMPT's task", ompt["task"], seen["task"])
        same("the region of OMPT's task", ompt["task_region"], tasks[seen["task"]]["region"])
        same("the task below", ompt["below"], tasks[seen["task"]]["parent"])


def check(tap, text, program, scene, version):
    running = Program(program, scene, version)
    try:
        if not running.said:
            tap.case(["the program said nothing"], text)
            return
        faults = []
        if running.said["ompt"] != int(version):
            faults.append("tool of version %d" % running.said["ompt"])
        for abi in (2, 5):
            said, problems = host_json(running.said["pid"], abi)
            faults += problems
            if not said:
                continue
            threads = {t["lwp"]: t for t in said["threads"] if t["openmp"]}
            regions = {r["id"]: r for r in said["regions"]}
            tasks = {t["id"]: t for t in said["tasks"]}
            for thread in running.said["threads"]:
                if thread["lwp"] in threads:
                    compare(thread, threads[thread["lwp"]], regions, tasks, abi, faults)
                else:
                    faults.append("OMPD %d does not know thread %d" % (abi, thread["lwp"]))
        tap.case(faults, text)
    finally:
        running.end()


def main():
    tap = Tap()
    if not os.path.exists(os.path.join(build, "testsuite/host/ompd-host")):
        skip_all("the host debugger was not built")
    with scratch() as directory:
        program = compile_program(directory)
        for version, name in (("2", "the 2016 report"), ("5", "OpenMP 5.x")):
            for scene in ("busy", "idle"):
                check(tap, "%s: the Collector, OMPT of %s, OMPD 2.000 and 5.x" % (scene, name),
                      program, scene, version)
    tap.end()


main()
