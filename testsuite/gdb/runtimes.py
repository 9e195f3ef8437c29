# SPDX-License-Identifier: MIT
"""Programs with several OpenMP runtimes: copies of libgomp under other names, LLVM's; live and
as cores, unprepared and recorded."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../host"))
import harness  # noqa: E402
import several  # noqa: E402

if several.missing():
    harness.skip_all(several.missing())
t = harness.begin(__file__, timeout=240)
import contextlib  # noqa: E402
import re  # noqa: E402
import subprocess  # noqa: E402

import gdb  # noqa: E402

SYSTEM = "libgomp.so.1"
FILES = {"system": SYSTEM, "copied": several.COPY, "hidden": several.HIDDEN}
several.make(t.scratch)


@contextlib.contextmanager
def process(*lines, threads, recorded=False):
    """gdb on a process that has done these lines, and begins the last one in a thread."""
    with several.Process(t.scratch, t.scratch + "/load",
                         hooks=t.hooks if recorded else None) as started:
        started.does(*lines).settled(threads)
        gdb.execute("file " + t.scratch + "/load", to_string=True)
        gdb.execute("attach %d" % started.pid(), to_string=True)
        yield
        gdb.execute("detach", to_string=True)


def runtimes():
    """The lines of "ompd status" about them."""
    lines = t.run("ompd status").splitlines()
    t.note("\n".join(lines))
    end = next(at for at, line in enumerate(lines) if line.startswith("hooks"))
    return lines[:end]


def numbers(rows):
    return sorted(row["OMP"] for row in rows if "/3" in row["OMP"])


def check(first, last, recorded, kind):
    how = "recorded" if recorded else "not recorded"
    for line, name in zip(runtimes(), (first, last)):
        t.like(line, r"^(runtime)? +GCC libgomp \d\d( to \d\d)?, \d threads, %s, .*/%s$" %
               (how, FILES[name]), "%s: the status has the one of %s" % (kind, name))
    rows = t.threads()
    t.note(rows)
    found = {row["OMP"]: row["Runtime"] for row in rows if "/3" in row["OMP"]}
    t.equal(found, dict.fromkeys(("0/3", "1/3", "2/3"), FILES[last]),
            kind + ": who is in the team of which runtime")
    idle = {row["Runtime"] for row in rows if row["State"] == "idle"}
    t.equal(idle, {"-" if recorded else FILES[first]}, kind + ": whose worker is idle")
    t.equal({os.path.basename(row["runtime"]) for row in t.json("threads")
             if row["level"] == 1}, {FILES[last]}, kind + ": in JSON")
    t.run("set width 60")
    head, *lines = t.shown("ompd threads").splitlines()
    t.run("set width 0")
    t.ok(all(line[head.index("State") - 2:head.index("State")] == "  " for line in lines if
             line[:1] in "* " and re.search(r" libgomp\S", line)),
         kind + ": on a narrow screen the columns stand below their heads", head, *lines)
    t.like(t.run("ompd parallel"), r"3 threads", kind + ": the region")
    printed = t.run("ompd doctor")
    t.like(printed, r"1  two runtimes +libgomp\S+ \((system|copied)\.so\) and libgomp\S+ "
           r"\((system|copied)\.so\)", kind + ": the doctor names both, and who needs them")


def check_regions(stacks, kind):
    """Each of the three members of a team of libgomp's is in its region."""
    t.equal(sorted(set(re.findall(r"parallel \((?:region=\d+, )?thread_num=(\d), num_threads=3\)",
                                  stacks))), ["0", "1", "2"], kind + ": their stacks have the region")


for recorded in (False, True):
    for first, last in (("copied", "system"), ("system", "copied")):
        kind = "%s first, %s" % (first, "recorded" if recorded else "unprepared")
        with process("open " + first, "open " + last, "call %s once" % first,
                     "begin %s park" % last, threads=5, recorded=recorded):
            check(first, last, recorded, kind)
            t.run("generate-core-file " + t.scratch + "/core")
        t.run("core-file " + t.scratch + "/core")
        check(first, last, recorded, kind + ", a core")
        t.run("core-file")

