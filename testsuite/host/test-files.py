#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that name no library, and cores whose libgomp is gone, replaced, or elsewhere."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, host, scratch

CC = os.environ.get("CC", "gcc").split()
SOURCE = """#include <omp.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    alarm(60);
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) { puts("ready"); fflush(stdout); }
        for (;;) pause();
    }
}
"""


def start(directory):
    """The program, run on a copy of libgomp in DIRECTORY/lib."""
    path, libraries = (os.path.join(directory, name) for name in ("program", "lib"))
    with open(path + ".c", "w") as file:
        file.write(SOURCE)
    subprocess.run([*CC, "-O1", "-fopenmp", path + ".c", "-o", path], check=True)
    used = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    os.mkdir(libraries)
    shutil.copy(re.search(r"libgomp\S+ => (\S+)", used).group(1),
                libraries + "/libgomp.so.1")
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    process = subprocess.Popen(
        [path], stdout=subprocess.PIPE, text=True, cwd=directory,
        env=dict(os.environ, LD_LIBRARY_PATH=libraries),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)))
    process.stdout.readline()
    return process, libraries + "/libgomp.so.1"


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True,
                           check=True).stdout
    return re.search(r"Build ID: (\w+)", notes).group(1)


def team(*arguments):
    """Faults unless the host lists a team of three by either version, and says nothing."""
    faults = []
    for abi in (2, 5):
        status, out, messages = host("--json", "--abi", abi, *arguments)
        threads = json.loads(out)["threads"] if status == 0 else []
        if sorted(t["num"] for t in threads if t["openmp"]) != [0, 1, 2] or messages:
            faults.append("version %d: status %d, %s" % (abi, status, messages or threads))
    return faults


def missed(core, words):
    """Faults unless the host's first line tells of the file and no thread is made up."""
    faults = []
    for abi in (2, 5):
        status, out, messages = host("--json", "--abi", abi, core)
        lines = messages.splitlines()
        if status != 1 or out or len(lines) > 2 or not lines[0].endswith(words):
            faults.append("version %d: status %d, %r" % (abi, status, messages))
    return faults


def other_build(path, identity):
    """The same file under another build-id."""
    with open(path, "r+b") as file:
        data = file.read()
        file.seek(data.index(bytes.fromhex(identity)))
        file.write(b"\0" * 8)


def main():
    tap = Tap()
    with scratch() as directory:
        process, library = start(directory)
        tap.case(team(process.pid), "a process that names no library")
        identity = build_id(library)
        process.send_signal(signal.SIGABRT)
        process.wait()
        cores = [name for name in os.listdir(directory) if name.startswith("core")]
        if not cores:
            tap.skip("the same of its core", "the kernel leaves none in the program's directory")
            tap.end()
        core = os.path.join(directory, cores[0])
        tap.case(team(core), "its core")
        elsewhere = os.path.join(directory, "elsewhere")
        os.mkdir(elsewhere)
        shutil.move(library, elsewhere)
        advice = " (build-id %s): --sysroot DIR says where it is." % identity
        tap.case(missed(core, "libgomp.so.1 of this core is not on this machine" + advice),
                 "its core without libgomp")
        tap.case(team("--sysroot", elsewhere, core), "libgomp found in a directory")
        below = elsewhere + os.path.dirname(library)
        os.makedirs(below)
        shutil.move(elsewhere + "/libgomp.so.1", below)
        tap.case(team("--sysroot", elsewhere, core), "and under its path in one")
        shutil.copy(below + "/libgomp.so.1", library)
        other_build(library, identity)
        tap.case(missed(core, "libgomp.so.1 of this core is another build on this machine" +
                        advice), "its core with another build of libgomp")
    tap.end()


if __name__ == "__main__":
    main()
