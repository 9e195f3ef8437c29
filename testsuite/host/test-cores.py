#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cores that are not as they should be: cut anywhere, damaged anywhere, with files that are
gone or were replaced. The host says what is wrong and ends with status 1, or answers; it
never crashes, hangs or makes up names."""

import os
import random
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import PARK, Parked, Tap, build_32, host, host_json, scratch, stage

PT_NOTE = 4


def bad_end(status, _, messages, may_answer):
    """What is wrong with how the host ended, or None."""
    if "Sanitizer" in messages:
        return messages
    if status == 0 and may_answer:
        return None
    if status != 1:
        return "status %d: %s" % (status, messages.strip())
    if not messages.startswith("ompd-host: "):
        return "status 1 without a reason: %r" % messages
    return None


def cut(tap, core, directory, kind):
    """The core cut at every percent and within its headers, from the longest down."""
    short = os.path.join(directory, "short")
    shutil.copy(core, short)
    size = os.path.getsize(core)
    sizes = [size - 1] + [size * percent // 100 for percent in range(99, 0, -1)]
    faults = []
    for length in sizes + [1000, 120, 100, 64, 63, 16, 15, 4, 1, 0]:
        os.truncate(short, length)
        for abi in (2, 5):
            fault = bad_end(*host("--json", "--abi", abi, short), may_answer=False)
            if fault:
                faults.append("%d bytes, version %d: %s" % (length, abi, fault))
    tap.case(faults, "a %score cut at every percent of its %d bytes and in its headers" %
             (kind, size))


def notes_of(data):
    """Offset and size of the note segment."""
    is_64 = data[4] == 2
    phoff, = struct.unpack_from("<Q" if is_64 else "<I", data, 32 if is_64 else 28)
    size, count = struct.unpack_from("<HH", data, 54 if is_64 else 42)
    for i in range(count):
        at = phoff + i * size
        kind, = struct.unpack_from("<I", data, at)
        offset, _, _, length = struct.unpack_from(*("<QQQQ", data, at + 8) if is_64
                                                  else ("<IIII", data, at + 4))
        if kind == PT_NOTE:
            return offset, length
    raise RuntimeError("the core has no notes")


def damaged(tap, core, directory, text, first, last, rounds, generator):
    """Random bytes at random places of a part of the core."""
    path = os.path.join(directory, "damaged")
    shutil.copy(core, path)
    faults = []
    with open(path, "r+b", buffering=0) as file:
        for i in range(rounds):
            healthy = []
            for _ in range(generator.choice((1, 3, 20))):
                at = generator.randrange(first, last)
                healthy.append((at, os.pread(file.fileno(), 1, at)))
                byte = generator.choice((0, 1, 0x7f, 0x80, 0xff, generator.randrange(256)))
                os.pwrite(file.fileno(), bytes((byte,)), at)
            fault = bad_end(*host("--json", "--abi", 2 + i % 2 * 3, path), may_answer=True)
            if fault:
                faults.append("round %d, bytes %s: %s" %
                              (i, [at for at, _ in healthy], fault))
            for at, byte in reversed(healthy):
                os.pwrite(file.fileno(), byte, at)
    tap.case(faults, "%d cores with damaged %s" % (rounds, text))


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
    with open(core, "rb") as file:
        first, length = notes_of(file.read(1 << 20))
    damaged(tap, core, directory, "headers (32-bit)", 0, first, 50, generator)
    damaged(tap, core, directory, "notes (32-bit)", first, first + length, 100, generator)


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
        if status != 1 or "ompd_dll_locations" not in messages:
            faults.append("version %d: %s" % (abi, messages))
    tap.case(faults, "a process without OpenMP")


def not_recorded(tap):
    """The hooks are there, and nobody told them to record."""
    hooks = os.path.join(stage, "lib/libompd-hooks.so")
    environment = dict(os.environ, LD_PRELOAD=hooks, GOMP_SPINCOUNT="0")
    for name in ("OMP_OMPD", "OMP_DEBUG"):
        environment.pop(name, None)
    with subprocess.Popen([PARK, "work"], stdout=subprocess.PIPE, env=environment) as park:
        park.stdout.readline()
        faults = []
        for abi in (2, 5):
            status, _, messages = host("--abi", abi, park.pid)
            if status != 1 or "needs_state_tracking" not in messages:
                faults.append("version %d: status %d: %s" % (abi, status, messages))
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
        with open(core, "rb") as file:
            first, length = notes_of(file.read(1 << 20))
        damaged(tap, core, directory, "headers", 0, first, 150, generator)
        damaged(tap, core, directory, "notes", first, first + length, 200, generator)
        damaged(tap, core, directory, "memory", first + length,
                os.path.getsize(core), 50, generator)
        replaced_program(tap, core, program, os.path.join(os.path.dirname(PARK),
                                                          "churn-target"))
    with scratch() as directory:
        damaged_32(tap, directory, generator)
    tap.end()


main()
