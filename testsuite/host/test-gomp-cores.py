#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cores of a program that nobody prepared: cut, damaged, without half their libraries. The
host says what is wrong and ends with status 1, or answers; it never crashes, hangs or
tells of threads that were not."""

import json
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from damage import bad_end, cut, damaged, data_of, headers_of, notes_of
from hosttest import PARK, Parked, Tap, host, scratch, stage

LIBRARY = {2: os.path.join(stage, "lib/libompd-2.so"), 5: os.path.join(stage, "lib/libompd.so")}
ROUNDS = 120


def team(core):
    """Numbers of the threads by LWP, or the message of the host."""
    status, out, messages = host("--json", "--lib", LIBRARY[2], core)
    if status:
        return messages.strip()
    return {t["lwp"]: t.get("num") for t in json.loads(out)["threads"] if t["openmp"]}


def libraries(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
    return re.findall(r"=> (/\S+)", listed.stdout)


def without_libraries(tap, directory):
    """Its libraries stand beside the program; then one after the other is gone."""
    own = os.path.join(directory, "own")
    os.mkdir(own)
    for path in libraries(PARK):
        shutil.copy(path, own)
    program = os.path.join(directory, "park")
    shutil.copy(PARK, program)
    parked = Parked("nested", directory, program, {"LD_LIBRARY_PATH": own}, prepared=False)
    try:
        core, reason = parked.kernel_core()
    finally:
        parked.end()
    if core is None:
        tap.skip("a core without its libraries", reason)
        return
    whole = team(core)
    tap.case([] if isinstance(whole, dict) and len(whole) > 1 else [whole],
             "a core with all its libraries")
    for name in sorted(os.listdir(own)):
        path = os.path.join(own, name)
        os.rename(path, path + ".away")
        found = team(core)
        told = isinstance(found, str) and found.count("\n") < 2
        honest = told or found == whole and not name.startswith("libgomp")
        tap.case([] if honest else [found], "without %s: which it is and what follows, or the same" % name)
        with open(path, "wb") as file:
            file.write(b"\x7fELF no more")
        found = team(core)
        honest = isinstance(found, str) or found == whole
        tap.case([] if honest else [found], "with another file as " + name)
        os.replace(path + ".away", path)
    for name in os.listdir(own):
        os.unlink(os.path.join(own, name))
    status, out, messages = host("--json", "--lib", LIBRARY[5], "--abi", 5, core)
    fault = bad_end(status, out, messages, may_answer=False)
    tap.case([fault] if fault else [], "without any library")


def main():
    tap = Tap()
    seed = int(os.environ.get("OMPD_CORES_SEED", random.randrange(1 << 30)))
    print("# OMPD_CORES_SEED=%d" % seed)
    generator = random.Random(seed)
    with scratch() as directory:
        parked = Parked("nested", directory, prepared=False)
        try:
            core, reason = parked.kernel_core()
        finally:
            parked.end()
        if core is None:
            print("1..0 # SKIP " + reason)
            return
        cut(tap, core, directory, "", LIBRARY)
        damaged(tap, core, directory, "headers", headers_of(core), ROUNDS, generator, LIBRARY)
        damaged(tap, core, directory, "notes", notes_of(core), ROUNDS, generator, LIBRARY)
        damaged(tap, core, directory, "data", data_of(core), 2 * ROUNDS, generator, LIBRARY)
    with scratch() as directory:
        without_libraries(tap, directory)
    tap.end()


main()
