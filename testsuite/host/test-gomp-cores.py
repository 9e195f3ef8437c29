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
    status, out, messages = host("--lib", LIBRARY[2], core)
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
    status, out, messages = host("--lib", LIBRARY[5], "--abi", 5, core)
    fault = bad_end(status, out, messages, may_answer=False)
    tap.case([fault] if fault else [], "without any library")


def spoilt(tap, program, kind, generator):
    with scratch() as directory:
        parked = Parked("nested", directory, program, prepared=False)
        try:
            core, reason = parked.kernel_core()
        finally:
            parked.end()
        if core is None:
            tap.skip(kind + "cores of a program", reason)
            return
        cut(tap, core, directory, kind, LIBRARY)
        for what, places, rounds in (("headers", headers_of, ROUNDS), ("notes", notes_of, ROUNDS),
                                     ("data", data_of, 2 * ROUNDS)):
            damaged(tap, core, directory, kind + what, places(core), rounds, generator, LIBRARY)


CLANG_SOURCE = """
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
omp_lock_t lock;
int main(void)
{
    alarm(60);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
#pragma omp parallel num_threads(4)
    switch (omp_get_thread_num()) {
    case 0:
        for (int i = 0; i < 3; i++)
#pragma omp task depend(inout : lock)
            pause();
#pragma omp taskwait
        break;
    case 1:
        omp_set_lock(&lock);
        break;
    case 2:
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num()) {
            usleep(300000);
            puts("{}");
            fflush(stdout);
            pause();
        }
        break;
    default:
#pragma omp critical(section)
        pause();
    }
}
"""


def of_clang(directory):
    """A program on LLVM's runtime with some of everything, or None."""
    path = os.path.join(directory, "clang")
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(CLANG_SOURCE)
    compiler = os.environ.get("CLANG") or "clang"
    if not shutil.which(compiler):
        return None
    done = subprocess.run([compiler, "-g", "-O1", "-fopenmp", path + ".c", "-o", path],
                          stderr=subprocess.DEVNULL, check=False)
    return None if done.returncode else path


def main():
    tap = Tap()
    seed = int(os.environ.get("OMPD_CORES_SEED", random.randrange(1 << 30)))
    print("# OMPD_CORES_SEED=%d" % seed)
    generator = random.Random(seed)
    spoilt(tap, PARK, "", generator)
    with scratch() as directory:
        program = of_clang(directory)
        if program is None:
            tap.skip("clang: cores of a program", "clang with OpenMP is not installed")
        else:
            spoilt(tap, program, "clang: ", generator)
    with scratch() as directory:
        without_libraries(tap, directory)
    tap.end()


main()
