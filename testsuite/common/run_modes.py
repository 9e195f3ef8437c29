# SPDX-License-Identifier: MIT
#
# One program run bare, with the hooks loaded and off, with them recording, with flight recorders
# too, and recording with a tool of OMPT; and what of two runs differs, seen from outside: stdout,
# stderr, exit status or signal.

import os
import signal
import subprocess

SHOWN_LINES = 40
SHOWN_STACK_LINES = 150

# What a session may hold and a program under test must not see unasked.
FOREIGN = ("OMP_", "GOMP_", "LD_PRELOAD", "MALLOC_", "LC_", "LANG")


# A word of a command in whose place ompd-run is called; without one it comes first.
RUN = "{run}"
BY_RUN = ("recording", "history", "tool")  # modes in which it is called


class Outcome:
    """Of one run. status: as in subprocess, None for a run that had to be killed."""

    def __init__(self, status, out, err, note=""):
        self.status, self.out, self.err, self.note = status, out, err, note

    def shown(self):
        lines = []
        for name in ("out", "err"):
            text = getattr(self, name).decode(errors="backslashreplace").splitlines()
            lines += ["std%s: %s" % (name, line) for line in text[:SHOWN_LINES]]
        return ["status %s" % self.status] + lines + self.note.splitlines()[:SHOWN_STACK_LINES]


class Modes:
    """`tool` is the library that the mode of that name loads."""

    def __init__(self, stage, tool=None):
        self.stage = stage
        self.hooks = os.path.join(stage, "lib", "libompd-hooks.so")
        self.runner = os.path.join(stage, "bin", "ompd-run")
        self.tool = tool

    def missing(self):
        return [p for p in (self.hooks, self.runner) if not os.path.exists(p)]

    def prepare(self, mode, environment):
        """Changes the environment as the mode wants it; returns the words before a command."""
        if mode == "off":
            others = environment.get("LD_PRELOAD")
            environment["LD_PRELOAD"] = self.hooks + (":" + others if others else "")
        if mode == "tool":
            environment["OMP_TOOL_LIBRARIES"] = self.tool
        if mode not in BY_RUN:
            return []
        return [self.runner] + ["--history", "--sums"] * (mode == "history")


def _stacks_of(pid):
    """Where a program hangs, for the report."""
    gdb = os.environ.get("GDB") or "gdb"
    try:
        return subprocess.run([gdb, "-nx", "-iex", "set auto-load no", "-batch", "-p",
                               str(pid), "-ex", "thread apply all bt 8"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, text=True, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "no stacks\n"


def run(modes, mode, command, settings, stdin="", timeout=20, cwd=None):
    """The Outcome of `command` in this mode, in an environment that holds `settings`."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    environment.update({"LC_ALL": "C", "OMP_NUM_THREADS": "2"}, **settings)
    command = list(command)
    at = command.index(RUN) if RUN in command else 0
    command[at:at + (RUN in command)] = modes.prepare(mode, environment)
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, cwd=cwd,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        out, err = process.communicate(stdin.encode(), timeout=timeout)
        if mode in BY_RUN:  # what ompd-run says is not the program's
            err = b"".join(line for line in err.splitlines(True)
                           if not line.startswith(b"ompd-run: "))
        return Outcome(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        note = "still running after %d s:\n%s" % (timeout, _stacks_of(process.pid))
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Outcome(None, out, err, note)


def _same_text(a, b, unordered):
    return a == b or unordered and sorted(a.splitlines()) == sorted(b.splitlines())


def differences(bare, other, unordered=False):
    """What of two outcomes differs, in words; empty when nothing does."""
    found = []
    if bare.status != other.status:
        found.append("status %s, bare %s" % (other.status, bare.status))
    for name in ("out", "err"):
        if not _same_text(getattr(bare, name), getattr(other, name), unordered):
            found.append("std%s differs" % name)
    return found
