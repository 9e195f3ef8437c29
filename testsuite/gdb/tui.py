# SPDX-License-Identifier: MIT
"""The TUI follows threads and frames that commands of ours select: its status line and the mark in
the source. tmux is the terminal, and says what is on it."""

import os
import re
import shutil
import subprocess
import time

import front_end
import harness

if not shutil.which("tmux"):
    harness.skip_all("tmux is not installed")

PATIENCE = 60  # seconds
tap = front_end.Bench()
program = tap.program("nested.c")
deep = program.lines["deep"]
with open(program.source, encoding="utf-8") as stream:
    text = stream.read().splitlines()
rest = next(n for n, line in enumerate(text, 1) if n > deep and "usleep(1000);" in line)


def tmux(*words):
    return subprocess.run(["tmux", "-S", os.path.join(tap.scratch, "socket"), *words],
                          check=False, capture_output=True, encoding="utf-8").stdout


def screen(is_done, patience=PATIENCE):
    """What is on the screen, as soon as it is all there, or in the end."""
    end = time.monotonic() + patience
    while True:
        shown = tmux("capture-pane", "-p")
        if is_done(shown) or time.monotonic() > end:
            return shown
        time.sleep(0.2)


def status(shown):
    """(function, line) of the status line, and the line that has the mark in the source."""
    found = re.search(r" In: (\S+) +L(\d+) ", shown)
    mark = re.search(r"^\W*[B+]*> *(\d+) ", shown, re.M)
    return found and (found.group(1), int(found.group(2))), mark and int(mark.group(1))


try:
    settings = ["set confirm off", "set pagination off", "set tui border-kind ascii",
                "source " + front_end.PLUGIN,
                "break nested.c:%d" % deep, "run"]
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40",
         "env", "LC_ALL=C.UTF-8", os.environ["GDB"], "-q", "-nx", "-tui",
         *[word for one in settings for word in ("-ex", one)], program.path)
    screen(lambda shown: "hit Breakpoint 1" in shown)
    shown = screen(lambda shown: " In: " in shown, 5)  # gdb 18 does not show the first stop's place
    if " In: " not in shown:
        tap.skip("the TUI", "this gdb has none, or not here")
    else:
        for command, line in (("ompd thread 1.0", rest), ("ompd thread 2.1", deep)):
            wanted = ("relax._omp_fn.0", line), line
            told = "[Switching to OpenMP thread " + command[-3]
            tmux("send-keys", command, "Enter")
            shown = screen(lambda shown: status(shown) == wanted and told in shown)
            tap.equal(status(shown), wanted, command + ": status line and mark")
            tap.equal(shown.count(told), 1, command + ": told once")
finally:
    tmux("send-keys", "kill", "Enter", "quit", "Enter")
    time.sleep(1)
    tmux("kill-server")
tap.end()
