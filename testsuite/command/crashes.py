#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`ompd run -watchdog` of programs that a signal ends, without a core: the log says why, and they end as
they do below ompd-run. Of those that handle the signal, or expect the end of a child, nothing is said."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import ompd_runs
from rest import that_runs
from tap import Tap

ompd_runs.need_libdw()

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crashing.cc")
HEALTHY = 5  # runs of each
# How a program ends, the verdict, and a line below it.
CRASHES = (
    ("region", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"in +#pragma omp parallel"),
    ("task", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"in +the task of crashing\.cc:"),
    ("main", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"at +crashing\.cc:\d+, store \(\)"),
    ("asserts", signal.SIGABRT, r"crash: SIGABRT in thread", r"libc +.*Assertion|.*`sum > 1'"),
    ("uncaught", signal.SIGABRT, r"crash: an exception that nobody catches", r"in +#pragma omp parallel"),
    ("overflow", signal.SIGSEGV, r"crash: stack overflow in thread", r"at +crashing\.cc:\d+, descend \(\)"),
    ("divides", signal.SIGFPE, r"crash: SIGFPE in thread", r"in +#pragma omp parallel"),
    ("says", signal.SIGSEGV, r"crash: SIGSEGV in thread", r"sent +by the process itself"))
# Signals that the program handles, a child whose end it expects, and none.
UNTOUCHED = "handled", "hidden", "expected", ""


def run(*words, watched=True):
    """(status, what is printed, what is said)"""
    command = [ompd_runs.OMPD, "run", "-watchdog", "30"] if watched else [
        os.path.join(ompd_runs.STAGE, "bin/ompd-run")]
    done = subprocess.run([*command, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def crashes(tap, name, program):
    for how, number, verdict, line in CRASHES:
        _, wanted, _ = run(program, how, watched=False)
        status, out, said = run(program, how)
        pattern = r"^ompd: a crash after .*\n%s.*\[certain\](?:\n .*)*\n  (?:%s)" % (verdict, line)
        tap.ok(status == -number and out == wanted and re.search(pattern, said, re.M) and "ompd bt" not in said,
               "%s, %s" % (name, how), status, out, said)


def untouched(tap, name, program):
    for how in UNTOUCHED:
        wanted = run(program, how, watched=False)
        found = {run(program, how) for _ in range(HEALTHY)}
        tap.equal(found, {wanted}, "%s, %s: nothing is said" % (name, how or "none"))


def of_several(tap, program):
    """A child, whose parent fails, too; ranks, as one."""
    status, _, said = run(program, "child")
    tap.ok(status == 3 and said.count("crash: SIGSEGV in thread") == 1, "a child", status, said)
    script = "for rank in 0 1 2; do PMI_RANK=$rank PMI_SIZE=3 \"$0\" region & done; wait; exit 3"
    status, _, said = run("sh", "-c", script, program)
    tap.ok(status == 3 and re.search(
        r"^ompd: a crash after \d+ s: 3 ranks on 1 node\n3 ranks +crash: SIGSEGV .* 0-2$", said, re.M),
        "ranks", status, said)


def has_report(tap, program, directory):
    reports = os.path.join(directory, "reports")
    status, _, said = run("-report", reports, program, "region")
    cores = [os.path.join(reports, one) for one in os.listdir(reports) if one.endswith(".core")]
    seen = ompd_runs.ompd("why", *cores)
    tap.ok(status == -signal.SIGSEGV and len(cores) == 1 and seen.status == 12 and
           "crash: SIGSEGV in thread" in seen.out and "crashing.cc" in seen.out,
           "a snapshot, which has the signal", said, seen.out, seen.err)


def keeps_its_status(tap, name, program):
    """Where a watchdog is late, and another thread calls exit() meanwhile."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0ompd-test-%d-%s" % (os.getpid(), name))
        listener.listen()
        with subprocess.Popen([os.path.join(ompd_runs.STAGE, "bin/ompd-run"), "--crash-socket",
                               listener.getsockname()[1:].decode(), program, "exits"]) as one:
            listener.settimeout(ompd_runs.LIMIT)
            with listener.accept()[0] as caller:
                thread = int.from_bytes(caller.recv(4), "little")
                others = os.listdir("/proc/%d/task" % one.pid)
                time.sleep(1.5)
                lives = one.poll() is None
            tap.equal((str(thread) in others, lives, one.wait(ompd_runs.LIMIT)), (True, True, -signal.SIGSEGV),
                      name + ": exit() of another thread waits")


def is_let_in(tap, program):
    """A debugger, to which the signal comes first, and which nobody is in the way of."""
    with ompd_runs.Running(ompd_runs.OMPD, "run", "-watchdog", "60", program, "waits", hangs=False) as one:
        pid = that_runs(one.pid, os.path.basename(program))
        done = subprocess.run(
            [os.environ["GDB"], "-batch", "-nx", "-p", str(pid), "-ex", "signal SIGSEGV", "-ex", "kill"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=100)
        tap.like(done.stdout.decode(), r"received signal SIGSEGV", "a debugger is let in")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="ompd-") as directory:
        for compiler in "g++", "clang++":
            program = os.path.join(directory, "crashing-" + compiler)
            if shutil.which(compiler) and not subprocess.run(
                    [compiler, "-g", "-O0", "-fopenmp", SOURCE, "-o", program], check=False,
                    stderr=subprocess.DEVNULL).returncode:
                crashes(tap, compiler, program)
                untouched(tap, compiler, program)
                keeps_its_status(tap, compiler, program)
            else:
                tap.skip(compiler, "it makes no OpenMP programs")
        of_several(tap, program)
        has_report(tap, program, directory)
        is_let_in(tap, program)
    tap.end()


main()
