#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cores that are not as they should be: cut anywhere, damaged anywhere, with files that are
gone or were replaced. The host says what is wrong and ends with status 1, or answers; it
never crashes, hangs or makes up names."""

import json
import os
import random
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from damage import bad_end, cut, damaged, headers_of, notes_of
from hosttest import PARK, Parked, Tap, build_32, host, host_json, scratch, stage


def damaged_32(tap, directory, generator):
    """The same with the core of a 32-bit program, whose notes are others."""
    program, reason = build_32(directory)
    core = None
    if program:
        parked = Parked("nested", directory, program)
        try:
            core, reason = parked.kernel_core()
        finally:
            parked.end()
    if not core:
        tap.skip("damaged cores of 32-bit programs", reason)
        return
    cut(tap, core, directory, "32-bit ")
    damaged(tap, core, directory, "headers (32-bit)", headers_of(core), 50, generator)
    damaged(tap, core, directory, "notes (32-bit)", notes_of(core), 100, generator)


def replaced_program(tap, core, program, substitute):
    """Names must not come from a file that is not the one that ran."""
    said, faults = host_json(core)
    names = [r.get("function_name") for r in said["regions"]] if said else []
    if not names or None in names:
        faults.append("with its program the core does not name the regions: %s" % names)
    os.unlink(program)
    shutil.copy(substitute, program)
    said, more = host_json(core)
    names = [r.get("function_name") for r in said["regions"]] if said else ["nothing"]
    if any(names):
        more.append("names come from another program: %s" % names)
    tap.case(faults + more, "a program that was replaced is not believed")
    os.unlink(program)
    said, more = host_json(core)
    if said and (not said["regions"] or any(r.get("function_name") for r in said["regions"])):
        more.append("regions: %s" % said["regions"])
    tap.case(more, "a program that is gone takes names along, not regions")


def not_cores(tap, directory):
    faults = []
    fifo = os.path.join(directory, "fifo")
    os.mkfifo(fifo)
    for word in (PARK, "/dev/null", "/dev/zero", directory, fifo, "/nonexistent", "0", "./-1",
                 "99999999", "999999999999999999999"):
        status, out, messages = host(word)
        fault = bad_end(status, out, messages, may_answer=False)
        if fault:
            faults.append("%s: %s" % (word, fault))
    tap.case(faults, "what is neither a core nor a process")
    faults = []
    for abi in (2, 5):
        status, _, messages = host("--abi", abi, os.getpid())
        if status != 1 or "neither libgomp nor our hooks" not in messages:
            faults.append("version %d: %s" % (abi, messages))
    tap.case(faults, "a process without OpenMP")


def not_recorded(tap):
    """The hooks are there, and nobody told them to record: what libgomp keeps is told."""
    hooks = os.path.join(stage, "lib/libompd-hooks.so")
    environment = dict(os.environ, LD_PRELOAD=hooks, GOMP_SPINCOUNT="0")
    for name in ("OMP_OMPD", "OMP_DEBUG"):
        environment.pop(name, None)
    with subprocess.Popen([PARK, "work"], stdout=subprocess.PIPE, env=environment) as park:
        truth = json.loads(park.stdout.readline())
        faults = []
        for abi in (2, 5):
            said, more = host_json(park.pid, abi)
            faults += more
            if said and len([t for t in said["threads"] if t["openmp"]]) != \
                    len(truth["threads"]):
                faults.append("version %d: %s" % (abi, said["threads"]))
        park.kill()
    tap.case(faults, "a process whose hooks were not told to record")


def main():
    tap = Tap()
    seed = int(os.environ.get("OMPD_CORES_SEED", random.randrange(1 << 30)))
    print("# OMPD_CORES_SEED=%d" % seed)
    generator = random.Random(seed)
    with scratch() as directory:
        program = os.path.join(directory, "park")
        shutil.copy(PARK, program)
        parked = Parked("nested", directory, program)
        try:
            core, reason = parked.kernel_core()
        finally:
            parked.end()
        if core is None:
            print("1..0 # SKIP " + reason)
            return
        not_cores(tap, directory)
        not_recorded(tap)
        cut(tap, core, directory, "")
        damaged(tap, core, directory, "headers", headers_of(core), 150, generator)
        notes = notes_of(core)
        damaged(tap, core, directory, "notes", notes, 200, generator)
        first = sum(notes[0])
        damaged(tap, core, directory, "memory", [(first, os.path.getsize(core) - first)], 50,
                generator)
        replaced_program(tap, core, program, os.path.join(os.path.dirname(PARK),
                                                          "churn-target"))
    with scratch() as directory:
        damaged_32(tap, directory, generator)
    tap.end()


main()
