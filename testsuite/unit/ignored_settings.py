#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Settings that are said to be ignored against the word of the runtimes, which print a line for each
that they do not take; without a debugger."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../common"))
sys.path.insert(1, os.path.join(os.environ["stage"], "share/ompd/python"))
from tap import Tap  # noqa: E402  pylint: disable=wrong-import-position
from openmp_inspect.analysis import ignored_settings  # noqa: E402  pylint: disable=wrong-import-position

GOMP, KMP = ignored_settings.GOMP, ignored_settings.KMP
PROGRAM = """#include <omp.h>
int main(void)
{
    return omp_in_parallel();
}
"""
VALUES = {
    "OMP_NUM_THREADS": ("4", "4,2", " 4 ", "0", "abc", "4x", "-1"),
    "OMP_THREAD_LIMIT": ("4", "0", "x"),
    "OMP_MAX_ACTIVE_LEVELS": ("1", "0", "-1", "x"),
    "OMP_MAX_TASK_PRIORITY": ("0", "3", "x"),
    "OMP_DYNAMIC": ("true", "FALSE", "1", "yes", "ture", ".true."),
    "OMP_CANCELLATION": ("true", "on", "ture"),
    "OMP_PROC_BIND": ("true", "close", "Close", "close,spread", "master", "ture", "clos", "foo"),
    "OMP_PLACES": ("cores", "threads", "cores(1)", "{0},{1}", "{0:2}", "0,1", "corse", "{0"),
    "OMP_STACKSIZE": ("4M", "4 M", "16k", "4MB", "4Q", "M", "4.5M", "-4"),
    "OMP_WAIT_POLICY": ("active", "PASSIVE", "act", "foo"),
    "OMP_SCHEDULE": ("dynamic", "dynamic,4", "guided,2", "auto", "nonmonotonic:dynamic,3",
                     "dynamc", "dynamic,x", "dynamic,", "runtime"),
    "OMP_TARGET_OFFLOAD": ("mandatory", "DISABLED", "default", "foo"),
    "OMP_DEFAULT_DEVICE": ("0", "x"),
    "GOMP_STACKSIZE": ("4M", "4Q"),
    "GOMP_CPU_AFFINITY": ("0", "0-1", "x"),
    "GOMP_SPINCOUNT": ("5", "5k", "INFINITE", "foo", "5x"),
    "KMP_BLOCKTIME": ("5", "5s", "2m", "1.5", "inf", "infinite", "foo", "5xs", "-1"),
    "KMP_LIBRARY": ("serial", "turn", "THROUGHPUT", "multiuser", "foo"),
    "KMP_STACKSIZE": ("4M", "64k", "4Q", "x"),
    "KMP_HOT_TEAMS_MAX_LEVEL": ("2", "x"),
    "KMP_SETTINGS": ("off", "ture"),
    "KMP_WARNINGS": ("on", "maybe"),
}
# Of another runtime: not taken, whatever the value is, and nothing is printed.
FOREIGN = {GOMP: ("KMP_", "LLVM's"), KMP: ("GOMP_SPINCOUNT", "GCC's")}
# LLVM 14's runtime does not end with some of these.
HANGS = {("OMP_NUM_THREADS", value) for value in ("abc", "4x", "-1")}
NAMES = (("OMP_NUM_THREAD", "OMP_NUM_THREADS"), ("OMP_PROCBIND", "OMP_PROC_BIND"),
         ("KMP_BLOCK_TIME", "KMP_BLOCKTIME"), ("GOMP_SPIN_COUNT", "GOMP_SPINCOUNT"),
         ("OMP_STACK_SIZE", "OMP_STACKSIZE"), ("OMP_SCHED", "OMP_SCHEDULE"),
         ("OMP_SCHEME", None), ("OMP_NUM_TEAMS_DEV_1", None), ("OMP_TOOL", None), ("PATH", None))


def complains(program, name, value):
    """Whether the runtime prints that it does not take it."""
    environment = {key: word for key, word in os.environ.items()
                   if not key.startswith(("OMP_", "GOMP_", "KMP_"))}
    said = subprocess.run([program], env=dict(environment, **{name: value}),
                          stderr=subprocess.PIPE, timeout=20, check=False).stderr
    return any(word in said for word in (b"nvalid", b"Unknown value", b"Warning"))


def check_values(tap, family, program):
    for name, values in VALUES.items():
        for value in values:
            if family == KMP and (name, value) in HANGS:
                continue
            said = ignored_settings.found({name: value}, (family,))
            prefix, other = FOREIGN[family]
            if name.startswith(prefix):
                tap.ok(said in (["%s=%s" % (name, value)], ["%s=%s (%s does)" % (name, value, other)]),
                       "%s: %s=%s is another runtime's" % (family, name, value), said)
                continue
            said = [one.partition(" (")[0] for one in said]
            wanted = ["%s=%s" % (name, value)] if complains(program, name, value) else []
            if (family, name, value) == (GOMP, "OMP_MAX_TASK_PRIORITY", "0") and wanted:
                # That of GCC 14 complains of what it has anyway.
                version = subprocess.run(["gcc", "-dumpversion"], stdout=subprocess.PIPE, check=True).stdout
                wanted = wanted if int(version.split(b".")[0]) < 13 else []
            tap.equal(said, wanted, "%s: %s=%s" % (family, name, value))


def check_names(tap, family, program):
    """The runtime's file holds the names of all that it reads."""
    files = subprocess.run(["ldd", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    path = re.search(r"lib[gi]?omp[\w.]* => (\S+)", files).group(1)
    with open(path, "rb") as stream:
        names = re.findall(rb"\0((?:G|K)O?MP_[A-Z_]{4,40})(?=\0)", stream.read())
    said = ignored_settings.found({name.decode(): "1" for name in names}, (family,))
    tap.equal([one for one in said if one.endswith("?)") or "does)" in one], [],
              "%s: no name of its own is taken for another (%d)" % (family, len(names)))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, "empty.c")
        with open(source, "w", encoding="utf-8") as stream:
            stream.write(PROGRAM)
        for family, compiler in ((GOMP, os.environ.get("CC") or "gcc"), (KMP, "clang")):
            program = os.path.join(scratch, family)
            if shutil.which(compiler.split()[0]) is None:
                tap.skip(family, "no " + compiler)
                continue
            subprocess.run([*compiler.split(), "-fopenmp", source, "-o", program], check=True)
            check_values(tap, family, program)
            check_names(tap, family, program)
    for name, near in NAMES:
        tap.equal(ignored_settings.found({name: "4"}, ()),
                  ["%s (%s?)" % (name, near)] if near else [], name)
    tap.equal(ignored_settings.found({"OMP_DYNAMIC": "yes", "KMP_LOCK_KIND": "tas"}, (GOMP,)),
              ["OMP_DYNAMIC=yes (LLVM's does)", "KMP_LOCK_KIND=tas (LLVM's does)"], "whose it is")
    tap.equal(ignored_settings.found({"OMP_DYNAMIC": "yes"}, (GOMP, KMP)), [],
              "one of two runtimes takes it")
    tap.equal(ignored_settings.found({"OMP_DYNAMIC": "yes"}, ()), [], "no runtime is known yet")
    tap.end()


main()
