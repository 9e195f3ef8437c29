# SPDX-License-Identifier: MIT
"""What the host's tests in Python share: parked programs, cores, the host itself."""

import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
from tap import Tap, no_32_bit, skip_all  # noqa: E402,F401  pylint: disable=wrong-import-position

build = os.environ.get("top_builddir", ".")
stage = os.environ.get("stage", os.path.join(build, "stage"))
gdb = os.environ.get("GDB") or shutil.which("gdb")
HOST = os.path.join(build, "testsuite/host/ompd-host")
PARK = os.path.join(build, "testsuite/host/park")


def build_32(directory):
    """`park` as a 32-bit program. Returns its path, or None with a reason."""
    reason = no_32_bit()
    if reason:
        return None, reason
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "park.c")
    path = os.path.join(directory, "park-32")
    subprocess.run([*shlex.split(os.environ.get("CC") or "cc"), "-m32", "-std=gnu11", "-g",
                    "-O1", "-fopenmp", source, "-o", path], check=True)
    return path, None


def scratch():
    """A directory that goes when the test does."""
    return tempfile.TemporaryDirectory(prefix="ompd-host-")


class Parked:
    """`park CONSTRUCT`, under ompd-run unless it is to be unprepared, with what it says of
    itself in `truth`."""

    def __init__(self, construct, cwd, program=PARK, settings=None, prepared=True):
        def unlimited():
            hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

        self.cwd = cwd
        self.process = subprocess.Popen(
            ([os.path.join(stage, "bin/ompd-run")] if prepared else []) +
            [program, construct],
            stdout=subprocess.PIPE, cwd=cwd, text=True, preexec_fn=unlimited,
            env=dict(os.environ, GOMP_SPINCOUNT="0", **(settings or {})))
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("park %s ended with status %d" %
                               (construct, self.process.wait()))
        self.truth = json.loads(line)
        self.pid = self.process.pid

    def kernel_core(self):
        """Kills it with SIGABRT. Returns the core, or None with a reason."""
        with open("/proc/sys/kernel/core_pattern") as file:
            pattern = file.read().strip()
        if "/" in pattern or pattern.startswith("|"):
            return None, "cores do not stay in the program's directory (%s)" % pattern
        if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
            return None, "cores are forbidden here (hard limit 0)"
        before = set(os.listdir(self.cwd))
        os.kill(self.pid, signal.SIGABRT)
        self.process.wait()
        new = sorted(set(os.listdir(self.cwd)) - before)
        if not new:
            return None, "the kernel wrote no core"
        return os.path.join(self.cwd, new[0]), None

    def gdb_core(self):
        """A core that gdb writes while the program lives on."""
        if not gdb:
            return None, "no gdb"
        path = os.path.join(self.cwd, "gdb.core")
        subprocess.run([gdb, "-nx", "-batch", "-p", str(self.pid), "-ex", "gcore " + path],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(path):
            return None, "gdb wrote no core"
        return path, None

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def looks(construct, *program, by_gdb=False, **settings):
    """A parked program live and as cores: each what it is, the target or None, why there is none, and
    the truth."""
    with scratch() as directory:
        parked = Parked(construct, directory, *program, **settings)
        try:
            yield "live", parked.pid, None, parked.truth
            if by_gdb:
                yield ("core by gdb", *parked.gdb_core(), parked.truth)
            yield ("core", *parked.kernel_core(), parked.truth)
        finally:
            parked.end()


def host(*arguments, timeout=60):
    """Runs ompd-host; returns status, output, messages. A negative status is a signal."""
    done = subprocess.run([HOST, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, errors="replace")
    return done.returncode, done.stdout, done.stderr


def host_json(target, abi=2):
    """What the host says of a target, and a list of faults."""
    status, out, messages = host("--abi", abi, target)
    if status:
        return None, ["ompd-host ended with %d: %s" % (status, messages.strip())]
    return json.loads(out), []
