#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which library is loaded, and cores whose libgomp is gone, replaced, or elsewhere."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from hosttest import Tap, host, scratch, stage

CC = os.environ.get("CC", "gcc").split()
# Leaves a file when it is loaded.
TRAP = """#include <stdio.h>
__attribute__((constructor)) static void spring(void)
{
    FILE *file = fopen("%s", "w");
    if (file)
        fclose(file);
}
"""
SOURCE = """static const char *locations[] = {TRAP, 0};
const char **ompd_dll_locations = locations;
#include <omp.h>
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
    trap = os.path.join(directory, "libompd.so")
    with open(trap + ".c", "w") as file:
        file.write(TRAP % sprung(directory))
    subprocess.run([*CC, "-shared", "-fPIC", trap + ".c", "-o", trap], check=True)
    shutil.copy(trap, os.path.join(directory, "libompd-2.so"))
    subprocess.run([*CC, "-O1", "-fopenmp", '-DTRAP="%s"' % trap, path + ".c", "-o", path],
                   check=True)
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


def sprung(directory):
    """The file that the library leaves which the program names."""
    return os.path.join(directory, "sprung")


def not_sprung(directory):
    return ["the library that the program names was loaded"] if os.path.exists(
        sprung(directory)) else []


def refused(pid, library, words):
    """Faults unless the host does not load a library that the user names, in a sentence."""
    status, out, messages = host("--abi", 5, "--lib", library, pid)
    return [] if status == 1 and not out and messages == "ompd-host: %s is not loaded. %s\n" % (
        library, words) else [repr((status, messages))]


def named(tap, pid, directory):
    """--lib: what others may have written is refused."""
    copy = os.path.join(directory, "copy.so")
    shutil.copy(os.path.join(stage, "lib/libompd.so"), copy)
    os.chmod(copy, 0o644)
    status, _, messages = host("--abi", 5, "--lib", copy, pid)
    tap.case([] if status == 0 else [messages], "--lib")
    os.chmod(copy, 0o666)
    tap.case(refused(pid, copy, "It may be written by others."), "others may write to it")
    os.chmod(copy, 0o644)
    os.chmod(directory, 0o770)
    tap.case(refused(pid, copy, "A directory above it may be written by others."),
             "or to its directory")
    os.chmod(directory, 0o700)
    os.mkfifo(copy + ".fifo")
    tap.case(refused(pid, copy + ".fifo", "It is no regular file."), "a FIFO")
    tap.case(refused(pid, "/nowhere", "It cannot be opened: No such file or directory."),
             "nothing")


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True,
                           check=True).stdout
    return re.search(r"Build ID: (\w+)", notes).group(1)


def team(*arguments):
    """Faults unless the host lists a team of three by either version, and says nothing."""
    faults = []
    for abi in (2, 5):
        status, out, messages = host("--abi", abi, *arguments)
        threads = json.loads(out)["threads"] if status == 0 else []
        if sorted(t["num"] for t in threads if t["openmp"]) != [0, 1, 2] or messages:
            faults.append("version %d: status %d, %s" % (abi, status, messages or threads))
    return faults


def missed(core, words):
    """Faults unless the host's first line tells of the file and no thread is made up."""
    faults = []
    for abi in (2, 5):
        status, out, messages = host("--abi", abi, core)
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
        tap.case(team(process.pid) + not_sprung(directory), "a process that names a library")
        named(tap, process.pid, directory)
        identity = build_id(library)
        process.send_signal(signal.SIGABRT)
        process.wait()
        cores = [name for name in os.listdir(directory) if name.startswith("core")]
        if not cores:
            tap.skip("the same of its core", "the kernel leaves none in the program's directory")
            tap.end()
        core = os.path.join(directory, cores[0])
        tap.case(team(core) + not_sprung(directory), "its core")
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
