# SPDX-License-Identifier: MIT
"""LLVM's runtime and library: what can be said of a program of clang, and that a library
of another vendor is spoken to."""

import glob
import os
import shutil
import subprocess

import harness

t = harness.begin(__file__, program="many.c")
import gdb  # noqa: E402

from ompd import errors, library, space  # noqa: E402

SAID = r"^libomp\.so\.5 of this program was built without support for debuggers \(OMPD\), so " \
       r"only what gdb knows can be shown\.$"

theirs = sorted(glob.glob("/usr/lib/llvm-*/lib/libompd.so"))
if not theirs:
    t.skip("LLVM's OMPD library", "it is not installed")
else:
    t.stop_at("here")
    refused = []
    found = library._load(theirs[-1], refused)
    t.equal(refused, [], "LLVM's library is loaded")
    t.equal((found.dialect.name, found.dialect.extended),
            ("OMPD of OpenMP 5.x (%d)" % found.dialect.version, False),
            "and speaks the interface of OpenMP 5.x without our extension")
    t.ok(found.dialect.version_string(), "it says what it is")
    here = space.current()
    try:
        found.dialect.open(here, found)
        failure = None
    except errors.OmpdError as error:
        failure = error
        t.note(error)
    t.ok(failure is not None, "it cannot read a program of GCC, and says so")
    t.equal(len(t.threads()), 8, "which ours can")
    t.run("kill")

clang = shutil.which("clang")
program = os.path.join(t.scratch, "clang")
made = clang and subprocess.run([clang, "-g", "-fopenmp", t.source, "-o", program],
                                stderr=subprocess.DEVNULL, check=False).returncode == 0
if not made:
    t.skip("a program of clang", "clang with OpenMP is not installed")
else:
    gdb.execute("file " + program)
    for switch in ("off", "on"):
        if switch == "on":
            t.run("ompd on")
        gdb.execute("set args 4")
        t.stop_at("here")
        printed = t.run("ompd threads")
        t.note(printed)
        if "built without" not in printed:
            t.skip("a runtime that debuggers cannot read", "this one has OMPD")
            break
        t.like(printed, SAID, "hooks %s: the reason in one line" % switch)
        t.equal(len([line for line in printed.splitlines() if "many.c" in line]), 4,
                "hooks %s: below the threads" % switch)
        for command in ("parallel", "tasks", "icvs", "env"):
            t.like(t.error("ompd " + command) or "", SAID,
                   "hooks %s: ompd %s says the same" % (switch, command))
        t.like(t.run("ompd status"), r"^runtime +LLVM, ", "hooks %s: the status" % switch)
        t.run("kill")
t.done()