with process("open system", "open copied", "close copied", "begin system park", threads=4):
    t.equal(len(runtimes()), 1, "one that was closed is not listed")
    t.ok("Runtime" not in t.threads()[0], "of one runtime nothing is said of each thread")

with process("open hidden", "begin hidden park", threads=4):
    t.like(runtimes()[0], "^runtime +GCC libgomp .*/%s$" % several.HIDDEN,
           "a runtime is known by what it exports, not by its name")
    t.equal(numbers(t.threads()), ["0/3", "1/3", "2/3"], "and is read")

if several.LLVM:
    for lines in (("load " + several.LLVM[-1], "open system"),
                  ("open system", "load " + several.LLVM[-1])):
        with process(*lines, "begin system park", threads=4):
            t.like(t.run("ompd status"),
                   r"^(runtime)? +LLVM libomp \d\d( to \d\d)?, 0 threads, not recorded, .*/libomp",
                   "LLVM's runtime is listed: " + lines[0])
            printed = t.run("ompd threads")
            t.equal(numbers(harness.table(printed)), ["0/3", "1/3", "2/3"],
                    "it hides no libgomp: " + lines[0])
            t.ok("hooks" not in printed and "?" not in printed, "nor is a hook spoken of",
                 printed)
            check_regions(t.run("thread apply all bt"), lines[0])
else:
    t.skip("LLVM's runtime hides no libgomp", "there is none here")

if several.has_clang():
    for recorded in (False, True):
        for lines in (("open system", "open llvm"), ("open llvm", "open system")):
            kind = "%s, %s" % (lines[0], "recorded" if recorded else "unprepared")
            with process(*lines, "begin system park", "begin llvm follow", threads=8,
                         recorded=recorded):
                check_regions(t.run("thread apply all bt"), kind)
                states = {row["OMP"]: row["State"] for row in t.threads() if "/4" in row["OMP"]}
                t.equal(states, {"0/4": "~in pause", "1/4": "~wait ordered", "2/4": "~wait ordered",
                                 "3/4": "~wait ordered"}, kind + ": a loop on LLVM's")
    for outer, inner in (("llvm", "system"), ("system", "llvm")):
        for caller in ("first", "second"):
            kind = "%s of %s calls %s" % (caller, outer, inner)
            with process("open " + outer, "open " + inner,
                         "begin %s %s %s hold" % (outer, caller, inner), threads=4):
                rows = t.threads()
                t.note(rows)
                own, other = ("libomp.so.5", SYSTEM)[::1 if outer == "llvm" else -1]
                found = sorted((row["Runtime"], row["OMP"], row["State"].lstrip("~"))
                               for row in rows if "/2" in row["OMP"])
                t.equal(found, sorted([(own, "%d/2" % (caller == "first"), "wait barrier"),
                                       (other, "0/2", "wait barrier"), (other, "1/2", "in pause")]),
                        kind + ": in which region who waits")
                t.like(t.noted("ompd why"), r"^waiting: 1 thread waits for thread \d+ \(1/2\), which is in "
                       r"pause \(\) +\[possible\]", kind + ": for whom")
else:
    t.skip("each runtime's own rules", "clang is not installed")

source = t.written("static.c", "#include <unistd.h>\nint main(void)\n{\n    for (;;)\n"
                   "        pause();\n}\n")
try:
    several.output("cc", "-static", "-s", source, "-o", t.scratch + "/static")
    gdb.execute("file " + t.scratch + "/static", to_string=True)
    with t.attached(t.scratch + "/static"):
        t.equal(t.error("ompd threads"), "This program is linked statically and stripped of its "
                "symbols: whether it uses OpenMP cannot be determined.", "a static stripped program")
except subprocess.CalledProcessError:
    t.skip("a static stripped program", "there is no static C library")
t.done()
