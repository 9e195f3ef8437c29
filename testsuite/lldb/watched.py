#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ompd why -watch lets the program run and stops it without a signal that it could notice, whatever
it does with those, and leaves the selected thread as it was."""

import os
import signal
import subprocess
import tempfile

from lldb_runs import answered, need_lldb, python_errors
from harness import compile_program, marks
from rest import comes_to_rest
from tap import Tap

HERE = os.path.dirname(os.path.abspath(__file__))
WATCH = "ompd why -watch 0.3"
HOW = ("handle", "block", "receive")
SOURCE = os.path.join(HERE, "../gdb/watched.c")
tap = Tap()


def looked(scratch, program, how, commands):
    """{command: {"out", "error"}}, last that of the end of the program. lldb lets it end: it sends
    one that it detaches from SIGCONT."""
    with subprocess.Popen([program, how], stdin=subprocess.DEVNULL) as process:
        comes_to_rest(process.pid, 3)
        try:
            found, printed = answered(scratch, {"pid": process.pid, "say": [
                *commands, "process handle -s false -n false SIGUSR2",
                "script import os; os.kill(%d, %d)" % (process.pid, signal.SIGUSR2),
                "continue", "process status"]})
            tap.case(python_errors(printed), how + ": no Python error")
            tap.like(found["process status"]["out"], r"exited with status = 0 ",
                     how + ": the program has noticed nothing")
            return found
        finally:
            process.kill()


def main():
    need_lldb()
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        program = os.path.join(scratch, "watched")
        compile_program(SOURCE, program)
        for how in HOW:
            found = looked(scratch, program, how, ["ompd thread 1", WATCH, "ompd thread"])
            tap.like(found[WATCH]["out"], r"^slow: 2 threads wait for thread 1 .*\[possible\]",
                     how + ": a verdict")
            tap.like(found["ompd thread"]["out"], "OpenMP thread 1/3", how + ": the selected thread")
        found = looked(scratch, program, "", [
            "breakpoint set -f watched.c -l %d" % marks(SOURCE)["works"], "ompd why -watch 300", "thread list",
            "breakpoint delete -f"])
        tap.like(found["thread list"]["out"], "stop reason = breakpoint",
                 "a breakpoint ends it before its time")
        found = looked(scratch, program, "", [
            "process handle -p true SIGSTOP", WATCH, "process handle -p false SIGSTOP"])
        tap.like(found[WATCH]["error"], "lldb passes SIGSTOP to the program, ",
                 "where lldb passes SIGSTOP on it is refused in a sentence")
    tap.end()


main()
