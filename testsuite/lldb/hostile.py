#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cores that are cut short or damaged: each command answers, or says in a sentence why not. lldb
may not take one for a core; no command of ours may fail."""

import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../host"))
from lldb_runs import need_lldb, python_errors, session  # noqa: E402
from damage import PT_LOAD, PF_W, segments  # noqa: E402
from harness import compile_program  # noqa: E402
from rest import comes_to_rest  # noqa: E402
from tap import Tap, skip_all  # noqa: E402

COMMANDS = ("ompd why", "ompd threads", "ompd stacks")
TIMES = 2
tap = Tap()


def looked(core, program, name):
    """Without a program lldb opens the core, too; --batch ends at a command that fails."""
    faults = []
    for command in COMMANDS:
        printed = session("target create %s -c %s" % (program, core), command)
        faults += python_errors(printed)
        at = printed.rfind("(lldb) " + command)
        if at < 0:
            continue  # lldb does not take it for a core
        answer = printed[at + len(command) + 8:].strip()
        if not answer:
            faults.append("%s: no answer" % command)
    tap.case(faults, name)


def kernel_core(scratch):
    """That of examples/transfer.c, which hangs, or None."""
    program = os.path.join(scratch, "transfer")
    compile_program(os.path.join(os.environ["top_srcdir"], "examples/transfer.c"), program)
    resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
    with subprocess.Popen([program, "hang"], cwd=scratch, stdout=subprocess.DEVNULL) as process:
        comes_to_rest(process.pid)
        process.send_signal(signal.SIGABRT)
    return next((os.path.join(scratch, name) for name in os.listdir(scratch)
                 if re.fullmatch(r"core(\.\d+)?", name)), None)


def damaged(core, path, chance):
    """Some words of what the process may write to are others."""
    with open(core, "rb") as stream:
        data = bytearray(stream.read())
    writable = [(offset, size) for kind, flags, offset, size in segments(core)
                if kind == PT_LOAD and flags & PF_W and size]
    for _ in range(2000):
        offset, size = chance.choice(writable)
        at = offset + chance.randrange(max(size - 8, 1))
        data[at:at + 8] = chance.choice((bytes(8), b"\xff" * 8, chance.randbytes(8)))[:len(
            data[at:at + 8])]
    with open(path, "wb") as stream:
        stream.write(data)


def main():
    need_lldb()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="ompd-lldb-") as scratch:
        core, path = kernel_core(scratch), os.path.join(scratch, "bad")
        program = os.path.join(scratch, "transfer")
        if core is None:
            skip_all("the kernel writes no core into the directory of a program")
        looked(core, program, "the whole core")
        size = os.path.getsize(core)
        for percent in (95, 60, 20, 2):
            with open(core, "rb") as stream, open(path, "wb") as other:
                other.write(stream.read(size * percent // 100))
            looked(path, program, "a core of which %d %% are left" % percent)
        for number in range(TIMES):
            damaged(core, path, chance)
            looked(path, program, "a damaged core, %d" % number)
    tap.end()


main()
