#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks that hang, of Open MPI and of MPICH: a call of MPI is a verdict, and threads of the library's
own hide none."""

import os
import shutil
import subprocess
import tempfile
import time

import ompd_runs
from tap import Tap

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ranks.c")
CALL = "MPI_Recv ()"
# What is said, and how certain it is; MPICH has handlers of signals, which may end the wait for a lock.
WANTED = {"alone": ("mpi", ("possible",)), "team": ("mpi", ("possible",)),
          "lock": ("lock-orphan", ("likely", "possible"))}
PATIENCE = 60


def arrived(pid, wanted):
    """The first verdict of a process, once it is the one that is wanted."""
    until = time.monotonic() + PATIENCE
    while True:
        said = ompd_runs.ompd("why", "-json", pid)
        first = said.json["verdicts"][0] if isinstance(said.json, dict) else {}
        if first.get("id") == wanted or time.monotonic() > until:
            return said, first
        time.sleep(0.5)


def check(tap, name, program, how):
    wanted, certainties = WANTED[how]
    settings = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with ompd_runs.Running(program, how, hangs=False, **settings) as one:
        said, first = arrived(one.pid, wanted)
        tap.ok(first.get("id") == wanted and first.get("certainty") in certainties and
               not said.fault(), "%s, %s" % (name, how), said.out, said.err)
        if wanted == "mpi":
            told = ompd_runs.ompd("why", one.pid)
            tap.ok(CALL in told.out and "-job %d" % os.getpid() in told.out and told.status == 10,
                   "%s, %s: in words" % (name, how), told.status, told.out, told.err)
        steps = [step for leaf in ompd_runs.ompd("stacks", "-json", one.pid).json or ()
                 for step in leaf["steps"]]
        # Open MPI has such a thread always.
        is_folded = name != "Open MPI" or any("helper thread of lib" in step for step in steps)
        tap.ok(is_folded and not {"epoll_wait", "poll"} & set(steps),
               "%s, %s: helper threads are folded" % (name, how), *steps)


def main():
    ompd_runs.need_libdw()
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-mpi-") as directory:
        for name, compiler in (("Open MPI", "mpicc.openmpi"), ("MPICH", "mpicc.mpich")):
            program = os.path.join(directory, compiler)
            if not shutil.which(compiler) or subprocess.run(
                    [compiler, "-g", "-O0", "-fopenmp", SOURCE, "-o", program],
                    check=False, stderr=subprocess.DEVNULL).returncode:
                tap.skip(name, "no %s that makes OpenMP programs" % compiler)
                continue
            for how in WANTED:
                check(tap, name, program, how)
    tap.end()


main()
