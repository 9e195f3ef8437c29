#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/list_threads.c, a debugger over libompd.so in one file, says of threads what the command
ompd says, of programs of gcc and clang, recorded and not; and leaves them as they were."""

import os
import shutil
import subprocess
import tempfile

import ompd_runs
from tap import Tap

ompd_runs.need_libdw()

EXAMPLES = os.path.join(os.environ["stage"], "share/ompd/examples")
LIBRARY = os.path.join(os.environ["stage"], "lib/libompd.so")
RECORDER = os.path.join(os.environ["stage"], "bin/ompd-run")
PROGRAMS = (("transfer", 2), ("mean", 2))  # with their threads


def built(tap, directory, compiler):
    """Whether the client and the programs are made by the installed Makefile, without a warning."""
    include = "-I" + os.path.join(os.environ["stage"], "include")
    done = subprocess.run(
        ["make", "-s", "-f", os.path.join(EXAMPLES, "Makefile"), "CC=" + compiler,
         "CPPFLAGS=-Wall -Wextra -Werror " + include, "list_threads",
         *[name for name, _ in PROGRAMS]],
        cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return tap.ok(done.returncode == 0, compiler + " compiles it", done.stdout)


def listed(directory, pid):
    """(what it prints, as (lwp, number, team size, state), its status)."""
    done = subprocess.run([os.path.join(directory, "list_threads"), LIBRARY, str(pid)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=ompd_runs.LIMIT, check=False)
    return sorted(tuple(line.split()) for line in done.stdout.splitlines()), done.returncode


def told(pid, states):
    """The same by `ompd threads`; of states that it infers, what STATES has for the thread."""
    rows = ompd_runs.ompd("threads", "-json", pid).json or []
    return sorted((str(row["lwp"]), str(row["number"]), str(row["team_size"]),
                   states.get(str(row["lwp"])) if row["derived"] else row["state"])
                  for row in rows)


def compare(tap, directory, compiler, recorded):
    for name, threads in PROGRAMS:
        before = (RECORDER,) if recorded else ()
        case = "%s of %s, %s" % (name, compiler, "recorded" if recorded else "unprepared")
        with ompd_runs.Running(os.path.join(directory, name), "hang", before=before,
                               threads=threads) as one:
            rows, status = listed(directory, one.pid)
            wanted = told(one.pid, {row[0]: row[-1] for row in rows})
            tap.ok(status == 0 and len(rows) == threads and rows == wanted, case, *rows, "wanted:",
                   *wanted)
            tap.equal(one.field("TracerPid"), "0", case + ": it is let go")


def main():
    tap = Tap()
    for compiler in filter(shutil.which, (os.environ["CC"].split()[0], "clang")):
        with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
            if built(tap, directory, compiler):
                for recorded in (True, False):
                    compare(tap, directory, compiler, recorded)
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        if built(tap, directory, os.environ["CC"].split()[0]):
            rows, status = listed(directory, os.getpid())
            tap.ok(status != 0 and len(rows) == 1, "of a program without OpenMP it says so", *rows)
    tap.end()


main()
