# SPDX-License-Identifier: MIT
"""A program brought to a stop that is the same in each run: all its threads sleep, or run in
circles at the marked line."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(SUITE, "gdb"))
from harness import clang_of, compile_program, compiler_of, marks  # noqa: E402  pylint: disable=wrong-import-position
from rest import states  # noqa: E402  pylint: disable=wrong-import-position

# Seconds for which nothing changes in what has settled, looks in that time, and how long it
# may take to get there.
QUIET, LEAST, LIMIT = 0.3, 10, 20


def gdb(script, **environment):
    return subprocess.run(
        [os.environ.get("GDB") or "gdb", "-nx", "-batch", "-ex",
         "source " + os.path.join(HERE, script)], stdin=subprocess.DEVNULL,
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", LC_ALL="C.UTF-8", **environment),
        capture_output=True, text=True, timeout=120, check=False, errors="replace")


def line(source, mark):
    """The line of the comment `mark: MARK`."""
    return marks(os.path.join(SUITE, source))[mark]


class Programs:
    """The programs, compiled once each into DIRECTORY, and copies that stay at a mark."""

    def __init__(self, directory):
        self._directory = directory
        self._lock = threading.Lock()

    def _path(self, *words):
        return os.path.join(self._directory, "-".join(words).replace("/", "-").replace(" ", ""))

    def _built(self, source, flags, clang):
        path = self._path(source, flags, *["clang"] * clang)
        if not os.path.exists(path):
            compile_program(os.path.join(SUITE, source), path, flags,
                            clang_of if clang else compiler_of)
        return path

    def stopping(self, source, flags, mark, clang):
        """The program that stays at MARK, if there is one. CLANG: that compiler's."""
        with self._lock:
            return self._stopping(source, flags, mark, clang)

    def _stopping(self, source, flags, mark, clang):
        program = self._built(source, flags, clang)
        if not mark:
            return program
        path = self._path(source, flags, mark, *["clang"] * clang)
        if not os.path.exists(path):
            shutil.copy(program, path)
            done = gdb("patch.py", OMPD_PROGRAM=path,
                       OMPD_LINE="%s:%d" % (os.path.basename(source), line(source, mark)))
            if done.returncode or "Traceback" in done.stderr or "Error" in done.stderr:
                raise RuntimeError(done.stdout + done.stderr)
        return path


def _descendant(pid):
    """The last of a process's children, of whose children it is the last, or itself."""
    for _ in range(8):
        try:
            children = []
            for thread in os.listdir("/proc/%d/task" % pid):
                with open("/proc/%d/task/%s/children" % (pid, thread), encoding="ascii") as line:
                    children += line.read().split()
        except OSError:
            return pid
        children = [int(child) for child in children if "Z" not in states(int(child)).values()]
        if not children:
            return pid
        pid = children[-1]
    return pid


class Stopped:
    """COMMAND, settled: for some time no thread came or went, and those that did not sleep in
    any moment of it are none, or some if it SPINS."""

    def __init__(self, command, spins, environment):
        # What runs in circles ends by itself should this script be killed.
        limited = ["sh", "-c", 'ulimit -t 60; exec "$@"', "sh", *command]
        self._process = subprocess.Popen(limited, stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, env=environment,
                                         start_new_session=True)
        self.pid, self.settled = self._process.pid, False
        self.states = []  # of the last moments: (time, process, {thread: state})
        end = time.monotonic() + LIMIT
        while not self.settled and time.monotonic() < end and self._process.poll() is None:
            time.sleep(0.01)
            self.pid = _descendant(self._process.pid)
            self._add(time.monotonic(), self.pid, states(self.pid))
            runs = [thread for thread in self.states[-1][2]
                    if all(one[thread] == "R" for _, _, one in self.states)]
            self.settled = bool(runs) == spins and len(self.states) > LEAST and \
                self.states[-1][0] - self.states[0][0] > QUIET
        if self.settled:
            os.kill(self.pid, signal.SIGSTOP)  # it would take time from those who read it

    def _add(self, now, pid, found):
        if self.states and (pid, set(found)) != (self.states[-1][1], set(self.states[-1][2])):
            self.states = []
        self.states = [one for one in self.states if now - one[0] < 2 * QUIET]
        self.states.append((now, pid, found))

    def last(self):
        """How it looked in the last moment, in words."""
        status = self._process.poll()
        return "ended with %s" % status if status is not None else \
            "states %s" % sorted(self.states[-1][2].values())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self._process.pid, 9)
        except ProcessLookupError:
            pass
        self._process.wait()
