#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cores that are damaged anywhere: the host says what is wrong and ends with status 1, or answers;
neither it nor a library crashes or hangs."""

import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from damage import damaged, notes_of
from hosttest import PARK, Parked, Tap, build_32, host_json, scratch, stage


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
    damaged(tap, core, directory, "notes (32-bit)", notes_of(core), 100, generator)


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
        parked = Parked("nested", directory)
        try:
            core, reason = parked.kernel_core()
        finally:
            parked.end()
        if core is None:
            print("1..0 # SKIP " + reason)
            return
        not_recorded(tap)
        notes = notes_of(core)
        damaged(tap, core, directory, "notes", notes, 200, generator)
        first = sum(notes[0])
        damaged(tap, core, directory, "memory", [(first, os.path.getsize(core) - first)], 50,
                generator)
    with scratch() as directory:
        damaged_32(tap, directory, generator)
    tap.end()


main()
