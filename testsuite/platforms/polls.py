#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What threads poll, and who has what they wait for, in cores of polls.c: the command says the same of
each compiler's code, with and without optimization, and of each machine. gdb writes the cores, of a
program that qemu runs over its stub, and of one of this machine.

Usage: polls.py PROGRAM...

$QEMU runs those whose names do not begin with "native".
"""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../common"))
from tap import Tap  # noqa: E402

SOURCE = os.path.join(HERE, "polls.c")
TRIES = 5
ENVIRONMENT = dict(os.environ, MALLOC_ARENA_MAX="1", OMP_STACKSIZE="1M")  # for small cores
ONLY_READS = "~in a loop that only reads "
# For each argument, what is said of thread 0 and of each other one.
SAID = {
    0: ((), (ONLY_READS + "flag (is 0, wants another)",),
        (ONLY_READS + "counts[1] (is 0, wants at least 7)",),
        (ONLY_READS + "small (is 0, wants -3)",), (ONLY_READS + "letter (is 0, wants 98)",)),
    4: ((), (ONLY_READS + "wide (is 0, wants -1)",), (ONLY_READS + "rank (is 3, wants at least 5)",),
        (ONLY_READS + "stages[2].done (is 0, wants another)",),
        (ONLY_READS + "published (is 0, wants another)",)),
    8: (("~holds table_lock since hold ()", '~holds critical section "update"'),
        ("~polls lock table_lock", "table_lock is ~held by 0 since hold ()"),
        ("~polls lock stages[2].lock", "stages[2].lock is ~held by 0 since hold ()"),
        ("wants table_lock",), ('wants critical section "update"',)),
}


def line():
    with open(SOURCE, encoding="utf-8") as stream:
        return next(number for number, text in enumerate(stream, 1) if "mark: all_poll" in text)


def core_of(scratch, program, argument):
    """The core that gdb writes of a program at the mark, or None: qemu dies of itself now and then."""
    core, stub, process = os.path.join(scratch, "core"), os.path.join(scratch, "stub"), None
    ways = ["set args %d" % argument, "break polls.c:%d" % line(), "run"]
    if not os.path.basename(program).startswith("native"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(stub)
        process = subprocess.Popen([os.environ["QEMU"], "-g", stub, program, str(argument)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        # What gdb leaves out of a core it decides by what the kernel says of qemu's own memory.
        with open("/proc/%d/coredump_filter" % process.pid, "w", encoding="ascii") as stream:
            stream.write("0x7f")
        while not os.path.exists(stub) and process.poll() is None:
            time.sleep(0.05)
        ways = ["target remote " + stub, ways[1], "continue"]
    commands = ["set debuginfod enabled off", *ways, "generate-core-file " + core, "kill"]
    words = [word for command in commands for word in ("-ex", command)]
    done = subprocess.run([os.environ["GDB"], "-q", "-nx", "-batch", *words, program], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=ENVIRONMENT, timeout=120, check=False)
    if process is not None:
        process.kill()
        process.wait()
    return core if "Saved corefile" in done.stdout else None


def said(core):
    """What the command says of each thread by its number, but for what it does; and all that it prints."""
    done = subprocess.run([os.path.join(os.environ["stage"], "bin/ompd"), "why", core],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found, number = [[] for _ in range(5)], 0
    # A loop without optimization also reads which of the counts it is; lines are wrapped.
    text = re.sub(r",\n +", ", ", done.stdout).replace("stages[2].number, ", "")
    text = re.sub(r"\s+~since polls\.c:\d+, ", " since ", text)
    for row in text.splitlines():
        begins = re.match(r" +\d+ \((\d)/5\) +", row)
        if begins:
            number, row = int(begins.group(1)), row[begins.end():]
        words = re.sub(r"thread \d+ \((\d)/5\)|  +at .*", r"\1", row.strip())
        if "~" in words or words.startswith("wants "):
            found[number].append(words)
    return tuple(map(tuple, found)), done.stdout


def main():
    tap = Tap()
    for program in sys.argv[1:]:
        for argument, wanted in SAID.items():
            with tempfile.TemporaryDirectory(prefix="ompd-polls-") as scratch:
                cores = (core_of(scratch, program, argument) for _ in range(TRIES))
                found, printed = said(next(filter(None, cores), "none"))
            if argument == 4 and os.path.basename(program).endswith("clang-O0"):
                wanted = (*wanted[:-1], ())  # what it loads atomically it stores before the test
            tap.ok(found == wanted, "%s %d" % (os.path.basename(program), argument),
                   "found:  %r" % (found,), "wanted: %r" % (wanted,), *printed.splitlines())
    tap.end()


main()
