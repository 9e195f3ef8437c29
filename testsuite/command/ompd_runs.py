# SPDX-License-Identifier: MIT
"""Runs the command and the programs that it looks at."""

import ctypes
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(SUITE, name) for name in ("common", "gdb")]
from rest import comes_to_rest, that_runs  # noqa: E402
from harness import compile_program  # noqa: E402
from tap import skip_all  # noqa: E402

STAGE = os.environ["stage"]
OMPD = os.path.join(STAGE, "bin/ompd")
LOOKS = ("why", "threads", "stacks", "bt", "tasks", "locks", "regions", "history", "parallel", "icvs", "env",
         "status", "devices", "mappings", "doctor", "top", "snapshot")
LIMIT = 60  # seconds that a look may take on a machine that is busy


def need_libdw():
    """Skips the test where the command's library is not installed."""
    try:
        ctypes.CDLL("libdw.so.1")
    except OSError:
        skip_all("libdw.so.1 is not installed")


def gdb_core(pid, path):
    """Has gdb write a core of a process."""
    subprocess.run([os.environ["GDB"], "-batch", "-nx", "-p", str(pid), "-ex",
                    "generate-core-file " + path], stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT, check=True)


class Said:
    """What the command has printed, and its exit status."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def json(self):
        """The one object or array that it printed, or None."""
        try:
            return json.loads(self.out)
        except ValueError:
            return None

    def fault(self):
        """What no command may end with, or None: it answers, or says in a sentence why not."""
        if self.status not in (0, 10, 11, 12, 64, 66, 73, 77, 78):
            return "status %s: %s" % (self.status, self.err[-2000:])
        wrong = [line for line in self.err.splitlines()
                 if not re.match(r"ompd: .*[.:]$", line) or ": it failed" in line]
        return "said %r" % self.err[-2000:] if wrong or "Traceback" in self.out else None


def ompd(*words, before=(), environment=None, timeout=LIMIT, stdin=subprocess.DEVNULL):
    """What it says to these WORDS; a status of None: it was killed for it did not end. A busy machine
    gets more time than the command gives by itself."""
    if words and words[0] in LOOKS and "-limit" not in words:
        words = words[0], "-limit", timeout, *words[1:]
    try:
        done = subprocess.run([*before, OMPD, *map(str, words)], stdin=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env=environment, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        return Said(None, "", str(error))
    return Said(done.returncode, done.stdout.decode("utf-8", "replace"),
                done.stderr.decode("utf-8", "replace"))


def says(tap, said, status, pattern, name):
    """A sentence of the command, and nothing else."""
    fault = said.fault()
    tap.ok(fault is None and said.status == status and not said.out and
           re.fullmatch(pattern, said.err.strip()), name, fault, "status %s" % said.status,
           said.out, said.err, "wanted: " + pattern)


def compiled(directory, source, name, flags="-O0"):
    """The path of a program, or None where it cannot be made."""
    path = os.path.join(directory, name)
    try:
        compile_program(os.path.join(SUITE, source), path, flags)
    except (OSError, subprocess.CalledProcessError):
        return None
    return path


class Running:
    """A program with its words, once it has come to rest if it HANGS."""

    def __init__(self, *words, hangs=True, before=(), threads=2, **settings):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith(("OMP_", "GOMP_", "LD_"))}
        environment.update(OMP_WAIT_POLICY="passive", **settings)
        self._process = subprocess.Popen([*before, *words], env=environment,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, start_new_session=True)
        self.pid = self._process.pid
        if hangs:
            comes_to_rest(self.pid, threads)

    def lines(self):
        """What it prints, line by line."""
        return (line.decode("utf-8", "replace") for line in self._process.stdout)

    def field(self, name):
        """Of /proc/PID/status."""
        with open("/proc/%d/status" % self.pid, encoding="ascii", errors="replace") as stream:
            return next((line.split(":", 1)[1].strip() for line in stream
                         if line.startswith(name + ":")), None)

    @property
    def state(self):
        return self.field("State")[0]

    def ended(self):
        """(what it prints, its status), after its input has ended."""
        try:
            out = self._process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            return "it hangs", None
        return out.decode("utf-8", "replace"), self._process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.pid, 9)
        except ProcessLookupError:
            pass
        self._process.communicate()
